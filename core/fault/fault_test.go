package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

func TestText(t *testing.T) {
	for want, e := range map[string]*fault.Error{
		`connlog: access.json: record 7, line 12: event_type is "open", expected one of connect, disconnect, retry`: {
			Code: fault.BadValue, Package: "connlog", Source: "access.json", Record: 7, Line: 12,
			Field: "event_type", Value: `"open"`, Expected: "one of connect, disconnect, retry"},
		"backoff: cap is 0s, expected at least the base (1s)": fault.Value("backoff", "cap", "0s", "at least the base (1s)"),
		"line 3: cut off":          {Code: fault.BadSyntax, Line: 3, Message: "cut off"},
		"record 3: cut off":        {Code: fault.BadSyntax, Record: 3, Message: "cut off"},
		"x: unknown rule: no-such": {Code: fault.NotFound, Package: "x", Message: "unknown rule", Value: "no-such"},
		"module: not-built":        {Code: fault.NotBuilt, Package: "module"},
		"herd: more clients than descriptors: clients is 10": {
			Code: fault.Infeasible, Package: "herd", Message: "more clients than descriptors", Field: "clients", Value: "10"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestIs(t *testing.T) {
	err := fmt.Errorf("reading: %w", fault.Value("backoff", "cap", "0s", "more"))
	if !errors.Is(err, fault.BadValue) || errors.Is(err, fault.BadSyntax) {
		t.Error("errors.Is does not follow the code word")
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Field != "cap" {
		t.Error("errors.As does not find the fault")
	}
}
