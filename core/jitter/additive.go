package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// leastShare leaves out shapes that nobody adds a constant jitter to.
const leastShare = -2.8

// additive tries c + U(0, w) with the same w at every attempt and a ceiling c that grows: the jitter that disappears
// against long waits. Closed form: c is the smallest d/g, w the largest rest.
func (s *sample) additive(t *table) {
	n := len(s.d)
	if s.last < 2 || n < 5 {
		return
	}
	e := &s.noise[0]
	best, bestLog := candidate{shape: -1}, math.Inf(-1)
	for g := range growths {
		x := &growths[g]
		if x.drawn < leastShare {
			continue
		}
		for k := 2; k <= min(s.last, x.last); k++ {
			p := s.cut[k]
			if k == s.last {
				p = n
			} else if p == s.cut[k-1] || p == n {
				continue
			}
			base, top, width := s.sill(x, p)
			if p < n && (top > float64(base*x.g[k+1]*1.1) || float64(top*1.1) < float64(base*x.g[k])) || base < 5 {
				continue
			}
			if log := x.drawn - float64(float64(n)*stat.Log(width+2*e.sigma)); log > bestLog {
				bestLog, best = log, candidate{shape: g, step: k}
			}
		}
	}
	if best.shape < 0 {
		return
	}
	x := &growths[best.shape]
	p := s.cut[best.step]
	if best.step == s.last {
		p = n
	}
	base, top, width := s.sill(x, p)
	for _, more := range [...]float64{1, 1.1, 1.25} {
		w := max(float64(width*more), s.narrow)
		f := fit{base: base, m: x.m, width: w}
		var q product
		for i, d := range s.d {
			c := top
			if i < p {
				c = float64(base * x.g[s.index[i]])
			}
			q.times(float64(s.keep*e.flat(d, c, c+w)) + s.floor[i])
		}
		f.log = q.log() + x.drawn - 3 - whole(s.last) - 2*(logLogRange+whole(n))
		if p < n {
			f.top = top
			f.log -= stat.Log(float64(float64(n-p)*x.gap[best.step]) + 1)
		}
		f.spread = w / (base + w)
		t.offer(Additive, f)
	}
}

// sill is the smallest d/g of the first p delays, the smallest of the others, and the largest rest above either.
func (s *sample) sill(x *growth, p int) (base, top, width float64) {
	mu := s.noise[0].mu
	base, top = math.Inf(1), math.Inf(1)
	for i, d := range s.d {
		if i < p {
			base = min(base, (d-mu)/x.g[s.index[i]])
		} else {
			top = min(top, d-mu)
		}
	}
	for i, d := range s.d {
		c := top
		if i < p {
			c = float64(base * x.g[s.index[i]])
		}
		width = max(width, d-mu-c)
	}
	return base, top, width
}
