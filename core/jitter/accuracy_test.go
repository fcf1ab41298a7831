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

func cell(seed uint64, runs, n int, resolution, lost float64) score {
	c := score{errors: map[[2]Family]int{}}
	for _, f := range eight {
		for i := range runs {
			r := rand.New(rand.NewPCG(seed, uint64(f)<<32+uint64(i)))
			x := draw(r, f)
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
	runs := 200
	if *full {
		runs = 1000
	}
	for _, n := range []int{5, 10, 20, 50} {
		for _, resolution := range []float64{1, 1000} {
			c := cell(seed, runs, n, resolution, 0)
			t.Logf("n %2d  stamps %4.0f ms  %v", n, resolution, &c)
			if n >= 10 {
				for k, v := range c.errors {
					t.Logf("   %v read as %v: %d", k[0], k[1], v)
				}
			}
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
