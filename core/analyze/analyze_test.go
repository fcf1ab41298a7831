package analyze

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/report"
)

var update = flag.Bool("update", false, "write the golden files")

// analyze reads one text in one piece.
func analyze(t *testing.T, o Options, text string) (*Analyzer, *report.Report) {
	t.Helper()
	in := sniffed(t, "test.log", []byte(text))
	a, err := New(o, in.plan, connlog.Catalogue{}, Part{Name: "test.log"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Feed([]byte(text)); err != nil {
		t.Fatal(err)
	}
	r, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return a, r
}

// One record that swallowed many is one of few by number; the warning tells its bytes.
func TestUnreadBytesAreSaid(t *testing.T) {
	record := `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.1","event_type":"retry"}` + "\n"
	text := strings.Repeat(record, 100)
	_, r := analyze(t, Options{}, text+strings.Repeat("x", 4000)+"\n")
	want := "The records that could not be read hold 4,000 of the 12,201 bytes"
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], want) {
		t.Errorf("got %q, want %s…", r.Warnings, want)
	}
	if _, r = analyze(t, Options{}, text+strings.Repeat("x", 80)+"\n"); len(r.Warnings) != 0 {
		t.Error(r.Warnings)
	}
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"outage"} {
		text, err := os.ReadFile("testdata/" + name + ".ndjson")
		if err != nil {
			t.Fatal(err)
		}
		_, r := analyze(t, Options{}, string(text))
		var got bytes.Buffer
		if err := json.Indent(&got, r.AppendJSON(nil), "", " "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		file := "testdata/" + name + ".golden.json"
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(want, got.Bytes()) {
			t.Errorf("%s differs (%v); run with -update and read the difference:\n%s", file, err, got.String())
		}
	}
}

func TestKeys(t *testing.T) {
	proxies, _ := address.ParseProxies([]string{"10.0.0.0/8"})
	line := func(ip, more string) string {
		return `{"timestamp":"2026-11-30T00:00:00Z","client_ip":"` + ip + `","event_type":"connect"` + more + "}\n"
	}
	for _, c := range []struct {
		name, line string
		o          Options
		want       string
	}{
		{"an address has one spelling", line("2001:DB8:0::1", ""), Options{}, "2001:db8::1"},
		{"mapped", line("::ffff:192.0.2.1", ""), Options{}, "192.0.2.1"},
		{"a port is cut", line("192.0.2.1:99", ""), Options{}, "192.0.2.1"},
		{"a name stays", line("Host.Example", ""), Options{}, "Host.Example"},
		{"nobody is believed by default", line("10.0.0.1", `,"forwarded_for":"198.51.100.9"`), Options{}, "10.0.0.1"},
		{"a trusted proxy is", line("10.0.0.1", `,"forwarded_for":"6.6.6.6, 198.51.100.9"`), Options{Proxies: proxies}, "198.51.100.9"},
		{"the list alone", line("-", `,"forwarded_for":"6.6.6.6, 198.51.100.9"`), Options{}, "198.51.100.9"},
		{"with the agent", line("192.0.2.1", `,"user_agent":"a b/1"`), Options{Key: ByIPAgent}, "192.0.2.1 a b/1"},
		{"by connection", line("192.0.2.1", `,"conn":"device-7"`), Options{Key: ByConn}, "device-7"},
		{"as printed", line("::ffff:192.0.2.1", ""), Options{Key: ByClient}, "::ffff:192.0.2.1"},
	} {
		_, r := analyze(t, c.o, c.line)
		if len(r.Clients) != 1 || r.Clients[0].Key != c.want {
			t.Errorf("%s: clients %v, want %q", c.name, r.Clients, c.want)
		}
	}
	_, r := analyze(t, Options{}, line("-", ""))
	if len(r.Clients) != 0 || r.Totals.Nameless != 1 || r.Arrivals.Attempts[0] != 1 {
		t.Errorf("an event without a client: %+v", r.Totals)
	}
}

// A close without an address finds its client by the connection's id, wherever in the input the two stand.
func TestOrphanedCloses(t *testing.T) {
	_, r := analyze(t, Options{}, `{"timestamp":"2026-11-30T00:00:09Z","client_ip":"-","event_type":"disconnect","conn":"x"}
{"timestamp":"2026-11-30T00:00:00Z","client_ip":"192.0.2.1","event_type":"connect","conn":"x"}
{"timestamp":"2026-11-30T00:00:00Z","client_ip":"-","event_type":"disconnect","conn":"y"}
`)
	c := r.Clients[0]
	if c.Closes != 1 || c.Sessions != 1 || c.Lifetimes.Mean != 9e9 || r.Totals.Nameless != 1 {
		t.Errorf("client %+v, totals %+v", c, r.Totals)
	}
}

// One client beyond the limit: counts stay exact, the peak is a lower bound that is not lower than needed.
func TestBeyondTheLimit(t *testing.T) {
	var b strings.Builder
	at := civil.Days(2026, 11, 30) * civil.Day
	for i := range 20_000 {
		ms := int64(i) * 50
		if i >= 10_000 {
			ms = 500_000 + int64(i-10_000)*10
		}
		b.WriteString(`{"timestamp":"`)
		b.Write(civil.AppendRFC3339(nil, at+ms*civil.Millisecond, civil.Millisecond))
		fmt.Fprintf(&b, `","client_ip":"192.0.2.1","event_type":"retry","user_agent":"v%d"}`+"\n", i/15_000)
	}
	_, r := analyze(t, Options{}, b.String())
	c := r.Clients[0]
	if c.Attempts != 20_000 || c.Beyond != 20_000-4096 || c.Delays.N != 4095 || len(c.UserAgents) != 2 || c.PeakPerMin != 6000 || len(r.Warnings) != 1 {
		t.Errorf("%+v %v", c, r.Warnings)
	}
	var sum int64
	for _, n := range r.Arrivals.Attempts {
		sum += n
	}
	if sum != 20_000 {
		t.Errorf("arrivals sum to %d", sum)
	}
}

func TestRange(t *testing.T) {
	text, err := os.ReadFile("testdata/outage.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	_, all := analyze(t, Options{}, string(text))
	from := all.Input.From + 5*civil.Second
	_, some := analyze(t, Options{Since: from, Until: from + 3*civil.Second}, string(text))
	if some.Input.From < from || some.Input.To >= from+3*civil.Second || some.Totals.Outside == 0 || some.Input.Used != all.Input.Used {
		t.Errorf("%+v %+v", some.Input, some.Totals)
	}
}

func TestRefusals(t *testing.T) {
	plan := &connlog.Plan{}
	for _, o := range []Options{{Key: 9}, {Top: -2}, {Threshold: -1}, {Since: 5, Until: 4}} {
		var f *fault.Error
		if _, err := New(o, plan, connlog.Catalogue{}, Part{}); !errors.As(err, &f) || f.Code != fault.BadValue {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := New(Options{}, plan, connlog.Catalogue{}, Part{Source: -1}); err == nil {
		t.Error("a negative source is accepted")
	}
	a, _ := New(Options{}, plan, connlog.Catalogue{}, Part{Name: "x.log"})
	_ = a.Feed([]byte("garbage\nmore\n"))
	if _, err := a.Finish(); !errors.Is(err, fault.Unreadable) {
		t.Errorf("nothing readable: %v", err)
	}
	a, _ = New(Options{}, plan, connlog.Catalogue{}, Part{})
	if r, err := a.Finish(); err != nil || r.Input.Records != 0 || !json.Valid(r.AppendJSON(nil)) {
		t.Errorf("nothing at all: %v", err)
	}
	if err := a.Feed(nil); !errors.Is(err, fault.Closed) {
		t.Errorf("feed after finish: %v", err)
	}
	if _, _, err := a.Page(Query{Sort: Sort{By: "beauty"}}); !errors.Is(err, fault.BadValue) {
		t.Errorf("sort: %v", err)
	}
	if _, err := a.Client("nobody"); !errors.Is(err, fault.NotFound) {
		t.Errorf("client: %v", err)
	}
	if _, err := a.Series(0, 1<<62, 1); !errors.Is(err, fault.BadValue) {
		t.Errorf("series: %v", err)
	}
}

func TestMergeRefuses(t *testing.T) {
	plan := &connlog.Plan{}
	make := func(o Options, p Part) *Analyzer {
		a, err := New(o, plan, connlog.Catalogue{}, p)
		if err != nil {
			t.Fatal(err)
		}
		_ = a.Feed([]byte(`{"timestamp":1,"client_ip":"a","event_type":"retry"}` + "\n"))
		return a
	}
	state, err := make(Options{}, Part{Index: 1}).State()
	if err != nil {
		t.Fatal(err)
	}
	if err := make(Options{}, Part{Index: 1}).Merge(state); !errors.Is(err, fault.BadState) {
		t.Errorf("the same part: %v", err)
	}
	if err := make(Options{Key: ByConn}, Part{}).Merge(state); !errors.Is(err, fault.BadState) {
		t.Errorf("other options: %v", err)
	}
	if err := make(Options{}, Part{}).Merge(bytes.Replace(state, []byte("analysis/3"), []byte("analysis/2"), 1)); !errors.Is(err, fault.Mismatch) {
		t.Errorf("another version: %v", err)
	}
	for n := range state {
		if err := make(Options{}, Part{}).Merge(state[:n]); err == nil {
			t.Fatalf("a state cut at %d of %d is accepted", n, len(state))
		}
	}
}

// Steps of any size give the report that Finish gives at once, and questions wait for the last.
func TestStep(t *testing.T) {
	text, err := os.ReadFile("testdata/outage.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	_, want := analyze(t, Options{}, string(text))
	for _, budget := range []int{1, 17, 1000, 1 << 30} {
		a, _ := New(Options{}, sniffed(t, "test.log", text).plan, connlog.Catalogue{}, Part{Name: "test.log"})
		_ = a.Feed(text)
		steps := 0
		for again := true; again; steps++ {
			if steps > 0 {
				if _, _, err := a.Page(Query{}); !errors.Is(err, fault.BadUsage) {
					t.Fatalf("a question between steps: %v", err)
				}
				if err := a.Feed(nil); !errors.Is(err, fault.Closed) {
					t.Fatalf("feed between steps: %v", err)
				}
			}
			if again, err = a.Step(budget); err != nil {
				t.Fatal(err)
			}
		}
		r, err := a.Finish()
		if err != nil || !bytes.Equal(r.AppendJSON(nil), want.AppendJSON(nil)) || budget == 1 && int64(steps) < 2*want.Totals.Clients { // two rounds
			t.Errorf("budget %d, %d steps: %v", budget, steps, err)
		}
	}
}

// Whatever the bytes, Merge refuses them or gives an analyzer that can finish.
func FuzzMerge(f *testing.F) {
	plan := &connlog.Plan{}
	text, err := os.ReadFile("testdata/outage.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	for _, piece := range [][]byte{text, text[:len(text)/3], []byte("bad\n"), nil} {
		a, _ := New(Options{}, plan, connlog.Catalogue{}, Part{Index: 1, Name: "x"})
		_ = a.Feed(piece)
		state, err := a.State()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		a, _ := New(Options{}, plan, connlog.Catalogue{}, Part{Name: "x"})
		if a.Merge(state) != nil {
			return
		}
		if r, err := a.Finish(); err == nil && !json.Valid(r.AppendJSON(nil)) {
			t.Fatal("not valid JSON")
		}
	})
}
