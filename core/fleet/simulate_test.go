package fleet

import (
	"math"
	"math/rand/v2"
)

const day0 = 1_790_000_000 * second // some Monday

// swing adds independent events at a rate (per second) that swings by half over a day, cut to a resolution.
func swing(r *rand.Rand, c *Counts, from, to int64, rate float64, resolution int64) {
	peak := 1.5 * rate
	for t := from; ; {
		t += int64(r.ExpFloat64() / peak * float64(second))
		if t >= to {
			return
		}
		now := rate * (1 + 0.5*math.Sin(2*math.Pi*float64(t)/float64(86400*second)))
		if r.Float64()*peak < now {
			c.Add(floorDiv(t, resolution)*resolution, 1)
		}
	}
}

// herd adds clients that were cut off at one instant and try n times each by a rule; a tenth of the lines are lost.
func herd(r *rand.Rand, c *Counts, at int64, clients, n int, resolution int64, wait func(r *rand.Rand, attempt int) float64) {
	for range clients {
		t := float64(at) / 1e6
		for k := range n {
			t += wait(r, k+1) + 50*math.Exp(0.5*r.NormFloat64())
			if r.Float64() >= 0.1 {
				c.Add(floorDiv(int64(t*1e6), resolution)*resolution, 1)
			}
			t += 50 * math.Exp(0.5*r.NormFloat64())
		}
	}
}

func ceiling(k int) float64 { return math.Min(30_000, 1000*math.Pow(2, float64(k-1))) }

// rules are waits in ms.
var rules = []struct {
	name string
	wait func(r *rand.Rand, k int) float64
}{
	{"fixed 5 s", func(r *rand.Rand, k int) float64 { return 5000 }},
	{"exponential", func(r *rand.Rand, k int) float64 { return ceiling(k) }},
	{"fixed 5 s ± 10 %", func(r *rand.Rand, k int) float64 { return 5000 * (0.9 + 0.2*r.Float64()) }},
	{"1.6 to 120 s ± 20 %", func(r *rand.Rand, k int) float64 {
		return math.Min(120_000, 1000*math.Pow(1.6, float64(k-1))) * (0.8 + 0.4*r.Float64())
	}},
	{"equal", func(r *rand.Rand, k int) float64 { return ceiling(k) * (0.5 + 0.5*r.Float64()) }},
	{"full", func(r *rand.Rand, k int) float64 { return ceiling(k) * r.Float64() }},
}
