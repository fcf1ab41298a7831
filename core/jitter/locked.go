package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

// locked tries every family without jitter at one distance of network.
func (s *sample) locked(t *table, level int) {
	if level >= s.levels {
		return
	}
	share := 0.0
	if s.levels > 1 {
		share = stat.Log(distances[level].weight)
	}
	s.away(level)
	s.lockedAt(t, &s.noise[level], share)
}

func (s *sample) lockedAt(t *table, e *kernel, share float64) {
	n := len(s.d)
	sigma := max(e.sigma, e.half/2)

	t.offer(Immediate, fit{log: share + s.line(e, 0, n, 0, nil), m: 0})
	wait := s.centre(e, 0, n)
	all := fit{log: share + s.line(e, 0, n, wait, nil) + pointCost(wait, sigma, float64(n), logRange), base: wait, m: 1}
	if all.unsure = s.astray(e, wait)*8 > n; all.unsure {
		all.log -= 3
	}
	t.offer(Fixed, all)

	var tail ends
	s.tails(e, &tail)

	if s.last > 1 {
		for i := range growths {
			x := &growths[i]
			family := Exponential
			if x.linear {
				family = Linear
			}
			s.grow(t, e, x, family, share+x.share, &tail)
		}
	}
	s.list(t, e, share, &tail)
	for _, list := range shipped {
		var p product
		for i, d := range s.d {
			c := list[min(int(s.k[i]), len(list))-1]
			p.times(float64(s.keep*e.pdf(d-c-e.mu)) + s.floor[i])
		}
		t.offer(Table, fit{log: share - 4 + p.log(), base: list[0], top: list[len(list)-1]})
	}
}

// shipped are lists of waits in ms that libraries come with and no law of growth gives.
var shipped = [...][]float64{
	{10, 50, 100, 150, 200, 250, 500, 1000, 2000, 5000}, // Phoenix sockets
	{1000, 2000, 5000, 10000},                           // Phoenix channels
	{0, 2000, 10000, 30000},                             // SignalR
	{2000, 3000, 5000, 8000, 13000, 21000, 34000},       // RabbitMQ's Java client
}

// line is ln of the density of the delays from i to j under wait · steps without jitter; steps nil means 1.
func (s *sample) line(e *kernel, i, j int, wait float64, steps []float64) float64 {
	sum := 0.0
	for i < j {
		acc := 1.0 // as product has it, without a call for every delay: much of a fit's time is spent here
		for stop := min(i+factors, j); i < stop; i++ {
			c := wait
			if steps != nil {
				c = float64(wait * steps[i])
			}
			off := s.d[i] - c - e.mu
			var density float64
			if e.half == 0 {
				z := off / e.sigma
				q := 2 + float64(z*z)
				density = 1 / (q * math.Sqrt(q) * e.sigma)
			} else if off = math.Abs(off); off >= e.half { // outside the triangle, as most are
				z := off / e.sigma
				q := 2 + float64(z*z)
				density = float64((1 - triangleShare) * (1 / (q * math.Sqrt(q) * e.sigma)))
			} else {
				density = e.pdf(off)
			}
			acc = float64(acc * (float64(s.keep*density) + s.floor[i]))
		}
		sum += stat.Log(acc)
	}
	return sum
}

// grow tries one shape with its cap after every step.
func (s *sample) grow(t *table, e *kernel, x *growth, family Family, share float64, tail *ends) {
	n := len(s.d)
	sigma := max(e.sigma, e.half/2)
	share -= whole(s.last)
	s.climb(x)
	sum, summed := 0.0, 0
	for k := 1; k <= min(s.last, x.last); k++ {
		p := s.cut[k]
		if k > 1 && p == s.cut[k-1] || p == 0 || (k == s.last) != (p == n) && k == s.last {
			continue
		}
		if k == s.last {
			p = n
		}
		var base float64
		var ok bool
		if k == 1 {
			base, ok = tail[0].wait, x.m >= 1.5 && n-p > 3
		} else {
			for ; summed < p; summed++ {
				sum += s.steps[summed]
			}
			low, high := 0.0, math.Inf(1) // what passes the two looks below
			if low = s.least; p < n {
				low = max(s.least/2, (tail[k].wait-float64(3*sigma))/(1.03*x.g[k+1])*x.g[k])
				high = (tail[k].wait + float64(3*sigma)) / 0.97
			}
			if s.every {
				low, high = 0, math.Inf(1)
			}
			base, ok = s.slope(e, p, sum, low/x.g[k], high/x.g[k])
		}
		if !ok {
			continue
		}
		high := float64(base * x.g[k])
		if high < s.least/2 && n > p || high < s.least && n == p {
			continue
		}
		if wait := tail[k].wait; p < n && (wait < float64(high*0.97)-float64(3*sigma) || wait > float64(base*x.g[k+1]*1.03)+float64(3*sigma)) {
			continue // before the dearer looks at every delay
		}
		f := fit{base: base, m: x.m}
		first, then, doubt := 0.0, 0.0, 0.0 // what follows the first delays' likelihood, in the order in which it is added
		if p < n {
			c := s.tail(e, tail, k)
			f.top = c.wait
			then = c.log
		}
		reach := 0.0
		if k > 1 {
			if f.unsure, reach = s.weak(e, x, base, p); f.unsure {
				doubt = 3
			}
			if share+reach+then-doubt < t[family].log && !s.every {
				continue // whatever its parameters cost
			}
		}
		first = pointCost(high, sigma, 1, logRange)
		if p < n {
			then += pointCost(f.top, sigma, float64(n-p), x.gap[k])
		}
		if k == 1 { // the same whatever the shape
			f.log = s.head(e, tail)
		} else if share+reach+first+then-doubt < t[family].log && !s.every {
			continue
		} else {
			f.log = s.line(e, 0, p, base, s.steps)
		}
		f.log = share + f.log + first + then - doubt
		t.offer(family, f)
	}
}

// weak reports a growth that is hardly seen: fewer than two of the first p delays stand clear of the error, or too many of
// them do not follow. At the cap all delays are equal also for a client that draws first and cuts afterwards. reach is at
// least what line gives for these delays, told from how far each is away by about.
func (s *sample) weak(e *kernel, x *growth, base float64, p int) (yes bool, reach float64) {
	far := 8 * max(e.sigma, e.half/8)
	clear, bad := 0, 0
	bounds := s.bounds[:p]
	near, middle, wide := s.rings[0], s.rings[1], s.rings[2]
	net := s.net[:p]
	for i, g := range s.steps[:p] {
		c := float64(base * g)
		away := math.Abs(net[i] - c)
		off := negative(far - away)
		ring := negative(near-away)&1 + negative(middle-away)&1 + negative(wide-away)&1
		reach += bounds[i][ring&3]
		bad += int(off & 1)
		clear += int(^off & negative(far-c) & 1)
	}
	usual := x.linear || x.m == 1.5 || x.m == 2 || x.m == 3
	return clear < 2 || clear == 2 && !usual || bad*4 > p, reach + margin
}

// astray counts the delays that are not the constant wait.
func (s *sample) astray(e *kernel, wait float64) (n int) {
	for _, d := range s.d {
		if math.Abs(d-e.mu-wait) > 8*max(e.sigma, e.half/8) {
			n++
		}
	}
	return n
}

// slope is the base that the latest of the first p delays ask for, if two of them agree on one. sum is that of their steps. A
// base that is sure to lie outside low and high is not worked out: those that agree are off the two delays' by less than far
// each, which moves the least squares the less, the steeper the growth.
func (s *sample) slope(e *kernel, p int, sum, low, high float64) (base float64, ok bool) {
	far := 8 * max(e.sigma, e.half/3)
	net, steps := s.net[:p], s.steps[:p]
	for a := p - 1; a >= max(0, p-2); a-- {
		base = net[a] / steps[a]
		if base <= 0 {
			continue
		}
		for b := a - 1; b >= max(0, a-2); b-- {
			off := math.Abs(net[b] - float64(base*steps[b]))
			if off > far {
				continue
			}
			g, h := steps[a], steps[b]
			if r := (off*h + far*(sum-g-h)) / (g*g + h*h) * (1 + 1e-6); (base+r)*(1+1e-6) < low || (base-r)*(1-1e-6) > high {
				return 0, false
			}
			// The least squares of the delays that agree; of the others zeros are added, for which nobody can foresee which they are.
			up, down := 0.0, 0.0
			for i, g := range steps {
				d := net[i]
				agrees := negative(math.Abs(d-float64(base*g)) - far)
				up += math.Float64frombits(math.Float64bits(float64(g*d)) & agrees)
				down += math.Float64frombits(math.Float64bits(float64(g*g)) & agrees)
			}
			return max(0, up/down), true
		}
	}
	return 0, false
}

// ratios tries multipliers that are in no library's list: those that lead from the first delay to the third, the
// fourth, and the last before the cap.
func (s *sample) ratios(t *table) {
	if s.last < 3 {
		return
	}
	e := &s.noise[0]
	s.away(0)
	var first [13]float64
	for i, d := range s.d {
		if k := s.k[i]; int(k) < len(first) && first[k] == 0 && d > e.mu {
			first[k] = d - e.mu
		}
	}
	var tail ends
	for k := 2; k < len(first) && first[1] > 0 && first[k] > float64(first[k-1]*1.04); k++ {
		grows := k+1 < len(first) && first[k+1] > float64(first[k]*1.04)
		switch { // near ones, and the far ones, which are exact
		case k < 3, k > 4 && k != 7 && grows:
			continue
		case k == 3:
			s.tails(e, &tail)
		}
		a := 1 + (k-3)/2 // the error weighs most on the shortest
		if m := stat.Exp(stat.Log(first[k]/first[a]) / float64(k-a)); m < 6 {
			x := geometric(m)
			s.grow(t, e, &x, Exponential, -4.5, &tail)
		}
	}
}

// ends are the waits at the cap, for every attempt from which it may hold; at 0 is the wait before it, if it holds from the
// second attempt on.
type ends [lastStep + 1]plateau

type plateau struct {
	wait, log float64
	known     bool // log has been worked out
}

func (s *sample) tails(e *kernel, tail *ends) {
	n := len(s.d)
	for k := 1; k < s.last; k++ {
		p := s.cut[k]
		if p == n {
			break
		}
		tail[k] = plateau{wait: s.centre(e, p, n)}
	}
	if p := s.cut[1]; p > 0 && n-p > 3 {
		tail[0] = plateau{wait: s.centre(e, 0, p)}
	}
}

// head is the likelihood of the first attempts' delays, if the cap holds from the second on.
func (s *sample) head(e *kernel, tail *ends) float64 {
	if c := &tail[0]; !c.known {
		c.log, c.known = s.line(e, 0, s.cut[1], c.wait, nil), true
	}
	return tail[0].log
}

// tail is the wait at the cap after attempt k with the likelihood of the delays there, which few shapes ask for.
func (s *sample) tail(e *kernel, tail *ends, k int) plateau {
	if c := &tail[k]; !c.known {
		c.log, c.known = s.line(e, s.cut[k], len(s.d), c.wait, nil), true
	}
	return tail[k]
}

// list tries fixed lists of waits: equal delays wherever an attempt recurs, or any beginning before a constant end.
func (s *sample) list(t *table, e *kernel, share float64, tail *ends) {
	n := len(s.d)
	sigma := max(e.sigma, e.half/2)
	var repeated, free product
	log, distinct := share, 0
	for i := 0; i < n; {
		j := i + 1
		for j < n && s.index[j] == s.index[i] {
			j++
		}
		distinct++
		if j == i+1 {
			repeated.times(1 / (logRange * (max(s.d[i], 0) + 10 + e.half)))
		} else {
			wait := s.centre(e, i, j)
			log += s.line(e, i, j, wait, nil) + pointCost(wait, sigma, float64(j-i), logRange)
		}
		i = j
	}
	if n-distinct >= 3 {
		t.offer(Table, fit{log: log + repeated.log(), base: max(0, s.d[0]-e.mu), top: max(0, s.d[n-1]-e.mu)})
	}
	at := 0
	for k := 1; k < s.last; k++ {
		p := s.cut[k]
		if n-p < 4 {
			break
		}
		if p == s.cut[k-1] {
			continue
		}
		for ; at < p; at++ {
			if at > 0 && s.d[at] < s.d[at-1]-float64(6*sigma) { // no list that people write falls
				return
			}
			free.times(1 / (logRange * (max(s.d[at], 0) + 10 + e.half)))
		}
		c := s.tail(e, tail, k)
		t.offer(Table, fit{
			log:  share - 4 + free.log() + c.log + pointCost(c.wait, sigma, float64(n-p), logRange),
			base: max(0, s.d[0]-e.mu), top: c.wait, unsure: true,
		})
		if p == s.cut[1] { // one try at once, then a constant wait
			t.offer(Table, fit{log: share - 2 + s.line(e, 0, p, 0, nil) + c.log + pointCost(c.wait, sigma, float64(n-p), logRange), top: c.wait})
		}
	}
}

// centre is the wait that the delays from i to j have in common: the median, and between coarse stamps, where a wait of
// 2.6 s shows as 2 or 3 s, the mean of those that agree with it.
func (s *sample) centre(e *kernel, i, j int) float64 {
	wait := 0.0
	switch {
	case j < len(s.d):
		wait = s.middle(i, j)
	case i == 0:
		wait = s.middles[0]
	default:
		wait = s.middles[min(int(s.k[i-1]), lastStep)]
	}
	if e.half > 0 {
		sum, n := 0.0, 0
		for _, d := range s.d[i:j] {
			if math.Abs(d-wait) < float64(1.2*e.half) {
				sum += d
				n++
			}
		}
		wait = sum / float64(n)
	}
	return max(0, wait-e.mu)
}

// middle is the median of the delays from i to j, the lower of two.
func (s *sample) middle(i, j int) float64 {
	var room [most]float64
	v := append(room[:0], s.d[i:j]...)
	want := (len(v) - 1) / 2
	for low, high := 0, len(v)-1; low < high; { // Hoare's selection
		pivot := v[(low+high)/2]
		a, b := low, high
		for a <= b {
			for v[a] < pivot {
				a++
			}
			for v[b] > pivot {
				b--
			}
			if a <= b {
				v[a], v[b] = v[b], v[a]
				a++
				b--
			}
		}
		if want <= b {
			high = b
		} else if want >= a {
			low = a
		} else {
			break
		}
	}
	return v[want]
}
