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
	low = max(low, max(100, e.half/4))         // nobody chooses less, and everything would fit
	if high < max(s.least, float64(1.5*low)) { // no room between base and cap
		return
	}
	limit, at := s.atom(high)
	for _, share := range [...]float64{1, 0.95, 0.87, 0.75} {
		base := float64(low * share)
		// The base is known the better, the more waits could have been as short as it.
		near := 1.0
		for i := range s.d {
			if b := s.before[i] - e.mu; b > base {
				near += base / (float64(3*b) - base)
			} else {
				near += 0.5
			}
		}
		cost := stat.Log(float64(logRange * near))
		free, capped := s.chain(e, base, limit)
		t.offer(Decorrelated, fit{log: free - cost, base: base, m: 3, spread: 1 - base/high})
		t.offer(Decorrelated, fit{
			log:  capped - cost + pointCost(limit, max(e.sigma, e.half/2), float64(at), 3),
			base: base, m: 3, top: limit, mostly: at*10 >= 7*n, spread: 1 - base/high,
		})
	}
}

// chain is ln of the density of the delays under U(base, 3 · before) without a cap and with one. Most delays are those of
// either, so both are told in one walk.
func (s *sample) chain(e *kernel, base, limit float64) (free, capped float64) {
	var p, q product
	for i, d := range s.d {
		before := s.before[i] - e.mu
		if s.k[i] == 1 || before < base {
			before = base
		}
		if s.k[i] > 1 && s.before[i] < 0 { // not known: anything up to the cap
			x := 1 / (logRange * (max(d, 0) + 100))
			p.times(x)
			q.times(x)
			continue
		}
		hi := float64(3 * before)
		x := float64(s.keep*e.flat(d, base, hi)) + s.floor[i]
		p.times(x)
		if hi > limit {
			over := (hi - limit) / (hi - base)
			density := float64((1-over)*e.flat(d, base, limit)) + float64(over*e.pdf(d-limit-e.mu))
			x = float64(s.keep*density) + s.floor[i]
		}
		q.times(x)
	}
	return p.log(), q.log()
}

// atom is the mean of the waits next to the longest, and how many they are.
func (s *sample) atom(longest float64) (wait float64, n int) {
	e := &s.noise[0]
	sum := 0.0
	for _, d := range s.d {
		if d-e.mu > longest-4*max(e.sigma, e.half/4) {
			sum += d - e.mu
			n++
		}
	}
	return sum / float64(n), n
}
