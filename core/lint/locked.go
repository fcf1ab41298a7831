package lint

import (
	"slices"

	"github.com/stormlint/stormlint/core/finding"
)

const growing = 1.1 // from this geometric mean of the steps on, waits grow

func (j *judge) lockedRules() {
	e := j.e
	if e.few {
		return
	}
	if j.runs != nil && j.sharedSeed() {
		j.folded = true
		return
	}
	if j.runs != nil {
		j.resync()
	}
	if !e.locked() {
		return
	}
	j.folded = true
	widest := 0.0
	for i := range e.steps {
		widest = max(widest, e.steps[i].Arrival)
	}
	together := "clients that fall together come back within " + span(widest) + " of each other, at every attempt"
	if widest == 0 {
		together = "clients that fall together come back in the same instant, at every attempt"
	}
	id, growth := "growth-locked", e.growth()
	if growth < growing {
		id = "fixed-locked"
	}
	waits := e.waits(6)
	if id == "fixed-locked" && e.plateau() == 0 {
		waits = "the same " + span(e.first().Mean) + " each time"
	}
	j.add(id, finding.High, "every client waits "+waits+"; "+together, figure("growth", growth), millis("arrival_spread_ms", widest))
}

// sharedSeed finds runs that are alike to the resolution though what they do is no law: some wait falls, which no growth
// does.
func (j *judge) sharedSeed() bool {
	e := j.e
	if len(e.steps) < 3 || e.first().runs < 3 {
		return false
	}
	falls := false
	for i := range e.steps {
		s := &e.steps[i]
		if s.Max-s.Min > e.noise {
			return false
		}
		if i > 1 && s.Mean < 0.95*e.steps[i-1].Mean {
			falls = true
		}
	}
	if !falls {
		return false
	}
	j.add("shared-seed", finding.High, "all runs wait "+e.waits(6), count("runs", int64(e.first().runs)))
	return true
}

// resync finds arrivals that had spread and come together later.
func (j *judge) resync() {
	widest, at := 0.0, 0
	for i := range j.e.steps {
		s := &j.e.steps[i]
		if s.runs < 5 || s.runs < j.e.first().runs {
			return // runs that ended take their spread with them
		}
		if widest >= 250e6 && (s.Arrival < 20e6 || s.Arrival < widest/20) {
			j.add("resync", finding.High, "arrivals are "+span(widest)+" apart at attempt "+digits(float64(at))+" and "+span(s.Arrival)+" at attempt "+digits(float64(s.Attempt)),
				millis("widest_ms", widest), millis("arrival_spread_ms", s.Arrival), count("attempt", int64(s.Attempt)))
			return
		}
		if s.Arrival > widest {
			widest, at = s.Arrival, s.Attempt
		}
	}
}

// drawnOnce reports whether each run is one draw times a fixed sequence, up to where a cap holds it.
func drawnOnce(runs [][]float64) bool {
	if len(runs) < 3 {
		return false
	}
	largest, least := 0.0, len(runs[0])
	for _, r := range runs {
		least = min(least, len(r))
		if len(r) > 0 {
			largest = max(largest, slices.Max(r))
		}
	}
	seen := 0
	for k := 1; k < least; k++ {
		lo, hi := 0.0, 0.0
		for i, r := range runs {
			if r[0] <= 0 || r[k] >= 0.999*largest {
				return seen >= 2
			}
			ratio := r[k] / r[0]
			if i == 0 {
				lo, hi = ratio, ratio
			}
			lo, hi = min(lo, ratio), max(hi, ratio)
		}
		if hi > 1.02*lo {
			return false
		}
		seen++
	}
	return seen >= 2
}
