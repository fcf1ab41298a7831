package backoff

import (
	"slices"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
)

// Library is one schedule of a real client library, as read from its source.
type Library struct {
	Name      string // as in lib:NAME; a second schedule of the same library carries a slash and a word
	Ecosystem string // npm, Go, Python, JVM, Rust, Swift
	Version   string // the version or commit that was read
	Source    string // the file in its sources, or the API
	Spec      string // the schedule; "" where the library never reconnects by itself
	Note      string // what the SPEC leaves out
}

// Read is the month in which the catalogue's sources were read.
const Read = "2026-11"

var catalogue = slices.Concat(npmLibraries, goLibraries, otherLibraries)

// Libraries lists the catalogue, by ecosystem. The slice is the caller's.
func Libraries() []Library {
	return slices.Clone(catalogue)
}

// library is the policy of "NAME" or "NAME@VERSION".
func library(name string) (Policy, error) {
	wanted, version := name, ""
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		wanted, version = name[:i], name[i+1:]
	}
	for i := range catalogue {
		l := &catalogue[i]
		if l.Name != wanted {
			continue
		}
		if version != "" && version != l.Version {
			return Policy{}, &fault.Error{Code: fault.NotFound, Package: "backoff", Message: "unknown version of " + wanted, Value: quoted(version), Expected: l.Version}
		}
		if l.Spec == "" {
			return Policy{}, &fault.Error{Code: fault.Unsupported, Package: "backoff", Message: wanted + " never reconnects by itself", Expected: "the policy of the application that uses it"}
		}
		return parseSpec(l.Spec)
	}
	near := ""
	for i := range catalogue {
		if n := catalogue[i].Name; wanted != "" && (strings.Contains(n, wanted) || strings.Contains(wanted, n)) {
			if near != "" {
				near += ", "
			}
			near += n
		}
	}
	if near == "" {
		near = "a name that the catalogue holds, such as socket.io-client or grpc-go"
	} else {
		near = "a name of the catalogue, near it: " + near
	}
	return Policy{}, &fault.Error{Code: fault.NotFound, Package: "backoff", Message: "unknown library", Value: quoted(name), Expected: near}
}
