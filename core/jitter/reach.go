package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// margin is more than what rounding does to a sum of logarithms as a fit has them: a bound that is less than a likelihood by
// more than this is less in truth.
const margin = 1e-3

// away takes a distance of network in hand: the delays without its mean, and bounds of their likelihoods. A delay that is off
// a law's wait by more than a ring is at most as likely as one upon the ring, so that a few comparisons tell what the
// square roots and the logarithm of line cannot exceed.
func (s *sample) away(level int) {
	if s.hand == level+1 {
		return
	}
	s.hand = level + 1
	e := &s.noise[level]
	for i, d := range s.d {
		s.net[i] = d - e.mu
	}
	s.rings = [3]float64{2 * e.sigma, 8 * e.sigma, 40 * e.sigma}
	if e.half > 0 {
		s.rings = [3]float64{e.half / 2, e.half, 4 * e.half}
	}
	most := [4]float64{e.pdf(0), e.pdf(s.rings[0]), e.pdf(s.rings[1]), e.pdf(s.rings[2])}
	for i, f := range s.floor {
		for k, density := range most {
			s.bounds[i][k] = above(float64(s.keep*density) + f)
		}
	}
}

// above is a little more than Log of an ordinary positive number, by less than 0.02: the exponent, and a parabola that is at most
// 0.0098 below the binary logarithm between two powers of two.
func above(x float64) float64 {
	b := math.Float64bits(x)
	e := int(b>>52) - 1023
	if e <= -1023 || e > 1023 {
		return stat.Log(x)
	}
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	return math.Ln2 * (float64(e) + float64((2-m/3)*m) - 5.0/3 + 0.0098)
}

// negative is all ones for a number below 0, else 0: with it a choice that nobody can foresee is made without a branch.
func negative(x float64) uint64 { return uint64(int64(math.Float64bits(x)) >> 63) }
