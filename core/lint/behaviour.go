package lint

import (
	"math"
	"slices"

	"github.com/stormlint/stormlint/core/finding"
)

// behaviour applies the rules that the runs' scenario shows.
func (j *judge) behaviour() {
	j.observedEnough()
	if j.parallel() {
		return
	}
	if len(j.e.steps) == 0 {
		if j.runs.Scenario == Hang {
			j.timeout()
		}
		return
	}
	scenario := j.runs.Scenario
	if code, ok := closes(scenario); ok {
		scenario = LongSession
		if code == 1008 || code >= 4000 && code < 4100 {
			scenario = Fatal
		}
	}
	switch scenario {
	case Flap, Acknowledged:
		j.lockedRules()
		j.firstWaveRules()
		if scenario == Flap {
			j.earlyReset()
		}
	case Hang:
		j.timeout()
	case Fatal:
		if n := len(j.e.steps); n > 2 {
			j.add("retry-fatal", finding.Medium, digits(float64(n))+" attempts after a refusal that cannot heal, "+j.e.waits(4)+" apart", count("attempts", int64(n)))
		}
	case Hint:
		j.hint()
	case Wake:
		if s := j.e.first(); s.Max <= 20e6 {
			j.add("wake-bypass", finding.Medium, "an attempt "+span(s.Max)+" after waking up", millis("first_ms", s.Max))
		}
	case RepeatedSessions:
		j.neverResets()
	case Failures:
		j.fall()
		j.far()
	default:
		j.schedule()
		j.far()
		j.fall()
		if j.endings(gaveUp) {
			j.add("gives-up", finding.Info, "after "+digits(float64(len(j.e.steps)))+" attempts", count("attempts", int64(len(j.e.steps))))
		}
	}
}

// endings reports whether every run ended so.
func (j *judge) endings(word string) bool {
	list := j.runs.Endings
	return len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return s != word })
}

// observedEnough wants five waits of each run that was still meant to retry.
func (j *judge) observedEnough() {
	least, want := math.MaxInt, 5
	for i, r := range j.runs.Delays {
		if i < len(j.runs.Endings) && j.runs.Endings[i] != notObserved {
			continue
		}
		if len(j.runs.Endings) == 0 {
			continue // delays from elsewhere: what was recorded is all that is known
		}
		least = min(least, len(r))
	}
	if least < want && j.runs.Scenario != Hang {
		j.add("not-observed", finding.High, digits(float64(least))+" attempts seen, five are needed, and the client was still meant to retry", count("attempts", int64(least)))
	}
}

// parallel finds attempts that overlap; the waits between them are then nobody's.
func (j *judge) parallel() (overlap bool) {
	overlaps := 0
	for _, r := range j.runs.Delays {
		for _, d := range r {
			if d < 0 {
				overlaps++
			}
		}
	}
	switch {
	case j.runs.Parallel > 1:
		j.add("parallel-loops", finding.High, digits(float64(j.runs.Parallel))+" connections of one client at once", count("parallel", int64(j.runs.Parallel)))
	case overlaps > 0:
		j.add("parallel-loops", finding.High, digits(float64(overlaps))+" attempts begin before the one before has ended", count("overlaps", int64(overlaps)))
	default:
		return false
	}
	return true
}

// earlyReset wants the waits to grow while connections open and are dropped at once.
func (j *judge) earlyReset() {
	if len(j.e.steps) < 3 || j.steady {
		return
	}
	first, later := j.e.first().Mean, 0.0
	for i := range j.e.steps[1:] {
		later = max(later, j.e.steps[i+1].Mean)
	}
	if later <= max(1.5*first, first+1e6) {
		j.add("early-reset", finding.High, "opened and dropped again and again, it waits "+j.e.waits(5), millis("first_ms", first), millis("longest_ms", later))
	}
}

func (j *judge) neverResets() {
	first, later := j.e.first().Mean, j.e.steps[len(j.e.steps)-1].Mean
	if later > 2*first && later > 1e9 {
		j.add("never-resets", finding.Medium, "the first wait after a long session is "+span(first)+", after the last of them "+span(later), millis("first_ms", first), millis("later_ms", later))
	}
}

func (j *judge) hint() {
	s, hint := j.e.first(), float64(j.runs.Hint)
	switch {
	case hint == 0:
	case s.Min < hint-j.e.noise:
		j.add("hint-ignored", finding.Medium, "told to wait "+span(hint)+", it waits "+span(s.Min), millis("hint_ms", hint), millis("least_ms", s.Min))
	case s.runs > 1 && s.Max-s.Min < 20e6:
		j.add("hint-ignored", finding.Medium, "every client waits exactly the "+span(hint)+" it was told, all together", millis("hint_ms", hint), millis("width_ms", s.Max-s.Min))
	}
}

func (j *judge) timeout() {
	longest, shortest, n := 0.0, math.Inf(1), 0
	for _, r := range j.runs.Held {
		for _, d := range r {
			longest, shortest = max(longest, float64(d)), min(shortest, float64(d))
			n++
		}
	}
	switch {
	case n == 0 && j.endings(notObserved) || n == 0 && j.endings(gaveUp) && len(j.e.steps) == 0:
		j.add("bad-timeout", finding.High, "an attempt that is not answered is waited for without end")
	case n == 0:
	case longest > 120e9:
		j.add("bad-timeout", finding.High, "an attempt that is not answered is waited for "+span(longest), millis("held_ms", longest))
	case shortest < 1e9:
		j.add("bad-timeout", finding.High, "an attempt that is not answered is given up after "+span(shortest), millis("held_ms", shortest))
	}
}

// fall finds waits that had grown and are 0 from some attempt on, in long runs.
func (j *judge) fall() {
	for _, r := range floats(j.runs.Delays) {
		if len(r) < 200 {
			continue
		}
		early, grown := 0, 0.0
		for _, v := range r[3:100] {
			if v <= j.e.noise {
				early++
			}
			grown = max(grown, v)
		}
		quarter := r[len(r)*3/4:]
		late := 0
		for _, v := range quarter {
			if v <= j.e.noise {
				late++
			}
		}
		if early > 2 || grown < 100e6 || 20*late < len(quarter) {
			continue
		}
		before := 0.0
		for k, v := range r {
			if k > 3 && v <= j.e.noise {
				j.overflows(k+1, percent(float64(late)/float64(len(quarter)))+" of the waits are 0 in the end, the first at attempt "+digits(float64(k+1)), before)
				return
			}
			before += v
		}
	}
}

// far judges what a schedule answered for far attempts.
func (j *judge) far() {
	before, mean, grown := 0.0, 0.0, 0.0
	for i := range j.e.steps {
		mean = j.e.steps[i].Mean
		before += mean
	}
	for _, f := range j.runs.Far {
		d := float64(f.Delay)
		waited := before + float64(mean*float64(max(0, f.Attempt-1-len(j.e.steps))))
		what := ""
		switch {
		case f.Fault != "":
			what = f.Fault
		case d < 0:
			what = "a negative wait (" + span(-d) + ")"
		case d == 0 && max(grown, mean) >= 100e6:
			what = "a wait of 0"
		case d > j.o.longest() || d == math.MaxInt64:
			what = span(d) + ", beyond the longest timer"
		}
		if what != "" {
			j.overflows(f.Attempt, "attempt "+digits(float64(f.Attempt))+" gives "+what, waited)
			return
		}
		grown = max(grown, d)
	}
}
