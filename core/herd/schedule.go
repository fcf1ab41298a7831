package herd

import (
	"math"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
)

// schedule is a policy made ready for millions of calls a second. For a given attempt nearly every policy is a straight
// line in its random number, cut at the ends (a floor, a cap after the jitter): two numbers and two limits, found by
// asking the policy itself at a few points and believed only if it agrees at others. What is no such line (decorrelated
// jitter, which needs the previous delay) is asked every time.
type schedule struct {
	policy   backoff.Policy
	lines    [3][lateMask + 1][]line // by outcome, by timeouts, by attempt
	previous bool                    // the policy needs the delay before: a column per client
	once     bool                    // one random number for a whole episode
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
	var d [n + 1]time.Duration
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
	low := float64(d[a]) - slope*float64(a)
	for i := range d {
		v := time.Duration(min(max(low+float64(slope*float64(i)), float64(least)), float64(most)))
		if e := v - d[i]; e > time.Microsecond || e < -time.Microsecond {
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
func ticks(d time.Duration) int64 { return floor(float64(d)) }

func floor(ns float64) int64 { return int64(math.Floor(float64(ns*(1<<tickBits)) / 1e6)) }

// delay is the wait before the attempt, in ticks.
func (l *line) delay(u uint64) int64 {
	d := l.low + int64(u>>34)*l.width>>30
	if l.mode == cut {
		d = min(max(d, l.least), l.most)
	}
	return d
}
