package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// ladder are the places tried for a ceiling, as multiples of the largest delay; from the second largest, where the largest may
// be strange, those from firm up to far are tried.
var ladder = [...]float64{0.97, 1, 1.03, 1.08, 1.16, 1.3}

const (
	firm   = 1
	far    = 4
	likely = 2 // just above the largest delay: most often the best
)

// fewest is the number of delays below which to try a place is hardly dearer than to ask whether to.
const fewest = 6

// rungs are the logarithms of ladder.
var rungs = func() (list [len(ladder)]float64) {
	for i, x := range ladder {
		list[i] = stat.Log(x)
	}
	return list
}()

// ceiling finds the upper end for the delays from i to j that makes them likeliest, and that likelihood. The places are
// those of trial; a place that cannot be the best is not tried, see reach.
func (s *sample) ceiling(i, j int, spread int, x *growth) (log, top float64) {
	e := &s.noise[0]
	var steps []float64
	if x != nil {
		s.climb(x)
		steps = s.steps
	}
	t := trial{s: s, e: e, i: i, j: j, spread: spreads[spread].s, steps: steps, log: math.Inf(-1), place: len(ladder) + far}
	var first, second, largest = 1.0, 1.0, -1
	for a := i; a < j; a++ {
		v := s.d[a] - e.mu
		if x != nil {
			v /= steps[a]
		}
		if v > first {
			first, second, largest = v, first, a
		} else if v > second {
			second = v
		}
	}
	if t.every = j-i < fewest; !t.every {
		t.measure(spread)
	}
	logFirst := stat.Log(first)
	t.try(likely, float64(first*ladder[likely]), logFirst+rungs[likely], -1)
	for k, step := range ladder {
		if k != likely {
			t.try(k, float64(first*step), logFirst+rungs[k], largest)
		}
	}
	if j-i > 4 && first > float64(second*1.3) { // the largest may be strange
		logSecond := stat.Log(second)
		for k := firm; k < far; k++ {
			t.try(len(ladder)+k, float64(second*ladder[k]), logSecond+rungs[k], largest)
		}
	}
	return t.log, t.top
}

// trial is the search for a ceiling: what the places have in common, and the best so far.
type trial struct {
	s      *sample
	e      *kernel
	i, j   int
	spread float64
	steps  []float64 // nil where nothing grows

	flat, slant float64 // see reach
	every       bool    // too few delays to ask first

	log, top float64
	place    int // of the best: of equal ones the first in the order of the ladder
}

// measure works out what reach needs. A delay's density is at most the band's, 1/width, because the error only smears it:
//
//	Σ ln(keep/width + floor) ≤ Σ ln(keep/width) + Σ floor·width/keep        width = top · spread · step
//
// in which only top changes from place to place.
func (t *trial) measure(spread int) {
	s := t.s
	sum := 0.0
	if t.steps == nil {
		for _, f := range s.floor[t.i:t.j] {
			sum += f
		}
	} else {
		var p product
		floor := s.floor[:t.j]
		for a := t.i; a < t.j; a++ {
			p.times(t.steps[a])
			sum += float64(floor[a] * t.steps[a])
		}
		t.flat = -p.log()
	}
	t.flat += float64(float64(t.j-t.i) * (stat.Log(s.keep) - spreadLogs[spread]))
	t.slant = sum * t.spread / s.keep
}

// reach is at least what band gives for a ceiling whose logarithm is log.
func (t *trial) reach(top, log float64) float64 {
	return t.flat - float64(float64(t.j-t.i)*log) + float64(t.slant*top) + margin
}

// try takes one place: a ceiling with its logarithm, unless it cannot be better than the best so far. The largest delay, where
// one is named, may stand out of the band, which alone can rule a place out.
func (t *trial) try(place int, top, log float64, largest int) {
	if !t.every {
		reach := t.reach(top, log)
		if reach < t.log {
			return
		}
		if largest >= 0 {
			c := top
			if t.steps != nil {
				c = float64(top * t.steps[largest])
			}
			density := t.e.flat(t.s.d[largest], float64(c*(1-t.spread)), c)
			if reach+above((density+t.s.floor[largest]/t.s.keep)*c*t.spread) < t.log {
				return
			}
		}
	}
	if l := t.s.band(t.e, t.i, t.j, top, t.spread, t.steps); l > t.log || l == t.log && place < t.place && !math.IsInf(l, -1) {
		t.log, t.top, t.place = l, top, place
	}
}

// band is ln of the density of the delays from i to j under U(1 − spread, 1) · top · steps.
func (s *sample) band(e *kernel, i, j int, top, spread float64, steps []float64) float64 {
	sum := 0.0
	for i < j {
		acc := 1.0 // see line
		for stop := min(i+factors, j); i < stop; i++ {
			c := top
			if steps != nil {
				c = float64(top * steps[i])
			}
			acc = float64(acc * (float64(s.keep*e.flat(s.d[i], float64(c*(1-spread)), c)) + s.floor[i]))
		}
		sum += stat.Log(acc)
	}
	return sum
}
