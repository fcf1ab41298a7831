package lint

import "math"

// attempts is how far a schedule is looked at: two dozen waits hold every growth to its cap.
const attempts = 24

// Step is one attempt of the envelope; times are ns.
type Step struct {
	Attempt int     // from 1
	Min     float64 // the shortest wait
	Mean    float64
	Max     float64 // the longest wait
	Spread  float64 // s_k, 0 to 1; from runs corrected for their number
	Arrival float64 // A_k: how far apart clients come that start together
	Mass    float64 // the largest share of clients on one value, 0 to 1

	massAt float64 // that value
	onCap  float64 // share on exactly the cap
	onZero float64 // share that waits exactly 0
	values int     // different waits, as far as it matters
	runs   int     // runs seen at this attempt; 0: the envelope is exact
}

// envelope is what the rules read: the steps, and what is known about them.
type envelope struct {
	steps   []Step
	cap     float64 // the longest wait there can be at the plateau, ns; 0 unknown
	exact   bool    // from a policy
	uniform bool    // a window: phases are spread once over a whole period and kept, by design
	few     bool    // one run: nothing can be said about jitter
	noise   float64 // resolution of the waits, ns
}

func (e *envelope) first() *Step { return &e.steps[0] }

// plateau is the index of the first mean within 5 % of the largest; in runs, within two standard errors of that too.
func (e *envelope) plateau() int {
	largest := 0.0
	for i := range e.steps {
		largest = max(largest, e.steps[i].Mean)
	}
	for i := range e.steps {
		s := &e.steps[i]
		slack := 0.05 * largest
		if s.runs > 1 {
			// the standard deviation of a uniform law of this width, by the root of the runs, twice
			slack = max(slack, float64(2*(s.Max-s.Min))/math.Sqrt(float64(12*float64(s.runs))))
		}
		if s.Mean >= largest-slack {
			return i
		}
	}
	return 0
}

// growth is the geometric mean of the steps between positive means up to the plateau; 1 when there is no step. A mean
// below the resolution of the waits is no wait.
func (e *envelope) growth() float64 {
	if e.uniform {
		return 1
	}
	first, last, n := 0.0, 0.0, 0
	for i := 0; i <= e.plateau(); i++ {
		if m := e.steps[i].Mean; m > e.noise {
			if first == 0 {
				first = m
			} else {
				n++
			}
			last = m
		}
	}
	if n == 0 {
		return 1
	}
	return pow(last/first, 1/float64(n))
}

// locked reports whether clients that start together stay together: A_k below 5 % of the wait, or below 20 ms, at every
// attempt.
func (e *envelope) locked() bool {
	if e.few {
		return false
	}
	for i := range e.steps {
		s := &e.steps[i]
		if s.Arrival >= 0.05*s.Mean && s.Arrival >= 20e6 {
			return false
		}
	}
	return true
}

// kept reports whether the arrivals, once at least as wide as wide, never come closer again.
func (e *envelope) kept(wide float64) bool {
	if e.few || e.first().Arrival < wide {
		return false
	}
	least := 0.95
	if !e.exact {
		least = 0.6 // the range of some runs scatters
	}
	for i := 1; i < len(e.steps); i++ {
		if e.steps[i].Arrival < float64(least*e.steps[i-1].Arrival) {
			return false
		}
	}
	return true
}

// judged is how many attempts a rule about the way to the plateau looks at: up to the plateau, or all where it is reached
// within two, since the later ones follow the same law.
func (e *envelope) judged() int {
	if p := e.plateau() + 1; p > 2 || e.exact {
		return p
	}
	return len(e.steps)
}
