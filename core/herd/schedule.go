package herd

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
)

// schedule is a policy made ready for millions of calls a second. For a given attempt nearly every policy is a straight
// line in its random number, cut at the ends (a floor, a cap after the jitter): two numbers and two limits, found by
// asking the policy itself at a few points and believed only if it agrees at others. What is no such line is asked
// every time, but for decorrelated jitter, whose line moves with the delay before.
type schedule struct {
	policy   backoff.Policy
	lines    [3][lateMask + 1][]line // by outcome, by timeouts, by attempt
	previous bool                    // the policy needs the delay before: a column per client
	once     bool                    // one random number for a whole episode
	plain    bool                    // decorrelated jitter without anything else
	base     int64                   // its base in ticks
	factor   float64
	cap      int64 // in ticks
}

// prepare reads what the policy needs off it.
func (s *schedule) prepare() {
	p := &s.policy
	s.previous, s.once = p.Jitter == backoff.Decorrelated, p.DrawnOnce
	s.base, s.cap, s.factor = ticks(p.Base), ticks(p.Cap), p.Factor
	if s.factor == 0 {
		s.factor = 3
	}
	s.plain = s.previous && p.Cap > 0 && s.cap < maxLine/4 && p.First == nil && p.Floor == 0 && p.Step == 0 && p.Breaks == 0 && s.factor <= 100
}

// walk is one step of plain decorrelated jitter; previous is the delay before, in ticks, and becomes this one.
func (s *schedule) walk(previous *uint32, u uint64) int64 {
	high := max(s.base, int64(s.factor*float64(max(int64(*previous), s.base))))
	d := min(s.base+int64(float64(high-s.base)*(float64(u>>11)*0x1p-53)), s.cap)
	*previous = uint32(d)
	return d
}

// line is delay = clamp(low + u·width, least, most) in ticks, u in 30 bits.
type line struct {
	low, width  int64
	least, most int64
	mode        uint8
}

const (
	unknown  uint8 = iota // not asked yet
	straight              // low + u·width
	cut                   // the same, clamped
	asked                 // ask the policy
	walks                 // decorrelated jitter: min(cap, U(base, factor·previous))
	stops                 // the policy gives up before this attempt
)

const maxLine = 1 << 34 // ticks: 4.6 h; the product of 30 and 34 bits fits

// at is the line before the given attempt.
func (s *schedule) at(outcome backoff.Outcome, timeouts, attempt uint64) *line {
	list := s.lines[outcome][timeouts]
	if attempt < uint64(len(list)) && list[attempt].mode != unknown {
		return &list[attempt]
	}
	return s.find(outcome, timeouts, attempt)
}

func (s *schedule) find(outcome backoff.Outcome, timeouts, attempt uint64) *line {
	list := s.lines[outcome][timeouts]
	for uint64(len(list)) <= attempt {
		list = append(list, line{})
	}
	s.lines[outcome][timeouts] = list
	list[attempt] = s.fit(backoff.State{Attempt: int(attempt), Outcome: outcome, Timeouts: int(timeouts)})
	return &list[attempt]
}

// fit asks the policy at 17 points of its random number.
func (s *schedule) fit(state backoff.State) line {
	const n = 16
	var d [n + 1]lapse.Duration
	for i := range d {
		u := uint64(i) << 60
		if i == n {
			u = math.MaxUint64
		}
		var ok bool
		if d[i], ok = s.policy.Delay(state, u); !ok {
			return line{mode: stops}
		}
	}
	if s.plain {
		return line{mode: walks}
	}
	if s.previous || s.policy.Step > 0 {
		return line{mode: asked}
	}
	least, most := d[0], d[n]
	a, b := 0, n
	for a < n && d[a+1] == least {
		a++
	}
	for b > 0 && d[b-1] == most {
		b--
	}
	if a >= b { // one value throughout
		if least != most {
			return line{mode: asked}
		}
		return line{low: ticks(least), least: ticks(least), most: ticks(most), mode: straight}
	}
	if a > 0 {
		a++ // the bend lies before the first point that differs
	}
	if b < n {
		b--
	}
	if a >= b {
		return line{mode: asked}
	}
	slope := float64(d[b]-d[a]) / float64(b-a)
	low := float64(d[a]) - float64(slope*float64(a))
	for i := range d {
		v := lapse.Duration(min(max(low+float64(slope*float64(i)), float64(least)), float64(most)))
		if e := v - d[i]; e > lapse.Microsecond || e < -lapse.Microsecond {
			return line{mode: asked}
		}
	}
	l := line{low: floor(low), width: floor(slope * n), least: ticks(least), most: ticks(most), mode: straight}
	if l.width >= maxLine || l.most >= maxLine {
		return line{mode: asked}
	}
	if l.low < l.least || l.low+l.width > l.most {
		l.mode = cut
	}
	return l
}

// ticks is a duration in units of 1/1024 ms, rounded down.
func ticks(d lapse.Duration) int64 { return floor(float64(d)) }

func floor(ns float64) int64 { return int64(math.Floor(float64(ns*(1<<tickBits)) / 1e6)) }

// delay is the wait before the attempt, in ticks.
func (l *line) delay(u uint64) int64 {
	d := l.low + int64(u>>34)*l.width>>30
	if l.mode == cut {
		d = min(max(d, l.least), l.most)
	}
	return d
}
