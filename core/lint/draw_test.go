package lint_test

import (
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

// draw makes k runs of n waits of a policy, in whole milliseconds as most recordings are.
func draw(t testing.TB, spec string, k, n int, seed uint64) [][]time.Duration {
	t.Helper()
	p, err := backoff.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	runs := make([][]time.Duration, k)
	for c := range runs {
		previous := time.Duration(0)
		for a := 1; a <= n; a++ {
			d, ok := p.Delay(backoff.State{Attempt: a, Previous: previous, Outcome: backoff.Refused}, stat.Draw(seed, uint64(c), p.DrawAttempt(a)))
			if !ok {
				break
			}
			previous = d
			runs[c] = append(runs[c], d.Round(time.Millisecond))
		}
	}
	return runs
}
