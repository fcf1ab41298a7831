package jitter

import (
	"math"
	"slices"

	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/stat"
)

const (
	sketchClients = 48 // whole clients that are kept
	sketchDelays  = 16 // attempts of each
	// FewestPooled is the number of clients below which a group is not judged.
	FewestPooled = 3
)

// Sketch pools the waits of a group of clients that should follow one rule: one version, one path. It judges groups whose
// clients have too short a history each, because at one attempt a second client is worth as much as a second try.
//
// It keeps the clients with the 48 smallest numbers, so any split of the clients merges to the same sketch. A client
// belongs to one part only. The zero value is empty and ready.
type Sketch struct {
	Clients int64 // with at least one wait
	Delays  int64

	kept []pooled // by number
}

type pooled struct {
	number uint64
	delays []Delay
}

// Add takes one client's waits, in order. The number is a hash of the client's name: well mixed and its own.
func (s *Sketch) Add(number uint64, delays []Delay) {
	if len(delays) == 0 {
		return
	}
	s.Clients++
	s.Delays += int64(len(delays))
	n := len(s.kept)
	if n == sketchClients && number >= s.kept[n-1].number {
		return
	}
	s.insert(pooled{number, slices.Clone(delays[:min(len(delays), sketchDelays)])})
}

func (s *Sketch) insert(p pooled) {
	at := len(s.kept)
	for at > 0 && s.kept[at-1].number > p.number {
		at--
	}
	s.kept = order.Insert(s.kept, at, p)
	if len(s.kept) > sketchClients {
		s.kept = s.kept[:sketchClients]
	}
}

// Merge adds another part's clients; o is unchanged.
func (s *Sketch) Merge(o *Sketch) {
	s.Clients += o.Clients
	s.Delays += o.Delays
	for _, p := range o.kept {
		s.insert(p)
	}
}

// Pooled is a verdict on a group.
type Pooled struct {
	Verdict
	Clients   int64 // of the group
	Sampled   int   // of them looked at
	Retries   int   // of the waits looked at, those beyond the first after a session's end: only they show what a failure does
	DrawnOnce bool  // the clients differ from each other, but each repeats its own waits: spread once, never again
}

// Verdict judges the group. Late waits are left out where others remain, else taken as they are.
func (s *Sketch) Verdict(o Options) Pooled { return s.judge(o, false) }

func (s *Sketch) judge(o Options, every bool) Pooled {
	v := Pooled{Clients: s.Clients, Sampled: len(s.kept)}
	var d, before []float64
	var k []int32
	late := true
	for range 2 {
		d, before, k = d[:0], before[:0], k[:0]
		for _, p := range s.kept {
			attempt, last := int32(0), -1.0
			for _, x := range p.delays {
				if x.Attempt <= 0 {
					attempt++
				} else {
					if x.Attempt != attempt+1 {
						last = -1
					}
					attempt = x.Attempt
				}
				ms := float64(x.Wait) / 1e6
				if attempt == 1 {
					last = -1
				}
				if !(late && x.Late > 0) {
					d, k, before = append(d, ms), append(k, attempt), append(before, last)
				}
				last = ms
			}
		}
		if len(d) >= 10 {
			break
		}
		late = false
	}
	v.N = len(d)
	for _, attempt := range k {
		if attempt > 1 {
			v.Retries++
		}
	}
	if len(s.kept) < FewestPooled || len(d) < 10 {
		v.Method = "too few clients or delays"
		return v
	}
	ranks := make([]int, len(d))
	for i := range ranks {
		ranks[i] = i
	}
	order.By(ranks, func(a, b int) int {
		if k[a] != k[b] {
			return int(k[a] - k[b])
		}
		return 0
	})
	x := sample{
		d: make([]float64, len(d)), k: make([]int32, len(d)), before: make([]float64, len(d)),
		floor: make([]float64, len(d)), index: make([]int32, len(d)), net: make([]float64, len(d)), steps: make([]float64, len(d)),
		bounds: make([][4]float64, len(d)),
	}
	for to, from := range ranks {
		x.d[to], x.k[to], x.before[to] = d[from], k[from], before[from]
	}
	x.trim()
	var j judgement
	j.begin()
	j.pooled, j.every = true, every
	j.add(&x, o, 0, 0)
	locked, jittered := x.free()
	j.locked, j.jittered = addLogs(j.locked, locked), addLogs(j.jittered, jittered)
	v.Verdict = j.verdict(Verdict{N: len(d)}, o)
	if v.Kind == Locked && !x.agree() {
		v.Kind, v.Method = Undecided, "the clients' waits do not agree"
	}
	if v.Kind != Undecided {
		v.Method = "pooled by attempt"
	}
	if locked > j.best[Locked].log+20 && v.Kind == Locked {
		v.Family = Table
	}
	if jittered > j.best[Jittered].log+20 && v.Kind == Jittered {
		v.Family, v.Base, v.Cap, v.Multiplier = Unknown, 0, 0, 0
	}
	if v.Kind == Jittered {
		v.DrawnOnce = s.repeats(o)
	}
	return v
}

// agree reports that at each attempt most waits are the same but for the way of the packets: six in ten, because a tenth of
// the lines may be lost and shift what follows, and no more, because clients of several rules, each with its jitter, also
// crowd somewhere. Between coarse stamps only waits of several units count.
func (s *sample) agree() bool {
	e := &s.noise[0]
	var inside, all [2]int // first waits, and those after a failure
	s.attempts(func(i, j int) {
		which := min(int(s.k[i])-1, 1)
		v := slices.Clone(s.d[i:j])
		slices.Sort(v)
		middle := v[(len(v)-1)/2]
		width := 200 + float64(0.06*max(middle, 0))
		if e.half > 0 {
			width = 2 * e.half
		}
		if len(v) < 3 || e.half > 0 && middle < 3*e.half {
			return
		}
		best, from := 0, 0
		for to := range v {
			for v[to]-v[from] > width {
				from++
			}
			best = max(best, to-from+1)
		}
		inside[which] += best
		all[which] += len(v)
	})
	return inside[0]*10 >= all[0]*6 && inside[1]*10 >= all[1]*6 && (all[1] >= 10 || all[1] == 0 && all[0] >= 20)
}

// trim leaves out waits far beyond the others at the same attempt: a user who came back, a laptop that woke.
func (s *sample) trim() {
	n := 0
	s.attempts(func(i, j int) {
		v := slices.Clone(s.d[i:j])
		slices.Sort(v)
		limit := math.Inf(1)
		if len(v) >= 10 {
			limit = float64(4*max(v[len(v)*9/10], 0)) + 1000
		}
		for ; i < j; i++ {
			if s.d[i] <= limit {
				s.d[n], s.k[n], s.before[n] = s.d[i], s.k[i], s.before[i]
				n++
			}
		}
	})
	s.d, s.k, s.before, s.floor, s.index, s.net, s.steps, s.bounds = s.d[:n], s.k[:n], s.before[:n], s.floor[:n], s.index[:n], s.net[:n], s.steps[:n], s.bounds[:n]
}

// repeats reports that the clients, each alone, are locked, and differ from each other more than from themselves: of the
// first four waits, in units of the middle one at that attempt, a client's are alike.
func (s *Sketch) repeats(o Options) bool {
	locked, jittered := 0, 0
	for _, p := range s.kept {
		switch Fit(p.delays, o).Kind {
		case Locked:
			locked++
		case Jittered:
			jittered++
		}
	}
	if locked < 3 || locked <= 4*jittered {
		return false
	}
	const first = 4
	var middle [first + 1]float64
	for k := 1; k <= first; k++ {
		var v []float64
		for _, p := range s.kept {
			if len(p.delays) >= k {
				v = append(v, float64(p.delays[k-1].Wait))
			}
		}
		slices.Sort(v)
		middle[k] = max(v[(len(v)-1)/2], 1)
	}
	inner, outer, means := 0.0, 0.0, []float64(nil)
	for _, p := range s.kept {
		if len(p.delays) < first {
			continue
		}
		mean := 0.0
		for k := 1; k <= first; k++ {
			mean += float64(p.delays[k-1].Wait) / middle[k] / first
		}
		for k := 1; k <= first; k++ {
			x := float64(p.delays[k-1].Wait)/middle[k] - mean
			inner += float64(x*x) / (first - 1)
		}
		means = append(means, mean)
	}
	all := 0.0
	for _, m := range means {
		all += m / float64(len(means))
	}
	for _, m := range means {
		outer += float64((m - all) * (m - all))
	}
	return len(means) >= 3 && outer > 4*inner
}

// free compares the waits at each attempt with one value, and with a range, both free: no growth is assumed. A large
// share may be strange, because a lost line shifts all that follow.
func (s *sample) free() (locked, jittered float64) {
	locked, jittered = math.Inf(-1), 0
	for level := range s.levels {
		e := &s.noise[level]
		for _, share := range [...]float64{strange, 0.2, 0.4} {
			log := -2.0
			if s.levels > 1 {
				log += stat.Log(distances[level].weight)
			}
			s.attempts(func(i, j int) {
				c := s.centre(e, i, j)
				var p product
				for a := i; a < j; a++ {
					p.times(float64((1-share)*e.pdf(s.d[a]-c-e.mu)) + share/(logRange*(max(s.d[a], 0)+100)))
				}
				log += p.log() + pointCost(c, max(e.sigma, e.half/2), float64(j-i), logRange)
			})
			locked = addLogs(locked, log)
		}
	}
	e := &s.noise[0]
	narrow := 6 * max(e.sigma, e.half/3)
	s.attempts(func(i, j int) {
		n := j - i
		v := slices.Clone(s.d[i:j])
		slices.Sort(v)
		best := math.Inf(-1)
		for _, cut := range [...]int{0, n / 20, n / 8} {
			if cut > 0 && n < 8 {
				break
			}
			w := max(v[n-1-cut]-v[cut], narrow)
			log := -float64(n-2*cut) * stat.Log(w)
			for a := range cut {
				log += stat.Log(strange/(logRange*(v[a]+100))) + stat.Log(strange/(logRange*(v[n-1-a]+100)))
			}
			if cut == 0 && n == cut {
				break
			}
			best = max(best, log)
		}
		jittered += best - 2*(logLogRange+whole(n)) + stat.Log(max(1, (v[n-1]+narrow)/narrow))/2
	})
	return locked, jittered - 2
}

// attempts calls f for the delays of each attempt, those from i to j.
func (s *sample) attempts(f func(i, j int)) {
	for i := 0; i < len(s.d); {
		j := i + 1
		for j < len(s.d) && s.k[j] == s.k[i] {
			j++
		}
		f(i, j)
		i = j
	}
}

// Spreads gives, for each attempt from 1 on, how far apart the kept clients' waits lie: (longest − shortest)/longest.
// An attempt with fewer than two waits has −1.
func (s *Sketch) Spreads() []float64 {
	var low, high [sketchDelays]lapse.Duration
	var n [sketchDelays]int
	last := 0
	for _, p := range s.kept {
		attempt := int32(0)
		for _, x := range p.delays {
			if x.Attempt > 0 {
				attempt = x.Attempt
			} else {
				attempt++
			}
			if attempt > sketchDelays || x.Late > 0 {
				continue
			}
			i := int(attempt - 1)
			if n[i] == 0 || x.Wait < low[i] {
				low[i] = max(x.Wait, 0)
			}
			high[i] = max(high[i], x.Wait)
			n[i]++
			last = max(last, int(attempt))
		}
	}
	list := make([]float64, last)
	for i := range list {
		list[i] = -1
		if n[i] >= 2 {
			list[i] = 0
			if high[i] > 0 {
				list[i] = float64(high[i]-low[i]) / float64(high[i])
			}
		}
	}
	return list
}
