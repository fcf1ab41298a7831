package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// spreads are the shares of the ceiling that jitter may cover; ±x is 2x/(1+x).
var spreads = [...]struct {
	s      float64
	family Family
	weight float64 // its share within the family
}{
	{0.0952, Proportional, 0.02}, {0.1818, Proportional, 0.23}, {0.3333, Proportional, 0.25}, {0.4, Proportional, 0.23},
	{0.5, Equal, 1}, {0.6667, Proportional, 0.27}, {1, Full, 1},
}

// candidate is one shape, cap and spread that a first look finds possible.
type candidate struct {
	score  float64
	shape  int // −1 without growth
	step   int // the attempt after which the cap holds
	spread int // of spreads
}

const kept = 3

// Most policies that jitter also grow.
var logGrows, logFlat = stat.Log(0.7), stat.Log(0.3)

// jittered tries the families that draw each wait from a share of a growing ceiling.
//
// Without noise the likelihood has a closed form: the ceiling is the largest d/g, and the spread must reach down to the
// smallest. That first look costs a few operations for every shape and cap, because largest and smallest of the
// beginning and of the end are running values; the best few are then looked at again with the noise.
func (s *sample) jittered(t *table) {
	var best [3][kept]candidate // proportional, equal, full
	for i := range best {
		for j := range best[i] {
			best[i][j].score = math.Inf(-1)
		}
	}
	s.screen(&best)
	for i := range best {
		total := fit{log: math.Inf(-1)}
		top := math.Inf(-1)
		for _, c := range best[i] {
			if math.IsInf(c.score, -1) || c.score < best[i][0].score-12 {
				continue
			}
			f := s.refine(c)
			if f.log > top {
				top = f.log
				f.log, total.log = total.log, f.log
				total, f = fit{log: total.log, base: f.base, top: f.top, m: f.m, spread: f.spread}, fit{log: f.log}
			}
			total.log = addLogs(total.log, f.log)
		}
		if !math.IsInf(total.log, -1) {
			t.offer([...]Family{Proportional, Equal, Full}[i], total)
		}
	}
}

func group(f Family) int {
	switch f {
	case Equal:
		return 1
	case Full:
		return 2
	}
	return 0
}

// screen fills the best candidates of each family by the closed form.
func (s *sample) screen(best *[3][kept]candidate) {
	n := len(s.d)
	e := &s.noise[0]
	up, down := e.mu+2*e.sigma, e.mu-float64(1.5*e.sigma)
	if e.half > 0 {
		up, down = e.mu+float64(0.7*e.half), e.mu-float64(0.7*e.half)
	}
	// The extremes of the end, for every place where it may begin.
	var tails [lastStep + 1]extremes
	var logs [lastStep + 1]float64 // of their largest
	end := noExtremes
	i := n
	for k := s.last; k >= 0; k-- {
		for ; i > s.cut[k] && i > 0; i-- {
			end.take(s.d[i-1]-up, s.d[i-1]-down)
		}
		tails[k] = end
		logs[k] = stat.Log(end.high)
	}
	s.consider(best, candidate{score: logFlat, shape: -1}, 0, noExtremes, tails[0], 0, logs[0])
	if s.last < 2 {
		return
	}
	for g := range growths {
		x := &growths[g]
		begin, sum := noExtremes, 0.0
		logBegin, high := 0.0, 1.0
		i := 0
		for k := 1; k <= min(s.last, x.last); k++ {
			stop := s.cut[k]
			if k == s.last {
				stop = n
			}
			if stop == i && k < s.last {
				continue
			}
			for ; i < stop; i++ {
				a := s.index[i]
				begin.take((s.d[i]-up)/x.g[a], (s.d[i]-down)/x.g[a])
				sum += x.log[a]
			}
			if k < 2 {
				continue
			}
			c := candidate{score: logGrows + x.drawn - whole(s.last), shape: g, step: k}
			if begin.high != high {
				high, logBegin = begin.high, stat.Log(begin.high)
			}
			c.score -= sum
			s.consider(best, c, i, begin, tails[k], logBegin, logs[k])
		}
	}
}

// extremes are the two largest and the two smallest of some values, the largest reduced and the smallest raised by what
// noise may have done.
type extremes struct{ high, high2, low, low2 float64 }

var noExtremes = extremes{1, 1, math.Inf(1), math.Inf(1)}

func (x *extremes) take(reduced, raised float64) {
	if reduced > x.high {
		x.high, x.high2 = reduced, x.high
	} else if reduced > x.high2 {
		x.high2 = reduced
	}
	if raised < x.low {
		x.low, x.low2 = raised, x.low
	} else if raised < x.low2 {
		x.low2 = raised
	}
}

// consider scores one shape and cap with every spread: the first p delays have the extremes begin in units of the shape,
// the others end. From eight delays on, one of them may be strange.
func (s *sample) consider(best *[3][kept]candidate, c candidate, p int, begin, end extremes, logBegin, logEnd float64) {
	n := len(s.d)
	if s.meet(c, p, begin.high, end.high) {
		s.compare(best, c, p, begin, end, logBegin, logEnd, 0)
	}
	if n < 8 {
		return
	}
	if p > 2 && begin.high > float64(1.4*begin.high2) {
		begin.high = begin.high2
		if s.meet(c, p, begin.high, end.high) { // before a logarithm that few need
			s.compare(best, c, p, begin, end, stat.Log(begin.high), logEnd, 1)
		}
	} else if n-p > 2 && end.high > float64(1.4*end.high2) {
		end.high = end.high2
		if s.meet(c, p, begin.high, end.high) {
			s.compare(best, c, p, begin, end, logBegin, stat.Log(end.high), 1)
		}
	}
}

// meet reports that a beginning and an end belong together: the cap is where the growth has led.
func (s *sample) meet(c candidate, p int, begin, end float64) bool {
	if p == 0 || p == len(s.d) {
		return true
	}
	x := &growths[c.shape]
	return !(end > float64(begin*x.g[c.step+1]*1.6) || float64(end*1.6) < float64(begin*x.g[c.step]))
}

// strangeCost is what a delay that follows no rule costs against one that does.
const strangeCost = 6.0

func (s *sample) compare(best *[3][kept]candidate, c candidate, p int, begin, end extremes, logBegin, logEnd float64, missed int) {
	n := len(s.d)
	score := c.score - float64(strangeCost*float64(missed))
	if p > 0 {
		score -= float64(float64(p)*logBegin) + logLogRange + whole(p)
	}
	if p < n {
		width := logLogRange
		if p > 0 {
			width = growths[c.shape].wide[c.step]
		}
		score -= float64(float64(n-p)*logEnd) + max(0, width+whole(n-p))
	}
	for i, x := range spreads {
		a, z := float64(begin.high*(1-x.s)), float64(end.high*(1-x.s))
		c.score = score - float64(float64(n)*spreadLogs[i]) + weightLogs[i]
		switch {
		case a <= begin.low && z <= end.low:
		case missed > 0 || n < 8:
			continue
		case a <= begin.low2 && z <= end.low || a <= begin.low && z <= end.low2:
			c.score -= strangeCost
		default:
			continue
		}
		c.spread = i
		list := &best[group(x.family)]
		for j := range list {
			if c.score > list[j].score {
				copy(list[j+1:], list[j:kept-1])
				list[j] = c
				break
			}
		}
	}
}

// spreadLogs and weightLogs are Log of the spreads and of their weights.
var spreadLogs, weightLogs = func() (list, weights [len(spreads)]float64) {
	for i, x := range spreads {
		list[i], weights[i] = stat.Log(x.s), stat.Log(x.weight)
	}
	return list, weights
}()

// refine is the evidence of a candidate with noise and strange delays.
func (s *sample) refine(c candidate) fit {
	n := len(s.d)
	f := fit{spread: spreads[c.spread].s, m: 1, log: logFlat}
	p := 0
	if c.shape >= 0 {
		x := &growths[c.shape]
		p = s.cut[c.step]
		if c.step == s.last {
			p = n
		}
		var log float64
		log, f.base = s.ceiling(0, p, c.spread, x)
		f.m = x.m
		f.log = logGrows + x.drawn - whole(s.last) + log - logLogRange - whole(p)
	}
	if p < n {
		log, top := s.ceiling(p, n, c.spread, nil)
		width := logLogRange
		if c.shape < 0 {
			f.base = top
		} else {
			f.top = top
			width = growths[c.shape].wide[c.step]
		}
		f.log += log - max(0, width+whole(n-p))
	}
	highest := max(f.base, f.top)
	if c.shape >= 0 && p == n {
		highest = float64(f.base * growths[c.shape].g[s.index[n-1]])
	}
	if highest < s.least {
		f.log = math.Inf(-1)
		return f
	}
	f.log += weightLogs[c.spread]
	return f
}
