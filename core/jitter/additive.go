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
	var tops [lastStep + 1]float64 // the smallest of the delays after an attempt
	for k, i, top := s.last, n, math.Inf(1); k >= 0; k-- {
		for ; i > s.cut[k]; i-- {
			if v := s.d[i-1] - e.mu; v < top {
				top = v
			}
		}
		tops[k] = top
	}
	best, bestLog := candidate{shape: -1}, math.Inf(-1)
	bestBase := 0.0
	for g := range growths {
		x := &growths[g]
		if x.drawn < leastShare {
			continue
		}
		base, i := math.Inf(1), 0
		for k := 2; k <= min(s.last, x.last); k++ {
			p := s.cut[k]
			if k == s.last {
				p = n
			} else if p == s.cut[k-1] || p == n {
				continue
			}
			for ; i < p; i++ {
				if v := (s.d[i] - e.mu) / x.g[s.index[i]]; v < base {
					base = v
				}
			}
			top := tops[k]
			if p < n && (top > float64(base*x.g[k+1]*1.1) || float64(top*1.1) < float64(base*x.g[k])) || base < 5 {
				continue
			}
			width := s.rest(x, p, base, top)
			if log := x.drawn - float64(float64(n)*stat.Log(width+2*e.sigma)); log > bestLog {
				bestLog, best, bestBase = log, candidate{shape: g, step: k}, base
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
	base, top := bestBase, tops[best.step]
	width := s.rest(x, p, base, top)
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

// rest is the largest rest of the first p delays above base · g, and of the others above top.
func (s *sample) rest(x *growth, p int, base, top float64) (width float64) {
	mu := s.noise[0].mu
	for i, d := range s.d {
		c := top
		if i < p {
			c = float64(base * x.g[s.index[i]])
		}
		if v := d - mu - c; v > width {
			width = v
		}
	}
	return width
}
