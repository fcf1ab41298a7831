package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// decorrelated tries min(cap, U(base, 3 · before)), where before is the wait before, or the base at first. Every wait is
// at least the base, and a share of them lies exactly at the cap.
func (s *sample) decorrelated(t *table) {
	n := len(s.d)
	if n < 3 {
		return
	}
	e := &s.noise[0]
	low, high := math.Inf(1), 0.0
	for _, d := range s.d {
		low, high = min(low, d-e.mu), max(high, d-e.mu)
	}
	low = max(low, max(20, e.half/4)) // nobody chooses less, and everything would fit
	atom, at := 0.0, 0.0              // the waits at the cap: those next to the longest
	for _, d := range s.d {
		if d-e.mu > high-4*max(e.sigma, e.half/4) {
			atom += d - e.mu
			at++
		}
	}
	limit := atom / at
	for _, share := range [...]float64{1, 0.95, 0.87, 0.75} {
		base := float64(low * share)
		// The base is known the better, the more waits could have been as short as it.
		near := 1.0
		for i := range s.d {
			if b := s.before[i] - e.mu; b > base {
				near += base / float64(3*b-base)
			} else {
				near += 0.5
			}
		}
		cost := stat.Log(float64(logRange * near))
		t.offer(Decorrelated, fit{log: s.chain(e, base, math.Inf(1)) - cost - 0.7, base: base, m: 3, spread: 1 - base/high})
		t.offer(Decorrelated, fit{
			log:  s.chain(e, base, limit) - cost - 0.7 + pointCost(limit, max(e.sigma, e.half/2), at, 3),
			base: base, m: 3, top: limit, spread: 1 - base/high,
		})
	}
}

func (s *sample) chain(e *kernel, base, limit float64) float64 {
	var p product
	for i, d := range s.d {
		before := s.before[i] - e.mu
		if s.k[i] == 1 || before < base {
			before = base
		}
		if s.k[i] > 1 && s.before[i] < 0 { // not known: anything up to the cap
			p.times(1 / (logRange * (max(d, 0) + 100)))
			continue
		}
		hi := 3 * before
		density := 0.0
		if hi <= limit {
			density = e.flat(d, base, hi)
		} else {
			capped := (hi - limit) / (hi - base)
			density = float64((1-capped)*e.flat(d, base, limit)) + float64(capped*e.pdf(d-limit-e.mu))
		}
		p.times(float64(s.keep*density) + s.floor[i])
	}
	return p.log()
}
