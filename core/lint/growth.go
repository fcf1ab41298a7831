package lint

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
)

func (j *judge) growthRules() {
	e := j.e
	growth := e.growth()
	last := &e.steps[e.plateau()]
	if growth < growing && len(e.steps) > 2 {
		if severity, tell := j.softened(); tell {
			j.add("no-growth", severity, "every wait is about "+span(last.Mean), figure("growth", growth), millis("mean_ms", last.Mean))
		}
	}
	j.capTooSmall(growth, last)
	j.capMissing(growth)
	if j.p != nil {
		j.ends()
	}
}

func (j *judge) capTooSmall(growth float64, last *Step) {
	if w := j.o.window(); w > 0 {
		// The mean wait τ at the cap: below 2·r·N/C a rejection at r = 0.1 of a handshake eats the capacity, below N/C - T with
		// a connect timeout T of 5 s a stale queue is served for ever.
		least := max(0.2*w, w-5e9)
		if last.Mean < least && (j.e.cap > 0 || growth < growing) {
			j.add("cap-too-small", finding.High, "a mean wait of "+span(last.Mean)+" at the cap, where "+digits(float64(j.o.Clients))+" clients at "+digits(j.o.Capacity)+" handshakes a second need "+span(least),
				millis("mean_at_cap_ms", last.Mean), millis("needed_ms", least))
		}
		return
	}
	if growth >= growing && j.e.cap > 0 && j.e.cap < 10e9 {
		j.add("cap-too-small", finding.Low, "no wait is longer than "+span(j.e.cap), millis("cap_ms", j.e.cap))
	}
}

func (j *judge) capMissing(growth float64) {
	if growth < growing && !(j.p != nil && j.p.Growth == backoff.Linear) {
		return
	}
	longest := 0.0
	for i := range j.e.steps {
		longest = max(longest, j.e.steps[i].Max)
	}
	most := 600e9
	if w := j.o.window(); w > 0 {
		most = max(60e9, 10*w)
	}
	switch {
	case j.p != nil && j.p.Cap == 0 && j.p.Growth != backoff.List:
		j.add("cap-missing", finding.Low, "the waits grow without end: "+span(j.e.steps[len(j.e.steps)-1].Mean)+" at attempt "+digits(float64(len(j.e.steps))), millis("longest_ms", longest))
	case max(longest, j.e.cap) > most:
		j.add("cap-missing", finding.Low, "up to "+span(max(longest, j.e.cap)), millis("longest_ms", max(longest, j.e.cap)))
	case j.o.window() == 0 && len(j.e.steps) > 7 && j.e.plateau() >= 7:
		j.add("cap-missing", finding.Low, "still growing at the eighth attempt, to "+span(j.e.steps[7].Mean), millis("longest_ms", longest))
	}
}

// ends judges where a policy's schedule ends, and its budget.
func (j *judge) ends() {
	if j.p.Attempts > 0 {
		j.add("gives-up", finding.Info, "after "+digits(float64(j.p.Attempts))+" attempts, "+span(j.waited(j.p.Attempts))+" after the drop", count("attempts", int64(j.p.Attempts)))
	} else {
		j.add("unbounded-attempts", finding.Info, "")
	}
	if j.o.Budget > 0 {
		const day = 86400e9
		made := j.made(day, j.o.Budget+1)
		if made > j.o.Budget {
			last := &j.e.steps[len(j.e.steps)-1]
			j.add("budget-exceeded", finding.High, "an outage of a day makes more than "+digits(float64(j.o.Budget))+" attempts: the mean wait is "+span(last.Mean)+" in the end",
				count("budget", j.o.Budget), millis("mean_ms", last.Mean))
		}
	}
	j.overflow()
}

func (j *judge) mean(attempt int) float64 {
	if attempt <= len(j.e.steps) {
		return j.e.steps[attempt-1].Mean
	}
	if j.p.Jitter == backoff.Decorrelated {
		return j.e.steps[len(j.e.steps)-1].Mean
	}
	l := j.p.Law(backoff.State{Attempt: attempt, Outcome: backoff.Refused})
	return l.Mean()
}

// waited is the mean time from the drop to an attempt, ns; attempts beyond 1,100 are taken to wait as that one.
func (j *judge) waited(attempt int) float64 {
	sum, mean := 0.0, 0.0
	for k := 1; k <= min(attempt, 1100); k++ {
		mean = j.mean(k)
		sum += mean
	}
	return sum + float64(mean*float64(max(0, attempt-1100)))
}

// made is how many attempts fall into a time, up to most.
func (j *judge) made(within float64, most int64) int64 {
	sum := 0.0
	for k := int64(1); k <= most; k++ {
		if j.p.Attempts > 0 && k > int64(j.p.Attempts) {
			return k - 1
		}
		mean := j.mean(int(min(k, 1100)))
		if k > 1100 && mean > 0 {
			return min(most, k-1+int64(math.Floor((within-sum)/mean)))
		}
		if sum += mean; sum > within {
			return k - 1
		}
	}
	return most
}
