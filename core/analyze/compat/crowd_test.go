//go:build !wasm

package compat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/timeline"
)

type locks [Tables]sync.Mutex

func (l *locks) Lock(k int)   { l[k].Lock() }
func (l *locks) Unlock(k int) { l[k].Unlock() }

// Several that count very many clients in a crowd (as the module never does, which has one thread), at once and each some of the parts, give the report that one gives that
// reads the parts in their order: with long keys, intervals beyond the entry, records that the fast lane leaves, a part of
// one accumulator that never has many, and a state that is merged in the end.
func TestCrowd(t *testing.T) {
	const seed, parts, readers = 8, 12, 3
	rng := rand.New(rand.NewPCG(seed, 0))
	var texts [parts]string
	for i := range texts {
		var b strings.Builder
		for range 13_000 {
			n := rng.IntN(3 * spillFrom)
			key := fmt.Sprint("10.", n>>16, ".", n>>8&255, ".", n&255)
			if n%5 == 0 {
				key = fmt.Sprint("2001:db8:0:0:0:0:0:", n)
			}
			interval := "null"
			switch {
			case n%101 == 0:
				interval = fmt.Sprint(rng.Int64() >> rng.IntN(40))
			case n%3 > 0:
				interval = fmt.Sprint(rng.IntN(5000))
			}
			if rng.IntN(200) == 0 {
				interval = `"` + fmt.Sprint(rng.IntN(100)) + `"` // no number: a shape that is learned late
			}
			fmt.Fprintf(&b, `{"timestamp":"2026-01-01T00:00:%02dZ","client_ip":%q,"event_type":"retry","retry_interval_ms":%s}`+"\n", rng.IntN(60), key, interval)
		}
		texts[i] = b.String()
	}
	begin := func(i int) *Accumulator {
		a, err := New(Options{Threshold: 3, Seed: seed}, timeline.Part{Index: uint32(i)}, connlog.Lines)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	report := func(a *Accumulator) string {
		r, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return string(r.AppendJSON(nil))
	}
	each := func(n int, do func(k int)) {
		var all sync.WaitGroup
		for k := range n {
			all.Go(func() { do(k) })
		}
		all.Wait()
	}
	one := begin(0)
	for i, text := range texts {
		if i > 0 {
			one.Begin(timeline.Part{Index: uint32(i)}, connlog.Lines)
		}
		one.Feed([]byte(text))
	}
	want := report(one)
	for _, order := range [][readers][]int{ // who reads which
		{{0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8}},
		{{0}, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10}},
	} {
		crowd := NewCrowd(new(locks))
		var all [readers]*Accumulator
		each(readers, func(k int) {
			for n, i := range order[k] {
				if n == 0 {
					all[k] = begin(i)
					all[k].Join(crowd)
				} else {
					all[k].Begin(timeline.Part{Index: uint32(i)}, connlog.Lines)
				}
				all[k].Feed([]byte(texts[i]))
			}
		})
		if !crowd.used {
			t.Fatal("nobody had many clients: no test")
		}
		whole := all[0]
		for _, a := range all[1:] {
			whole.End()
			a.End()
			each(readers, func(k int) { whole.Share(a, k, readers) })
			if err := whole.Absorb(a); err != nil {
				t.Fatal(err)
			}
		}
		last := begin(parts - 1)
		last.Feed([]byte(texts[parts-1]))
		again := begin(parts - 1)
		again.Feed([]byte(texts[parts-1]))
		if err := again.Merge(whole.State()); err != nil {
			t.Fatal(err)
		}
		if got := report(again); got != want {
			t.Fatalf("seed %d: the reports of the state differ: %d and %d bytes", seed, len(got), len(want))
		}
		if err := whole.Merge(last.State()); err != nil {
			t.Fatal(err)
		}
		whole.Workers(readers, each)
		if got := report(whole); got != want {
			t.Fatalf("seed %d: the reports differ: %d and %d bytes", seed, len(got), len(want))
		}
	}
}
