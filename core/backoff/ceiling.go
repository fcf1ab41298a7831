package backoff

import (
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// ceiling is the growth's value in ns at step n ≥ 1 of the schedule, before any cap; at most 1e100, so that no later
// product or sum overflows.
func (p *Policy) ceiling(n int) float64 { return min(1e100, p.grown(n)) }

func (p *Policy) grown(n int) float64 {
	switch p.Growth {
	case Linear:
		return float64(float64(p.Base) * float64(n))
	case Exponential:
		return float64(float64(p.Base) * stat.Pow(p.factor(), float64(n-1)))
	case List:
		return float64(p.Table[min(n, len(p.Table))-1])
	}
	return float64(p.Base)
}

func (p *Policy) factor() float64 {
	switch {
	case p.Factor != 0:
		return p.Factor
	case p.Jitter == Decorrelated:
		return 3
	}
	return 2
}

// Law is the distribution of the wait before an attempt from 1 on, given the state. It does not ask whether the policy
// has given up.
func (p *Policy) Law(s State) Law {
	n := s.Attempt
	var l Law
	switch {
	case n < 1 || p.Growth == List && len(p.Table) == 0:
		return l
	case p.First != nil && n == 1:
		l.low, l.width = float64(p.First.Low), float64(p.First.High-p.First.Low)
	case p.Growth == Window:
		l.low, l.width = p.window(s)
	default:
		if p.First != nil {
			n--
		}
		l = p.scheduled(n, s.Previous)
	}
	l.step = float64(p.Step)
	if p.Breaks > 0 && s.Attempt >= p.Breaks {
		l.zero = p.Broken
		if l.zero == 0 {
			l = Law{}
		}
	}
	return l
}

// scheduled is the law at step n of the schedule: ceiling, cap, jitter and floor, in the order the edges say.
func (p *Policy) scheduled(n int, previous lapse.Duration) Law {
	c := 0.0
	if p.Jitter != Decorrelated {
		c = p.ceiling(n)
	}
	limit := float64(p.Cap)
	capped := p.Cap > 0 && c >= limit
	if capped && p.CapEdge != After {
		c = limit
	}
	var lo, hi float64
	switch p.Jitter {
	case Full:
		lo, hi = fullRange(c)
	case Equal:
		lo, hi = equalRange(c)
	case Proportional:
		lo, hi = proportionalRange(c, p.Spread, p.Sign)
	case Additive:
		lo, hi = additiveRange(c, p.Extra)
	case Decorrelated:
		lo, hi = decorrelatedRange(float64(p.Base), p.factor(), float64(previous))
	default:
		lo, hi = c, c
	}
	if capped && p.CapEdge == Exact {
		lo, hi = c, c
	}
	l := Law{comb: p.Sign == Comb && p.Jitter == Proportional}
	if p.Cap > 0 && (p.CapEdge == After || p.CapEdge == Both || p.Jitter == Decorrelated) {
		l.most = limit
	}
	if floor := float64(p.Floor); floor > 0 {
		switch p.FloorEdge {
		case After:
			l.least = floor
		case Add:
			lo, hi = lo+floor, hi+floor
		default:
			lo, hi = max(lo, floor), max(hi, floor)
		}
	}
	l.low, l.width = lo, hi-lo
	return l
}

// plateau is the first attempt from which on every law is the same, or 0 when it cannot be named (the law depends on
// the state, or there is none below the limit).
func (p *Policy) plateau(limit int) int {
	if p.Jitter == Decorrelated || p.Growth == Window {
		return 0
	}
	last := p.Law(State{Attempt: 1<<31 - 1})
	if p.Breaks > limit {
		return 0
	}
	n := max(1, p.Breaks)
	if p.First != nil {
		n = max(n, 2)
	}
	for ; n <= limit; n++ {
		if p.Law(State{Attempt: n}) == last {
			return n
		}
	}
	return 0
}
