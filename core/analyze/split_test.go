package analyze

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

var splits = flag.Int("splits", 300, "how many random splits to try")

// randomLog writes a log of the base form, NDJSON or one array, with everything that can go wrong in it.
func randomLog(r *rand.Rand, lines int) []byte {
	array := r.IntN(3) == 0
	now := civil.Days(2026, 11, 30) * civil.Day
	var b []byte
	if array {
		b = append(b, '[')
	}
	hot := r.IntN(3) == 0
	kinds := []string{"connect", "retry", "retry", "retry", "disconnect", "disconnect", "connect", "connect", "open"}
	for i := range lines {
		if array && i > 0 {
			b = append(b, ',')
		}
		if !array {
			switch r.IntN(30) {
			case 0:
				b = append(b, "this is no JSON\n"...)
				continue
			case 1:
				b = append(b, "[1,2]\n"...)
				continue
			case 2:
				b = append(b, "\r\n"...)
			}
		}
		now += r.Int64N(3 * civil.Second)
		client := r.IntN(1 + lines/15)
		if hot && r.IntN(2) == 0 {
			client = 0
		}
		b = append(b, '{')
		b = jsonwrite.Time(jsonwrite.Key(b, "timestamp"), now-r.Int64N(2*civil.Second), []int64{civil.Millisecond, civil.Second}[r.IntN(2)])
		b = jsonwrite.String(jsonwrite.Key(b, "client_ip"), fmt.Sprintf([]string{"192.0.2.%d", "2001:db8::%d", "host-%d"}[client%3], client))
		b = jsonwrite.String(jsonwrite.Key(b, "event_type"), kinds[r.IntN(len(kinds))])
		switch r.IntN(12) {
		case 0:
			b = jsonwrite.Int(jsonwrite.Key(b, "retry_interval_ms"), r.Int64N(30_000))
		case 1:
			b = jsonwrite.String(jsonwrite.Key(b, "outcome"), []string{"ok", "refused", "aborted"}[r.IntN(3)])
		case 2:
			b = jsonwrite.String(jsonwrite.Key(b, "id"), fmt.Sprint("req-", r.IntN(lines)))
		case 3:
			b = jsonwrite.String(jsonwrite.Key(b, "conn"), fmt.Sprint("conn-", r.IntN(lines)))
		case 4:
			b = jsonwrite.Int(jsonwrite.Key(b, "count"), r.Int64N(4))
		case 5:
			b = jsonwrite.String(jsonwrite.Key(b, "user_agent"), fmt.Sprint("sdk/", r.IntN(3)))
		case 6:
			b = jsonwrite.Int(jsonwrite.Key(b, "duration_ms"), r.Int64N(100_000))
		}
		b = append(b, '}')
		if !array {
			b = append(b, '\n')
		}
	}
	if array {
		b = append(b, "]\n"...)
	}
	if r.IntN(8) == 0 && len(b) > 0 { // cut short
		b = b[:r.IntN(len(b))]
	}
	return b
}

// everything prints all that an analyzer can be asked.
func everything(a *Analyzer) []byte {
	for again := true; again; { // in small steps, which must not matter
		var err error
		if again, err = a.Step(50); err != nil {
			return []byte(err.Error())
		}
	}
	rep, err := a.Finish()
	if err != nil {
		return []byte(err.Error())
	}
	b := rep.AppendJSON(nil)
	for _, by := range []string{"", "peak", "first"} {
		rows, total, err := a.Page(Query{Sort: Sort{By: by, Ascending: by == "peak"}, N: 1000})
		if err != nil {
			return []byte(err.Error())
		}
		b = fmt.Appendf(b, "\n%s %d ", by, total)
		for i := range rows {
			b = rows[i].AppendJSON(b)
		}
	}
	if rep.Arrivals.Bin > 0 {
		s, err := a.Series(rep.Input.From, rep.Input.To+1, rep.Arrivals.Bin)
		if err != nil {
			return append(b, err.Error()...)
		}
		b = s.AppendJSON(append(b, '\n'))
	}
	return b
}

// every is all that can be read.
var every = connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}

// input is one source of a test.
type input struct {
	name string
	text []byte
	plan *connlog.Plan
}

// merged reads sources without splitting them and makes one of all.
func merged(t *testing.T, o Options, inputs []input) (first *Analyzer) {
	t.Helper()
	for i, in := range inputs {
		a, err := New(o, in.plan, every, Part{Source: i, Name: in.name})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Feed(in.text); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = a
			continue
		}
		state, err := a.State()
		if err == nil {
			err = first.Merge(state)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return first
}

// whole is everything about sources that were not split.
func whole(t *testing.T, o Options, inputs []input) []byte {
	t.Helper()
	return everything(merged(t, o, inputs))
}

// inParts analyzes sources cut anywhere, fed in pieces of any size, merged in any order.
func inParts(t *testing.T, r *rand.Rand, o Options, inputs []input) []byte {
	t.Helper()
	var list []*Analyzer
	for i, in := range inputs {
		cuts := []int{0, len(in.text)}
		for range r.IntN(6) {
			at := connlog.Boundary(in.plan, in.text, r.IntN(len(in.text)+1))
			cuts = append(cuts, at)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		if len(cuts) == 1 { // an empty input is one empty part
			cuts = append(cuts, 0)
		}
		for part := range len(cuts) - 1 {
			a, err := New(o, in.plan, every, Part{Source: i, Index: part, Name: in.name})
			if err != nil {
				t.Fatal(err)
			}
			for piece := in.text[cuts[part]:cuts[part+1]]; len(piece) > 0; {
				n := min(1+r.IntN(400), len(piece))
				if err := a.Feed(bytes.Clone(piece[:n])); err != nil {
					t.Fatal(err)
				}
				piece = piece[n:]
			}
			list = append(list, a)
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for len(list) > 1 {
		i := r.IntN(len(list) - 1)
		if r.IntN(2) == 0 {
			if err := list[i].Absorb(list[i+1]); err != nil {
				t.Fatal(err)
			}
		} else if state, err := list[i+1].State(); err != nil {
			t.Fatal(err)
		} else if err := list[i].Merge(state); err != nil {
			t.Fatal(err)
		}
		list = slices.Delete(list, i+1, i+2)
	}
	list[0].Share(1+r.IntN(4), atOnce)
	return everything(list[0])
}

// atOnce runs do for every number below n in goroutines.
func atOnce(n int, do func(k int)) {
	var all sync.WaitGroup
	for k := range n {
		all.Go(func() { do(k) })
	}
	all.Wait()
}

func sniffed(t *testing.T, name string, text []byte) input {
	t.Helper()
	plan, err := connlog.Sniff(every, text, connlog.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return input{name, text, plan}
}

// corpusLogs are the logs of the corpus, cut, as logs are.
func corpusLogs(t *testing.T) (corpus []input) {
	t.Helper()
	for _, glob := range []string{"compat/*.json", "logs/*.*", "storms/*.log"} {
		files, _ := filepath.Glob("../../testdata/" + glob)
		for _, f := range files {
			if strings.HasSuffix(f, ".md") || strings.HasSuffix(f, ".events") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			corpus = append(corpus, sniffed(t, f, text[:min(len(text), 30_000)]))
		}
	}
	if len(corpus) < 50 {
		t.Fatalf("the corpus has %d logs", len(corpus))
	}
	return corpus
}

// Any split of any input, merged in any order and judged by any number at a time, gives the same bytes as the whole.
func TestSplitsGiveTheSameReport(t *testing.T) {
	seed, splits := rand.Uint64(), *splits
	if testing.Short() {
		splits /= 5
	}
	t.Logf("seed %d, %d splits", seed, splits)
	r := rand.New(rand.NewPCG(seed, 1))
	corpus := corpusLogs(t)
	for n := 0; n < splits; {
		var inputs []input
		for i := range 1 + r.IntN(3) {
			if len(corpus) > 0 && r.IntN(3) == 0 {
				inputs = append(inputs, corpus[r.IntN(len(corpus))])
				continue
			}
			inputs = append(inputs, sniffed(t, fmt.Sprint("log", i), randomLog(r, r.IntN(120))))
		}
		if r.IntN(4) == 0 { // a gateway and what stands behind it
			list := fleetOf(r, 2+r.IntN(8), 10*time.Minute, true)
			list = list[:min(len(list), 80)]
			inputs = append(inputs, sniffed(t, "edge", edgeLog(list, func(int) string { return "" })),
				sniffed(t, "app", appLog(list, func(v visit) string { return fmt.Sprintf("192.0.2.%d:%d", 1+v.client%(1+r.IntN(9)), r.IntN(2)) })))
		}
		o := Options{Key: Key(r.IntN(4)), Top: -1}
		want := whole(t, o, inputs)
		for range 10 {
			if got := inParts(t, r, o, inputs); !bytes.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				from := max(at-300, 0)
				t.Fatalf("seed %d: the parts give another report from byte %d\nwhole: %s\nparts: %s", seed, at,
					want[from:min(at+200, len(want))], got[from:min(at+200, len(got))])
			}
			n++
		}
	}
}
