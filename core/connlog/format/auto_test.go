package format_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// Every recording must be recognised for what it is, from its first lines alone.
func TestAuto(t *testing.T) {
	for _, e := range index(t) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		p, err := connlog.Sniff(connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}, data, connlog.Options{Paths: e.paths})
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
			continue
		}
		if e.format == "haproxy-tcp" { // which only the operator can choose: the lines do not say what the connections were
			if p.Formats[0] != (connlog.Chosen{Name: "haproxy", Layout: "tcplog"}) {
				t.Errorf("%s: read as %v", e.file, p.Formats)
			}
			continue
		}
		if p.Formats[0].Name != e.format {
			t.Errorf("%s: read as %v, want %s", e.file, p.Formats, e.format)
		} else if len(p.Wrappers) > 0 != e.wrapped && e.format != "socketio-debug" && e.format != "aspnet" { // whose own stamp looks like a wrapper's
			t.Errorf("%s: wrappers %v", e.file, p.Wrappers)
		} else if len(p.Formats) > 1 {
			t.Logf("%s: also %v", e.file, p.Formats[1:])
		}
	}
}
