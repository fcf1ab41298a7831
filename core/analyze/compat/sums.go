package compat

import (
	"math"
	"math/bits"
)

// sums are a client's exact totals. Intervals are int64, so the sum needs 128 bits and the sum of squares 192 for any
// number of records that fits in a file.
type sums struct {
	total  uint64    // records
	n      uint64    // records with an interval
	hi, lo uint64    // Σx, 128 bits, two's complement
	sq     [3]uint64 // Σx², least significant first
}

func (s *sums) add(x int64) {
	s.n++
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(x), 0)
	s.hi += uint64(x>>63) + c
	m := uint64(x)
	if x < 0 {
		m = -m
	}
	h, l := bits.Mul64(m, m)
	s.square(0, h, l)
}

func (s *sums) square(w2, w1, w0 uint64) {
	var c uint64
	s.sq[0], c = bits.Add64(s.sq[0], w0, 0)
	s.sq[1], c = bits.Add64(s.sq[1], w1, c)
	s.sq[2] += w2 + c
}

// merge adds another stretch of the same client.
func (s *sums) merge(o *sums) {
	s.total += o.total
	s.n += o.n
	var c uint64
	s.lo, c = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + c
	s.square(o.sq[2], o.sq[1], o.sq[0])
}

// magnitude is |Σx|.
func (s *sums) magnitude() (hi, lo uint64, neg bool) {
	if int64(s.hi) >= 0 {
		return s.hi, s.lo, false
	}
	lo, b := bits.Sub64(0, s.lo, 0)
	hi, _ = bits.Sub64(0, s.hi, b)
	return hi, lo, true
}

// mean is Σx/n, correctly rounded to a float64; 0 without intervals.
func (s *sums) mean() float64 {
	if s.n == 0 {
		return 0
	}
	hi, lo, neg := s.magnitude()
	if hi == 0 && lo < 1<<53 && s.n < 1<<53 {
		v := float64(lo) / float64(s.n) // both exact, so the quotient is the nearest float64
		if neg {
			v = -v
		}
		return v
	}
	q1, r := hi/s.n, hi%s.n
	q0, r := bits.Div64(r, lo, s.n)
	exp := 0
	sticky := false
	switch {
	case q1 == 0 && q0 < 1<<55: // bring more of the remainder into the quotient
		k := bits.LeadingZeros64(q0 | 1)
		var f uint64
		f, r = bits.Div64(r>>(64-k), r<<k, s.n)
		q0, exp, sticky = q0<<k|f, -k, r != 0
	case q1 != 0:
		k := 64 - bits.LeadingZeros64(q1)
		sticky = r != 0 || q0<<(64-k) != 0
		q0, exp = q1<<(64-k)|q0>>k, k
	default:
		sticky = r != 0
	}
	if sticky {
		q0 |= 1 // far below the last bit of a float64, it only breaks ties
	}
	v := float64(q0) * math.Float64frombits(uint64(1023+exp)<<52)
	if neg {
		v = -v
	}
	return v
}

// jitter applies the prototype's rule: with two intervals or more, none if the mean is positive and σ/μ < 5 %, that is
// 400(nΣx² − S²) < S², in whole numbers; one interval is none; no interval counts as jitter.
func (s *sums) jitter() bool {
	switch s.n {
	case 0:
		return true
	case 1:
		return false
	}
	hi, lo, neg := s.magnitude()
	if neg || hi|lo == 0 {
		return true
	}
	// S² in four words: hi < 2⁶³.
	var s2 [4]uint64
	h, l := bits.Mul64(lo, lo)
	s2[0], s2[1] = l, h
	h, l = bits.Mul64(hi, lo) // twice, at word 1
	for range 2 {
		var c uint64
		s2[1], c = bits.Add64(s2[1], l, 0)
		s2[2], c = bits.Add64(s2[2], h, c)
		s2[3] += c
	}
	h, l = bits.Mul64(hi, hi)
	var c uint64
	s2[2], c = bits.Add64(s2[2], l, 0)
	s2[3] += h + c
	left := times([4]uint64{s.sq[0], s.sq[1], s.sq[2], 0}, s.n)
	var b uint64
	for i := range left {
		left[i], b = bits.Sub64(left[i], s2[i], b) // nΣx² ≥ S², by Cauchy and Schwarz
	}
	left = times(left, 400)
	for i := 3; i >= 0; i-- {
		if left[i] != s2[i] {
			return left[i] > s2[i]
		}
	}
	return true
}

// times multiplies in place of 256 bits; the products here stay below.
func times(a [4]uint64, m uint64) (out [4]uint64) {
	var carry uint64
	for i, w := range a {
		h, l := bits.Mul64(w, m)
		var c uint64
		out[i], c = bits.Add64(l, carry, 0)
		carry = h + c
	}
	return out
}
