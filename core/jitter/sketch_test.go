package jitter

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestPooled is the table of groups: M clients with n waits each, one rule for all of a group.
func TestPooled(t *testing.T) {
	const seed = 20261130
	runs := 8
	if *full {
		runs = 100
	}
	for _, c := range []struct{ clients, n int }{{10, 3}, {10, 5}, {30, 3}, {30, 5}, {100, 3}, {100, 10}} {
		for _, resolution := range []float64{1, 1000} {
			var right, all, locked, lockedWrong, jittered, jitteredWrong, undecided int
			for _, f := range []Family{Fixed, Exponential, Proportional, Equal, Full, Decorrelated} {
				for i := range runs {
					r := rand.New(rand.NewPCG(seed, uint64(f)<<32+uint64(i)))
					x := draw(r, f)
					var s Sketch
					for k := range c.clients {
						s.Add(uint64(k)*0x9e3779b97f4a7c15, seen(r, x.delays(r, c.n), resolution, 0))
					}
					v := s.Verdict(Options{Resolution: time.Duration(resolution * 1e6)})
					all++
					switch {
					case v.Kind == f.kind():
						right++
					case v.Kind == Undecided:
						undecided++
					}
					if f.kind() == Locked {
						locked++
						if v.Kind == Jittered {
							lockedWrong++
						}
					} else {
						jittered++
						if v.Kind == Locked {
							jitteredWrong++
						}
					}
				}
			}
			t.Logf("%3d clients x %2d waits, stamps %4.0f ms: right %d of %d, undecided %d, locked→jittered %d of %d, jittered→locked %d of %d",
				c.clients, c.n, resolution, right, all, undecided, lockedWrong, locked, jitteredWrong, jittered)
			if resolution == 1 && (lockedWrong > 0 || jitteredWrong*50 > jittered || right*20 < all*19) {
				t.Errorf("a group of %d was judged wrong", c.clients)
			}
		}
	}
}

// A tenth of the lines lost shifts the attempts of what follows; a locked fleet must not become a jittered one.
func TestPooledWithLosses(t *testing.T) {
	wrong, undecided, all := 0, 0, 0
	for _, f := range []Family{Fixed, Linear, Exponential} {
		for i := range 20 {
			r := rand.New(rand.NewPCG(9, uint64(f)<<32+uint64(i)))
			x := draw(r, f)
			var s Sketch
			for k := range 30 {
				s.Add(uint64(k)*0x9e3779b97f4a7c15, seen(r, x.delays(r, 5), 1, 0.1))
			}
			all++
			switch s.Verdict(Options{Resolution: time.Millisecond, Lossy: true}).Kind {
			case Jittered:
				wrong++
			case Undecided:
				undecided++
			}
		}
	}
	t.Logf("seed 9: of %d locked groups with a tenth of lines lost, %d called jittered, %d undecided", all, wrong, undecided)
	if wrong > all/10 {
		t.Errorf("%d of %d locked groups called jittered", wrong, all)
	}
}

func TestSketchMerges(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var whole Sketch
	parts := make([]Sketch, 3)
	for range 500 {
		number, list := r.Uint64(), seen(r, draw(r, Full).delays(r, 1+r.IntN(30)), 1, 0)
		whole.Add(number, list)
		parts[r.IntN(3)].Add(number, list)
	}
	parts[2].Merge(&parts[0])
	parts[2].Merge(&parts[1])
	if !reflect.DeepEqual(parts[2], whole) {
		t.Error("the merged sketch differs from the whole")
	}
}
