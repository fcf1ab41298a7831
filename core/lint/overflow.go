package lint

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
)

// overflow looks far out: every attempt to 1,100, where the last float64 power of two ends, then 10,000, 100,000 and the
// largest int32.
func (j *judge) overflow() {
	limit := j.o.longest()
	name := j.o.Runtime
	if name == "" {
		name = "js"
	}
	for k := 1; ; k++ {
		switch k {
		case 1101:
			k = 10_000
		case 10_001:
			k = 100_000
		case 100_001:
			k = 1<<31 - 1
		}
		if j.p.Attempts > 0 && k > j.p.Attempts {
			return
		}
		l := j.p.Law(backoff.State{Attempt: k, Outcome: backoff.Refused, Previous: j.p.Cap})
		switch longest := float64(l.Max()); {
		case j.p.Breaks > 0 && k >= j.p.Breaks && k > 1:
			j.overflows(k, percent(l.Share(0))+" of the waits are 0 from attempt "+digits(float64(k))+" on", j.waited(k-1))
			return
		case longest > limit || longest >= math.MaxInt64:
			j.overflows(k, "attempt "+digits(float64(k))+" asks for "+span(longest)+", beyond the longest timer of "+name+" ("+span(limit)+")", j.waited(k-1))
			return
		}
		if k == 1<<31-1 {
			return
		}
	}
}

// overflows grades by how long an outage must last to get there.
func (j *judge) overflows(attempt int, what string, before float64) {
	const day = 86400e9
	severity := finding.Info
	switch {
	case before < day:
		severity = finding.Critical
	case before < 30*day:
		severity = finding.High
	case before < 365*day:
		severity = finding.Medium
	}
	j.add("overflow", severity, what+", after an outage of "+span(before), count("attempt", int64(attempt)), millis("waited_before_ms", before))
}
