package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// Fewest is the number of delays below which nothing is decided about one client.
const Fewest = 5

// Fit judges the delays of one client, in the order in which they happened. It looks at the first 64.
func Fit(delays []Delay, o Options) Verdict { return judge(delays, o, false) }

// judge is Fit; every has all candidates looked at, also those that cannot be the best.
func judge(delays []Delay, o Options, every bool) Verdict {
	v := Verdict{N: len(delays)}
	if len(delays) < Fewest {
		v.Method = "too few delays"
		return v
	}
	if IsGroup(delays, o) {
		v.Group, v.Method = true, "several clients behind one key"
		return v
	}
	delays = delays[:min(len(delays), most)]
	exact := 0
	hops := uint8(0)
	for _, d := range delays {
		if d.Late == 0 {
			exact++
		}
		hops = max(hops, d.Late)
	}
	leaveLate := hops > 0 && exact >= max(8, len(delays)/2)
	if leaveLate {
		hops = 0
	}
	var j judgement
	j.begin()
	j.every = every
	for hop := range int(hops) + 1 {
		prior := 0.0
		if hops > 0 {
			prior = stat.Log(lateShare[min(hop, len(lateShare)-1)])
		}
		j.read(delays, o, hop, leaveLate, false, prior)
		if restarts(delays) {
			j.read(delays, o, hop, leaveLate, true, prior-1)
		}
	}
	return j.verdict(v, o)
}

// lateShare is the prior of 0, 1 and 2 late hops where the log allows them.
var lateShare = [...]float64{0.4, 0.4, 0.2}

// restarts says that the attempts are counted in episodes, so that counting on through them is another reading: that of
// a client that does not reset its backoff when a session opens.
func restarts(delays []Delay) bool {
	for i, d := range delays {
		if i > 0 && d.Attempt == 1 {
			return true
		}
	}
	return false
}

// judgement gathers the evidence of several readings of the same delays.
type judgement struct {
	locked, jittered float64 // ln of the evidence, summed over readings
	chaos            float64 // that no rule is behind the waits
	every            bool    // see judge
	pooled           bool    // of many clients, among whom losses even out
	retries          bool    // there are waits beyond the first after a session, so growth would show
	best             [Jittered + 1]struct {
		log    float64
		fit    fit
		family Family
		offset lapse.Duration
		used   int
	}
}

func (j *judgement) begin() {
	j.locked, j.jittered, j.chaos = math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for i := range j.best {
		j.best[i].log = math.Inf(-1)
	}
}

// read takes one reading: hop late hops are subtracted, late delays left out if leaveLate, and attempts counted through
// all episodes if through.
func (j *judgement) read(delays []Delay, o Options, hop int, leaveLate, through bool, prior float64) {
	var d, before [most]float64
	var floor, net, steps [most]float64
	var bounds [most][4]float64
	var k, index [most]int32
	step := o.LateStep
	if step == 0 {
		step = lapse.Second
	}
	n, attempt, last := 0, int32(0), -1.0
	for _, x := range delays {
		if x.Attempt > 0 && !through {
			if x.Attempt != attempt+1 {
				last = -1
			}
			attempt = x.Attempt
		} else {
			attempt++
		}
		if attempt == 1 {
			last = -1
		}
		wait := x.Wait - lapse.Duration(min(hop, int(x.Late)))*step
		ms := float64(wait) / 1e6
		if leaveLate && x.Late > 0 {
			last = ms
			continue
		}
		// Sorted by attempt, in order of time within one.
		at := n
		for at > 0 && k[at-1] > attempt {
			d[at], k[at], before[at] = d[at-1], k[at-1], before[at-1]
			at--
		}
		d[at], k[at], before[at] = ms, attempt, last
		last = ms
		n++
	}
	s := sample{d: d[:n], k: k[:n], before: before[:n], floor: floor[:n], index: index[:n], net: net[:n], steps: steps[:n], bounds: bounds[:n]}
	j.add(&s, o, lapse.Duration(hop)*step, prior)
}

// add sums a sample's evidence.
func (j *judgement) add(s *sample, o Options, offset lapse.Duration, prior float64) {
	if len(s.d) == 0 {
		return
	}
	s.every = j.every
	s.prepare(o.Lossy, o.Quiet, float64(o.Resolution)/1e6)
	j.chaos = addLogs(j.chaos, s.chaos()+prior)
	j.retries = j.retries || s.k[len(s.k)-1] > 1
	var t table
	t.clear()
	s.locked(&t, 0)
	s.locked(&t, 1)
	s.jittered(&t)
	if o.Quiet || len(s.d) > most || !t.settled() {
		s.locked(&t, 2)
		s.ratios(&t)
		s.clamped(&t)
		s.decorrelated(&t)
		s.additive(&t)
	}
	for f := Immediate; f < families; f++ {
		x := t[f]
		if math.IsInf(x.log, -1) {
			continue
		}
		x.log += prior
		kind := f.kind()
		if kind == Locked {
			j.locked = addLogs(j.locked, x.log)
		} else {
			j.jittered = addLogs(j.jittered, x.log)
		}
		if b := &j.best[kind]; x.log > b.log {
			b.log, b.fit, b.family, b.offset, b.used = x.log, x, f, offset, len(s.d)
		}
	}
}

// certain bounds the log odds: where one side has no law that fits they would be infinite.
const certain = 1000.0

// clampedOdds is what it takes to call a client jittered whose waits are mostly equal.
const clampedOdds = 12

// settled reports that a law without jitter explains the waits so much better than the common ones with it that the rarer
// ones need not be tried.
func (t *table) settled() bool {
	locked, jittered := math.Inf(-1), math.Inf(-1)
	for f := Immediate; f < families; f++ {
		if f.kind() == Jittered {
			jittered = max(jittered, t[f].log)
		} else if !t[f].unsure {
			locked = max(locked, t[f].log)
		}
	}
	return locked > jittered+25
}

// limits are the log odds beyond which a verdict is given: chosen on seeded simulations (build.sh bench accuracy) so that
// each mistake stays below one in 200 from ten delays on.
func limits(n int, o Options) (locked, jittered float64) {
	if o.Resolution >= coarse*lapse.Millisecond {
		if n < 10 {
			return math.Inf(1), math.Inf(1)
		}
		return 0.5, 1.5
	}
	switch {
	case o.Lossy:
		return 4, 30 + float64(0.8*float64(n)) // a lost line makes a wait of two, and a ladder without its rungs
	case o.Quiet:
		return 5, 5
	case n < 8:
		return 2.5, 3
	}
	return 0.7, 3
}

func (j *judgement) verdict(v Verdict, o Options) Verdict {
	v.LogOdds = max(-certain, min(certain, j.jittered-j.locked))
	if v.LogOdds != v.LogOdds { // neither law fits at all
		v.LogOdds = 0
	}
	kind := Undecided
	low, high := limits(v.N, o)
	if j.pooled && o.Lossy {
		high = 25
	}
	switch {
	case v.LogOdds > high:
		kind = Jittered
	case v.LogOdds < -low:
		kind = Locked
	}
	if kind == Jittered && j.best[Jittered].fit.mostly && v.LogOdds < clampedOdds || kind == Locked && j.best[Locked].fit.unsure || j.chaos > max(j.locked, j.jittered) {
		kind = Undecided
	}
	likely := kind
	if likely == Undecided {
		likely = Jittered
		if v.LogOdds < 0 {
			likely = Locked
		}
		v.Method = "both readings explain the waits"
		if v.LogOdds < -low {
			v.Method = "equal waits at the cap, no rule before it"
		}
		if j.chaos > max(j.locked, j.jittered) {
			v.Method = "the waits follow no rule"
		}
	} else {
		v.Method = "fitted growth"
	}
	b := j.best[likely]
	v.Kind, v.Family, v.Offset = kind, b.family, b.offset
	v.Multiplier, v.Spread, v.Clamped = b.fit.m, b.fit.spread, b.fit.clamped
	base, top := b.fit.base, b.fit.top
	switch b.family {
	case Proportional:
		base, top = float64(base*(1-b.fit.spread/2)), float64(top*(1-b.fit.spread/2))
	case Immediate:
		v.Multiplier = 0
	case Fixed:
		v.Multiplier = 1
	}
	if !j.retries && b.family.kind() == Jittered {
		v.Multiplier = 0 // one wait a session says nothing of growth
	}
	v.Base, v.Cap, v.Width = span(base), span(top), span(b.fit.width)
	return v
}

// span is ms as a duration, rounded to what a fit can know: three digits.
func span(ms float64) lapse.Duration {
	if !(ms > 0) {
		return 0
	}
	unit := 1.0
	for ms/unit >= 1000 {
		unit *= 10
	}
	return lapse.Duration(float64(math.Floor(ms/unit+0.5)*unit)) * lapse.Millisecond
}
