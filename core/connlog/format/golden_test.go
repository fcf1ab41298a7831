package format_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

var update = flag.Bool("update", false, "write the golden files anew")

const corpus = "../../../testdata/logs"

// entry is a line of testdata/logs/index.txt: which format a file is of, and the --path flags that a reader needs.
type entry struct {
	file, format string
	paths        []string
	tz           int32
	day          int64
	wrapped      bool
}

func index(t testing.TB) []entry {
	text, err := os.ReadFile(filepath.Join(corpus, "index.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []entry
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		e := entry{file: f[0], format: f[1]}
		for _, w := range f[2:] {
			switch {
			case w == "wrapped":
				e.wrapped = true
			case strings.HasPrefix(w, "/"):
				e.paths = append(e.paths, w)
			default:
				if _, err := fmt.Sscanf(w, "tz=%d", &e.tz); err != nil {
					if _, err := fmt.Sscanf(w, "day=%d", &e.day); err != nil {
						t.Fatalf("index.txt: %s", w)
					}
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// lines cuts a file into records without their ends.
func lines(data []byte) [][]byte {
	var out [][]byte
	for len(data) > 0 {
		line := data
		if n := bytes.IndexByte(data, '\n'); n >= 0 {
			line, data = data[:n], data[n+1:]
		} else {
			data = nil
		}
		out = append(out, bytes.TrimSuffix(line, []byte{'\r'}))
	}
	return out
}

// configure learns from the file and sets the format up as Sniff would: first with the operator's paths, then with those
// at which a handshake succeeded.
func configure(t testing.TB, name string, records [][]byte, e entry) connlog.Format {
	f := format.Find(name)
	if f == nil {
		t.Fatalf("no format %q", name)
	}
	s := &connlog.Setup{Paths: connlog.NewPaths(e.paths, nil), Day: e.day}
	if e.tz != 0 {
		s.Zone = zone(e.tz)
	}
	if l, ok := f.(connlog.Learner); ok {
		s.Layout = l.Learn(records)
	}
	first, err := f.Configure(s)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var learned []string
	var b connlog.Batch
	for _, rec := range records {
		b.Reset(rec)
		first.Read(&b, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
		for _, ev := range b.Events {
			if p := connlog.Shape(b.Text(ev.Path)); ev.Outcome == connlog.OK && p != "" && !seen[p] {
				seen[p], learned = true, append(learned, p)
			}
		}
	}
	s.Paths = connlog.NewPaths(e.paths, learned)
	f, err = first.Configure(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// reader gives what reads one line: the format alone, or the whole reader where a wrapper is around it.
func reader(t testing.TB, e entry, data []byte) func(*connlog.Batch, []byte) connlog.Reason {
	if !e.wrapped {
		f := configure(t, e.format, lines(data), e)
		return func(b *connlog.Batch, rec []byte) connlog.Reason {
			b.Reset(rec)
			return f.Read(b, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
		}
	}
	c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	p, err := connlog.Sniff(c, data, connlog.Options{Paths: e.paths})
	if err != nil || len(p.Wrappers) == 0 || p.Formats[0].Name != e.format {
		t.Fatalf("%s: %v, %v", e.file, p, err)
	}
	return func(b *connlog.Batch, rec []byte) connlog.Reason {
		r, err := connlog.NewReader(p, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.Feed(rec, true)
		b.Reset(nil)
		r.Next(b)
		switch {
		case r.Counts.Used > 0:
			return connlog.Used
		case len(r.Counts.Skipped) > 0:
			return r.Counts.Skipped[0].Reason
		case r.Counts.Records == 0:
			return "blank"
		}
		return connlog.Ignored
	}
}

func TestGolden(t *testing.T) {
	for _, e := range index(t) {
		t.Run(e.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpus, e.file))
			if err != nil {
				t.Fatal(err)
			}
			records := lines(data)
			var out bytes.Buffer
			var b connlog.Batch
			read := reader(t, e, data)
			for i, rec := range records {
				reason := read(&b, rec)
				if reason != connlog.Used {
					if len(b.Events) > 0 {
						t.Errorf("line %d: %s, and yet %d events", i+1, reason, len(b.Events))
					}
					fmt.Fprintf(&out, "%d\t%s\n", i+1, reason)
				} else if len(b.Events) == 0 {
					t.Errorf("line %d: used, and yet no event", i+1)
				}
				for j := range b.Events {
					fmt.Fprintf(&out, "%d\t%s\n", i+1, show(&b, &b.Events[j]))
				}
			}
			if strings.Contains(out.String(), "SECRET-PLANTED") {
				t.Errorf("a planted secret came out:\n%s", out.String())
			}
			golden := filepath.Join(corpus, e.file+".events")
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, out.Bytes()) {
				w, g := strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")
				for i := range max(len(w), len(g)) {
					if i >= len(w) || i >= len(g) || w[i] != g[i] {
						t.Errorf("first difference:\nwant %s\ngot  %s", at(w, i), at(g, i))
						break
					}
				}
			}
		})
	}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "(end)"
}

var (
	outcomes = []string{"unknown", "ok", "refused", "limited", "upstream", "aborted", "tls"}
	parties  = []string{"", "client", "server", "proxy-timeout", "proxy", "takeover"}
	sources  = []string{"", "start", "end", "end-duration", "start+duration", "written"}
	clients  = []string{"", "peer", "forwarded", "header", "proxy-protocol"}
	carriers = []string{"", "", "h2", "polling", "sse", "mqtt"}
)

// show prints an event on one line, everything that is set; the query is left out, as the report leaves it out.
func show(b *connlog.Batch, e *connlog.Event) string {
	var s strings.Builder
	if e.Kind == connlog.Attempt {
		s.WriteString("attempt " + outcomes[e.Outcome])
	} else {
		s.WriteString("close")
	}
	if e.Time != connlog.None {
		fmt.Fprintf(&s, " %s ±%s (%s)", civil.AppendRFC3339(nil, e.Time, 0), span(e.Resolution), sources[e.TimeSource])
	} else {
		s.WriteString(" (no time)")
	}
	text := func(name string, t connlog.Span) {
		if t.Len > 0 {
			fmt.Fprintf(&s, " %s=%q", name, b.Text(t))
		}
	}
	if e.Client.Len > 0 {
		fmt.Fprintf(&s, " %s=%s", clients[e.ClientSource], b.Text(e.Client))
	}
	if e.Port > 0 {
		fmt.Fprintf(&s, " port=%d", e.Port)
	}
	text("forwarded", e.Forwarded)
	text("conn", e.Conn)
	text("path", e.Path)
	if e.Status > 0 {
		fmt.Fprintf(&s, " status=%d", e.Status)
	}
	if e.CloseCode > 0 {
		fmt.Fprintf(&s, " code=%d", e.CloseCode)
	}
	if e.Duration != connlog.None {
		fmt.Fprintf(&s, " duration=%s", span(e.Duration))
	}
	if e.Interval != connlog.None {
		fmt.Fprintf(&s, " interval=%s", span(e.Interval))
	}
	if e.LateBy > 0 {
		fmt.Fprintf(&s, " late=%s", span(e.LateBy))
	}
	if e.ClosedBy > 0 {
		s.WriteString(" by=" + parties[e.ClosedBy])
	}
	text("cause", e.Cause)
	if c := carriers[e.Transport]; c != "" {
		s.WriteString(" over=" + c)
	}
	text("host", e.Host)
	text("agent", e.UserAgent)
	if e.ID != 0 {
		fmt.Fprintf(&s, " id=%04x", e.ID&0xffff)
	}
	return s.String()
}

func span(ns int64) string {
	switch {
	case ns >= 1e9 && ns%1e9 == 0:
		return fmt.Sprint(ns/1e9, "s")
	case ns%1e6 == 0:
		return fmt.Sprint(ns/1e6, "ms")
	case ns%1e3 == 0:
		return fmt.Sprint(ns/1e3, "µs")
	}
	return fmt.Sprint(ns, "ns")
}

func zone(offset int32) *stamp.Zone { return &stamp.Zone{Steps: []stamp.Step{{Offset: offset}}} }
