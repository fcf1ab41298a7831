package lint

import (
	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

func pow(x, y float64) float64 { return stat.Pow(x, y) }

// ofPolicy is the envelope of a policy, from its laws, after refused attempts.
func ofPolicy(p *backoff.Policy) *envelope {
	e := &envelope{exact: true, uniform: p.Growth == backoff.Window}
	n := attempts
	if p.Attempts > 0 {
		n = min(n, p.Attempts)
	}
	arrival := 0.0
	longest := lapse.Duration(0)
	for k := 1; k <= n; k++ {
		l := p.Law(backoff.State{Attempt: k, Outcome: backoff.Refused})
		s := Step{Attempt: k, Min: float64(l.Min()), Max: float64(l.Max()), Mean: l.Mean(), onZero: l.Share(0), values: l.Values()}
		if p.Cap > 0 {
			s.onCap = l.Share(p.Cap)
		}
		for _, at := range []lapse.Duration{l.Min(), l.Max(), p.Floor} {
			if m := l.Share(at); m > s.Mass || m == s.Mass && s.massAt == 0 {
				s.Mass, s.massAt = m, float64(at)
			}
		}
		if p.Step > 0 && s.Mass < 1 {
			// all steps inside the range are as likely; a middle one has no edge
			middle := (l.Min() + (l.Max()-l.Min())/2) / p.Step * p.Step
			if m := l.Share(middle); m > s.Mass {
				s.Mass, s.massAt = m, float64(middle)
			}
		}
		e.steps = append(e.steps, s)
		longest = max(longest, l.Max())
	}
	if p.Jitter == backoff.Decorrelated {
		walk(p, e)
	}
	for i := range e.steps {
		s := &e.steps[i]
		if s.Max > 0 {
			s.Spread = (s.Max - s.Min) / s.Max
		}
		arrival += s.Max - s.Min
		s.Arrival = arrival
	}
	e.cap = float64(p.Cap)
	if p.Growth == backoff.List {
		e.cap = float64(p.Table[len(p.Table)-1])
	}
	if p.Cap == 0 && (p.Growth == backoff.Constant || p.Growth == backoff.Window) {
		e.cap = float64(longest)
	}
	return e
}

// walk gives the envelope of decorrelated jitter, whose law depends on the wait before: the range in closed form, mean and
// share on the cap from 4,096 chains with constant draws (standard error of a mean about 1 %).
func walk(p *backoff.Policy, e *envelope) {
	const chains = 4096
	before := make([]lapse.Duration, chains)
	widest := lapse.Duration(0)
	for i := range e.steps {
		s := &e.steps[i]
		sum, capped := 0.0, 0
		for c := range before {
			d, _ := p.Delay(backoff.State{Attempt: i + 1, Previous: before[c]}, stat.Draw(1, uint64(c), uint64(i)))
			if p.First == nil || i > 0 {
				before[c] = d
			}
			sum += float64(d)
			if d == p.Cap {
				capped++
			}
		}
		l := p.Law(backoff.State{Attempt: i + 1, Previous: widest})
		s.Min, s.Max = float64(l.Min()), float64(l.Max())
		if p.First == nil || i > 0 {
			widest = l.Max()
		}
		s.Mean = sum / chains
		s.onCap = float64(capped) / chains
		s.Mass, s.massAt = s.onCap, float64(p.Cap)
		s.values = l.Values()
	}
}
