package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// story reads "SECONDS WORD [key=value]…" lines: open, refused, retry, close.
func story(t *testing.T, text string) (*Table, []Moment) {
	table := New(Part{}, 0)
	var b connlog.Batch
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		var seconds float64
		fmt.Sscan(f[0], &seconds)
		e := at(connlog.Attempt, connlog.OK, int64(seconds*1000))
		e.Record = int64(n)
		switch f[1] {
		case "open":
		case "refused":
			e.Outcome = connlog.Refused
		case "retry":
			e.Outcome = connlog.OutcomeUnknown
		case "close":
			e.Kind, e.Outcome = connlog.Close, connlog.OutcomeUnknown
		default:
			t.Fatalf("no such word: %s", line)
		}
		x := told{key: "c", e: e}
		for _, kv := range f[2:] {
			key, value, _ := strings.Cut(kv, "=")
			var v float64
			fmt.Sscan(value, &v)
			switch key {
			case "life", "took":
				x.e.Duration = int64(v * 1e9)
			case "wait":
				x.e.Interval = int64(v * 1e9)
			case "late":
				x.e.LateBy = int64(v * 1e9)
			case "conn":
				x.texts[0] = value
			case "record":
				x.e.Record = int64(v)
			}
		}
		x.add(table, &b)
	}
	table.Freeze(nil)
	i, _ := table.Find([]byte("c"))
	return table, table.History(i, nil, new([]byte))
}

func TestTrace(t *testing.T) {
	for _, c := range []struct{ name, story, want string }{
		{"doubling", "0 open\n300 close\n301 refused\n303 refused\n307.1 open", "lives 300 ? · waits 1#1 2#2 4.1#3 · open 1 most 1 parallel 0"},
		{"stated intervals", "0 retry wait=1\n1 retry wait=2\n3 open", "lives ? · waits 1#1! 2#2! · open 1 most 1 parallel 0"},
		{"the log begins in a session", "5 close life=60\n6 open", "lives 60 ? · waits 1#1 · open 1 most 1 parallel 0"},
		{"a slow failure is waited from its end", "0 close\n1 refused took=3\n9 open", "lives ? ? · waits 1#1 5#2 · open 1 most 1 parallel 0"},
		{"written at close: one record, two events", "0 open record=0\n60 close record=0 life=60\n61 open record=1\n90 close record=1 life=29", "lives 60 29 · waits 1#1 · open 0 most 1 parallel 0"},
		{"two tabs in step", "0 open conn=a\n1 open conn=b\n100 close conn=a\n100.1 close conn=b\n105 refused\n105.1 refused\n110 refused\n110.1 open conn=c", "lives 100 99.1 ? · waits 5#1 5#1 5#2 5#2 · open 1 most 2 parallel 1"},
		{"two tabs without ids: whose life is unsure", "0 open\n1 open\n100 close\n101 close", "lives ? 100 · waits · open 0 most 2 parallel 1"},
		{"an old departure does not become a wait of hours", "0 open\n0 open\n10 close\n20000 close\n20001 open", "lives ? 20000 ? · waits 1#1 · open 1 most 2 parallel 1"},
		{"a long sleep is a wait", "0 open\n10 close\n4000 open", "lives 10 ? · waits 3990#1 · open 1 most 1 parallel 0"},
		{"the gateway closes late", "0 open\n10 close late=2\n10.2 open", "lives 10 ? · waits 0.2#1~2 · open 1 most 1 parallel 0"},
		{"two loops: an attempt beside a running one", "0 refused took=10\n1 refused took=10\n", "lives · waits · open 0 most 0 parallel 1"},
	} {
		table, history := story(t, c.story)
		var tr Trace
		table.Trace(history, &tr)
		var b strings.Builder
		b.WriteString("lives")
		for _, s := range tr.Sessions {
			if s.Life == connlog.None {
				b.WriteString(" ?")
			} else {
				fmt.Fprint(&b, " ", float64(s.Life)/1e9)
			}
		}
		b.WriteString(" · waits")
		for _, w := range tr.Waits {
			fmt.Fprintf(&b, " %v#%d", float64(w.Delay)/1e9, w.Nth)
			if w.Stated {
				b.WriteString("!")
			}
			if w.Late > 0 {
				fmt.Fprint(&b, "~", w.Late/1e9)
			}
		}
		fmt.Fprintf(&b, " · open %d most %d parallel %d", tr.Open, tr.MostOpen, tr.Parallel)
		if b.String() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, b.String(), c.want)
		}
	}
}

// Peak against the obvious count of every window.
func TestPeak(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	for range 50 {
		table := New(Part{}, 0)
		var b connlog.Batch
		for range r.IntN(200) + 1 {
			x := told{key: "c", e: at(connlog.Kind(r.IntN(2)), connlog.OK, r.Int64N(400_000))}
			x.e.Count = r.Uint32N(3)
			x.add(table, &b)
		}
		table.Freeze(nil)
		h := table.History(0, nil, new([]byte))
		var want int64
		for i := range h {
			var n int64
			for j := range h {
				if table.Signature(&h[j]).Kind == connlog.Attempt && h[j].Time >= h[i].Time && h[j].Time < h[i].Time+civil.Minute {
					n += int64(h[j].Count)
				}
			}
			want = max(want, n)
		}
		if got := table.Peak(h, civil.Minute, nil); got != want {
			t.Fatalf("seed %d: peak %d, want %d", seed, got, want)
		}
	}
}

// Bytes for an event, and the time it takes to keep one.
func BenchmarkAdd(b *testing.B) {
	for _, clients := range []int{100, 10_000} {
		for _, ids := range []bool{false, true} {
			b.Run(fmt.Sprintf("clients=%d/ids=%v", clients, ids), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				table := New(Part{}, 0)
				var batch connlog.Batch
				batch.Reset(nil)
				agent := batch.Keep([]byte("okhttp/4.12.0"))
				path := batch.Keep([]byte("/ws"))
				keys := make([][]byte, clients)
				for i := range keys {
					keys[i] = fmt.Appendf(nil, "192.0.2.%d", i)
				}
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					e := at(connlog.Attempt, connlog.OK, int64(n)*3)
					e.Record, e.UserAgent, e.Path = int64(n), agent, path
					if ids {
						e.ID = r.Uint64()
					}
					if n%3 == 0 {
						e.Outcome, e.Interval = connlog.OutcomeUnknown, (1000+r.Int64N(1000))*civil.Millisecond
					}
					table.Add(&batch, &e, keys[r.IntN(clients)])
					n++
				}
				var kept, length uint64
				for i := range table.clients {
					kept += uint64(table.clients[i].events)
					length += uint64(table.clients[i].length())
				}
				b.ReportMetric(float64(length)/float64(kept), "bytes/event")
				b.ReportMetric(float64(len(table.slab.blocks)*blockSize)/float64(kept), "heldbytes/event")
			})
		}
	}
}

// One end is taken, or left, as it would be among several.
func TestTheOnlyEndIsTakenAsOneOfSeveral(t *testing.T) {
	r := rand.New(rand.NewPCG(20261201, 1))
	for range 10_000 {
		var due []end
		if r.IntN(8) > 0 {
			due = []end{{time: r.Int64N(4 * fresh), place: r.IntN(9), nth: r.IntN(9)}}
		}
		at, blur := r.Int64N(4*fresh), []int64{0, 1e6, 1e9, 60e9}[r.IntN(4)]
		if len(due) > 0 && r.IntN(2) == 0 {
			at = due[0].time + []int64{-blur - 1, -blur, 0, fresh, fresh + 1}[r.IntN(5)]
		}
		for _, mixed := range []bool{false, true} {
			a, b := Trace{due: slices.Clone(due), mixed: mixed}, Trace{due: slices.Clone(due), mixed: mixed}
			e, ok := a.take(at, blur)
			want, wantOK := b.choose(at, blur)
			if e != want || ok != wantOK || !slices.Equal(a.due, b.due) {
				t.Fatalf("%+v at %d: %+v %v, left %v; among several %+v %v, left %v", due, at, e, ok, a.due, want, wantOK, b.due)
			}
		}
	}
}
