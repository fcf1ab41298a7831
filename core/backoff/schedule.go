package backoff

import "github.com/stormlint/stormlint/core/lapse"

// Schedule is a policy made ready for many draws: its laws are worked out once, so that a wait costs a multiplication.
// It gives exactly what the policy gives.
type Schedule struct {
	policy Policy
	laws   []Law // attempts 1 …
	steady bool  // the last law holds for ever
}

// Compile validates the policy and works its laws out.
func (p *Policy) Compile() (*Schedule, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := &Schedule{policy: *p}
	if p.Jitter == Decorrelated || p.Growth == Window {
		return s, nil
	}
	const most = 1100 // past the last power of two that a float64 holds
	n := p.plateau(most)
	s.steady = n > 0
	if n == 0 {
		n = most
	}
	s.laws = make([]Law, n)
	for i := range s.laws {
		s.laws[i] = p.Law(State{Attempt: i + 1})
	}
	return s, nil
}

// Policy is what was compiled.
func (s *Schedule) Policy() Policy { return s.policy }

// Delay is the policy's Delay.
func (s *Schedule) Delay(st State, u uint64) (d lapse.Duration, ok bool) {
	n := st.Attempt
	if n < 1 || s.policy.Attempts > 0 && n > s.policy.Attempts {
		return 0, false
	}
	if n <= len(s.laws) {
		return s.laws[n-1].At(u), true
	}
	if s.steady {
		return s.laws[len(s.laws)-1].At(u), true
	}
	l := s.policy.Law(st)
	return l.At(u), true
}

// DrawAttempt is the policy's DrawAttempt.
func (s *Schedule) DrawAttempt(attempt int) uint64 { return s.policy.DrawAttempt(attempt) }
