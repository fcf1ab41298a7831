package jitter

import (
	"math"
	"math/rand/v2"
	"time"
)

// rule is a policy with the parameters of one simulated client, in ms.
type rule struct {
	family    Family
	base, cap float64
	m, spread float64
}

// draw makes one of the eight families with parameters as clients have them: bases 0.5–5 s, caps 10–60 s, ± 10 to 50 %.
func draw(r *rand.Rand, f Family) rule { return drawFrom(r, f, usual) }

// usual are the multipliers of most libraries, the commonest most often.
var usual = []float64{1.3, 1.5, 1.6, 2, 2, 2, 3}

// odd are multipliers that are in nobody's list.
var odd = []float64{1.35, 1.7, 1.9, 2.2, 2.7}

func drawFrom(r *rand.Rand, f Family, growth []float64) rule {
	x := rule{family: f, base: 500 + 4500*r.Float64(), cap: 10_000 + 50_000*r.Float64(), m: 1}
	switch f {
	case Exponential, Full, Equal:
		x.m = growth[r.IntN(len(growth))]
	case Proportional:
		x.m = growth[r.IntN(len(growth))]
		half := []float64{0.1, 0.2, 0.25, 0.5}[r.IntN(4)]
		x.spread = 2 * half / (1 + half)
	case Decorrelated:
		x.base = 500 + 1500*r.Float64()
	}
	return x
}

// delays is what such a client does: n waits, in ms.
func (x rule) delays(r *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	before := x.base
	for i := range list {
		k := float64(i + 1)
		c := min(x.cap, x.base*math.Pow(x.m, k-1))
		switch x.family {
		case Immediate:
			list[i] = 0
		case Fixed:
			list[i] = x.base
		case Linear:
			list[i] = min(x.cap, x.base*k)
		case Exponential:
			list[i] = c
		case Proportional: // c is the middle
			half := x.spread / (2 - x.spread)
			list[i] = c * (1 - half + 2*half*r.Float64())
		case Equal:
			list[i] = c * (0.5 + 0.5*r.Float64())
		case Full:
			list[i] = c * r.Float64()
		case Decorrelated:
			list[i] = min(x.cap, x.base+(3*before-x.base)*r.Float64())
			before = list[i]
		}
	}
	return list
}

// way is the time of packets: lognormal, median 50 ms, sigma 0.5.
func way(r *rand.Rand) float64 { return 50 * math.Exp(0.5*r.NormFloat64()) }

// seen is what a gateway's log shows of waits in ms: stamps cut to the resolution, a share of lines lost.
func seen(r *rand.Rand, waits []float64, resolution, lost float64) []Delay {
	cut := func(t float64) float64 {
		if resolution == 0 {
			return t
		}
		return math.Floor(t/resolution) * resolution
	}
	now := 1e6 * r.Float64()
	end := cut(now) // of the last attempt that the log knows
	var list []Delay
	for _, wait := range waits {
		now += wait + way(r)
		start := cut(now)
		now += way(r)
		if lost > 0 && r.Float64() < lost {
			continue
		}
		list = append(list, Delay{Wait: time.Duration((start - end) * 1e6), Attempt: int32(len(list) + 1)})
		end = cut(now)
	}
	return list
}
