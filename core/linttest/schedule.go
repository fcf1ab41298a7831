package linttest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/lint"
)

// Stop, returned as a wait, means that the schedule gives up. (Other negative waits are faults.)
const Stop time.Duration = -1

// Schedule runs a schedule, Options.Runs times Options.Delays waits, and fails the test on what the linter finds. delay is
// asked for attempts 1, 2, 3 … of one run, then from 1 again for the next, so that a schedule with a memory can be made
// anew at attempt 1; it may take the kit's randomness as its second argument. At last it is asked for attempts 1 to 1,100,
// 10,000, 100,000 and 2^31-1, to see whether the wait overflows; a panic there is a finding.
//
// It returns the linter's result, for tests that want to look further.
func Schedule[F func(attempt int) time.Duration | func(attempt int, random *rand.Rand) time.Duration](t testing.TB, delay F, options ...Options) *lint.Result {
	t.Helper()
	o, limit := settle(t, options)
	runs := lint.Runs{Scenario: lint.Refused, Resolution: time.Microsecond}
	for client := range o.Runs {
		ask := asker(delay, o.Seed, uint64(client))
		run := []time.Duration{}
		ending := "observed"
		for attempt := 1; attempt <= o.Delays; attempt++ {
			d, fault := try(ask, attempt)
			if fault != "" {
				t.Fatalf("linttest: attempt %d of run %d: %s", attempt, client+1, fault)
			}
			if d == Stop {
				ending = "gave-up"
				break
			}
			if d < 0 {
				runs.Far = append(runs.Far, lint.Far{Attempt: attempt, Delay: d})
				break
			}
			run = append(run, d)
		}
		runs.Delays = append(runs.Delays, run)
		runs.Endings = append(runs.Endings, ending)
	}
	if len(runs.Far) == 0 {
		runs.Far = probe(asker(delay, o.Seed, uint64(o.Runs)))
	}
	return judge(t, []lint.Runs{runs}, o, limit, "schedule")
}

func asker(delay any, seed, client uint64) func(attempt int) time.Duration {
	random := rand.New(rand.NewPCG(seed, client))
	switch f := delay.(type) {
	case func(int) time.Duration:
		return f
	case func(int, *rand.Rand) time.Duration:
		return func(attempt int) time.Duration { return f(attempt, random) }
	}
	panic("unreachable: the type set has two members")
}

// try asks for one wait and turns a panic into text.
func try(ask func(int) time.Duration, attempt int) (d time.Duration, fault string) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Sprintf("a panic: %v", v)
		}
	}()
	return ask(attempt), ""
}

// probe asks far out. The largest attempt is only asked of schedules that do not count up to it.
func probe(ask func(int) time.Duration) []lint.Far {
	var list []lint.Far
	far := func(attempt int) bool {
		d, fault := try(ask, attempt)
		if d == Stop && fault == "" {
			return false
		}
		list = append(list, lint.Far{Attempt: attempt, Delay: d, Fault: fault})
		return fault == ""
	}
	for attempt := 1; attempt <= 1100; attempt++ {
		if !far(attempt) {
			return list
		}
	}
	begin := time.Now()
	if far(10_000) && far(100_000) && time.Since(begin) < time.Millisecond {
		far(1<<31 - 1)
	}
	return list
}
