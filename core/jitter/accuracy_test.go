package jitter

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var full = flag.Bool("accuracy", false, "run the whole accuracy tables (./build.sh bench accuracy)")

var eight = []Family{Immediate, Fixed, Linear, Exponential, Proportional, Equal, Full, Decorrelated}

// score is one cell of the accuracy table.
type score struct {
	runs, right, merged       int
	locked, lockedAsJittered  int
	jittered, jitteredAsOther int // jittered clients, and those of them called locked
	undecided                 int
	errors                    map[[2]Family]int
}

func cell(seed uint64, runs, n int, resolution, lost float64, multipliers []float64) score {
	c := score{errors: map[[2]Family]int{}}
	for _, f := range eight {
		for i := range runs {
			r := rand.New(rand.NewPCG(seed, uint64(f)<<32+uint64(i)))
			x := drawFrom(r, f, multipliers)
			length := n
			if lost > 0 {
				length = int(float64(n)/(1-lost)) + 1
			}
			list := seen(r, x.delays(r, length), resolution, lost)
			list = list[:min(n, len(list))]
			v := Fit(list, Options{Resolution: time.Duration(resolution * 1e6), Lossy: lost > 0})
			c.add(f, v)
		}
	}
	return c
}

func (c *score) add(f Family, v Verdict) {
	c.runs++
	got := v.Family
	if v.Kind == Undecided {
		got = Unknown
		c.undecided++
	}
	merge := func(f Family) Family {
		if f == Equal {
			return Proportional
		}
		return f
	}
	if got == f {
		c.right++
	} else {
		c.errors[[2]Family{f, got}]++
	}
	if merge(got) == merge(f) {
		c.merged++
	}
	if f.kind() == Locked {
		c.locked++
		if v.Kind == Jittered {
			c.lockedAsJittered++
		}
	} else {
		c.jittered++
		if v.Kind == Locked {
			c.jitteredAsOther++
		}
	}
}

func (c *score) String() string {
	p := func(a, b int) float64 { return float64(a) / float64(b) }
	return fmt.Sprintf("right %.3f  merged %.3f  undecided %.3f  locked→jittered %.4f  jittered→locked %.4f",
		p(c.right, c.runs), p(c.merged, c.runs), p(c.undecided, c.runs), p(c.lockedAsJittered, c.locked), p(c.jitteredAsOther, c.jittered))
}

func TestAccuracy(t *testing.T) {
	const seed = 20261130
	runs := 40
	if *full {
		runs = 1000
	}
	t.Logf("seed %d, %d clients of each of 8 families in a row; undecided counts as wrong", seed, runs)
	for _, c := range []struct {
		n                int
		stamps, lost     float64
		right, merged    float64 // at least, in the whole run
		lockedAsJittered float64 // at most
		jitteredAsLocked float64
	}{
		{5, 1, 0, 0.6, 0.7, 0.005, 0.01},
		{10, 1, 0, 0.88, 0.96, 0.005, 0.005},
		{20, 1, 0, 0.96, 0.98, 0.005, 0.005},
		{50, 1, 0, 0.98, 0.99, 0.005, 0.005},
		{5, 1000, 0, 0, 0, 0, 0},
		{10, 1000, 0, 0.80, 0.85, 0.005, 0.05},
		{20, 1000, 0, 0.94, 0.96, 0.005, 0.005},
		{50, 1000, 0, 0.97, 0.98, 0.005, 0.005},
		{10, 1, 0.1, 0.2, 0.2, 0.02, 0.01},
		{20, 1, 0.1, 0.4, 0.5, 0.02, 0.01},
		{50, 1, 0.1, 0.5, 0.5, 0.02, 0.01},
	} {
		got := cell(seed, runs, c.n, c.stamps, c.lost, usual)
		t.Logf("%2d waits, stamps %4.0f ms, %2.0f %% of lines lost: %v", c.n, c.stamps, 100*c.lost, &got)
		if *full && c.n == 10 && c.lost == 0 {
			for _, a := range eight {
				for b := Unknown; b < families; b++ {
					if k := got.errors[[2]Family{a, b}]; k > 0 {
						t.Logf("   %v read as %v: %d", a, b, k)
					}
				}
			}
		}
		slack := 0.0 // the short run's own error: three standard deviations
		if !*full {
			slack = 0.05
		}
		p := func(a, b int) float64 { return float64(a) / float64(b) }
		if p(got.right, got.runs) < c.right-slack || p(got.merged, got.runs) < c.merged-slack {
			t.Errorf("too few right")
		}
		if p(got.lockedAsJittered, got.locked) > c.lockedAsJittered+slack/5 || p(got.jitteredAsOther, got.jittered) > c.jitteredAsLocked+slack/5 {
			t.Errorf("too many confident mistakes")
		}
	}
	for _, n := range []int{10, 20} {
		got := cell(seed, runs, n, 1, 0, odd)
		t.Logf("%2d waits, stamps    1 ms, multipliers that are in no list (1.35, 1.7, 1.9, 2.2, 2.7): %v", n, &got)
		if got.lockedAsJittered*100 > got.locked || got.jitteredAsOther*100 > got.jittered {
			t.Errorf("too many confident mistakes")
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, f := range []Family{Exponential, Full} {
		for _, n := range []int{6, 10, 50} {
			r := rand.New(rand.NewPCG(1, 1))
			list := seen(r, draw(r, f).delays(r, n), 1, 0)
			b.Run(fmt.Sprint(f, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Fit(list, Options{Resolution: time.Millisecond})
				}
			})
		}
	}
}
