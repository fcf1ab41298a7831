package lint

import (
	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// pictured is how many clients are drawn for the picture of arrivals.
const pictured = 100

// arrivals draws when a hundred clients of a policy come after a common drop, for as long as the envelope is.
func arrivals(p *backoff.Policy) []float64 {
	var list []float64
	for c := range uint64(pictured) {
		at := 0.0
		previous := lapse.Duration(0)
		for k := 1; k <= attempts; k++ {
			d, ok := p.Delay(backoff.State{Attempt: k, Previous: previous, Outcome: backoff.Refused}, stat.Draw(1, c, p.DrawAttempt(k)))
			if !ok {
				break
			}
			previous = d
			at += float64(d)
			list = append(list, at)
		}
	}
	return list
}

// arrivalsOf is the same from runs.
func arrivalsOf(runs [][]float64) []float64 {
	var list []float64
	for i, r := range runs {
		if i == pictured {
			break
		}
		at := 0.0
		for k, d := range r {
			if k == attempts {
				break
			}
			at += d
			list = append(list, at)
		}
	}
	return list
}
