package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lapse"
)

// Observed lints what a client was seen to do: its runs, one or more scenarios. At most one finding of a rule is kept, the
// gravest.
func Observed(list []Runs, o Options) (*Result, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "lint", Message: "no runs", Expected: "at least one run with one delay"}
	}
	r := &Result{Subject: "observed runs", Runs: []Seen{}, Clients: o.Clients, Capacity: o.Capacity}
	var all []finding.Finding
	steady := steady(list)
	for i := range list {
		runs := &list[i]
		if runs.Scenario == "" {
			runs.Scenario = Refused
		}
		j := judge{runs: runs, o: &o, subject: runs.Scenario, steady: steady}
		values := floats(runs.Delays)
		j.e = ofRuns(runs, values)
		r.Runs = append(r.Runs, seen(runs, values))
		r.warn(runs, values)
		if len(j.e.steps) == 0 && len(runs.Far) > 0 {
			j.far()
		}
		j.behaviour()
		all = append(all, j.list...)
		if r.Envelope == nil && len(j.e.steps) > 0 {
			r.Envelope = j.e.steps
			r.Arrivals = arrivalsOf(values)
		}
	}
	hung := slices.ContainsFunc(list, func(r Runs) bool { return r.Scenario == Hang })
	if r.Envelope == nil && len(all) == 0 && !hung {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "lint", Message: "every run is empty", Expected: "at least one run with one delay"}
	}
	if r.Envelope == nil {
		r.Envelope = []Step{}
	}
	// Of one rule the gravest is kept, and of equals the one of the first scenario.
	for _, f := range all {
		i := slices.IndexFunc(r.Findings, func(g finding.Finding) bool { return g.Rule == f.Rule })
		switch {
		case i < 0:
			r.Findings = append(r.Findings, f)
		case f.Severity > r.Findings[i].Severity:
			r.Findings[i] = f
		}
	}
	finding.Sort(r.Findings)
	return r, nil
}

// steady reports whether the client was also seen without sessions, and its waits did not grow then either: that is
// no-growth, and whether it resets early cannot be seen.
func steady(list []Runs) bool {
	for i := range list {
		if s := list[i].Scenario; s == "" || s == Refused || s == LongSession {
			e := ofRuns(&list[i], floats(list[i].Delays))
			return len(e.steps) > 2 && e.growth() < growing
		}
	}
	return false
}

// floats are the waits in ns, an overlap as 0.
func floats(runs [][]lapse.Duration) [][]float64 {
	list := make([][]float64, len(runs))
	for i, r := range runs {
		list[i] = make([]float64, len(r))
		for k, d := range r {
			list[i][k] = max(0, float64(d))
		}
	}
	return list
}

func seen(r *Runs, values [][]float64) Seen {
	s := Seen{Scenario: r.Scenario, Runs: len(values)}
	for i, v := range values {
		if i == 0 {
			s.Delays = [2]int{len(v), len(v)}
		}
		s.Delays[0], s.Delays[1] = min(s.Delays[0], len(v)), max(s.Delays[1], len(v))
	}
	s.Conformity = Conforms(values)
	return s
}

// warn notes what makes the runs a weak witness.
func (r *Result) warn(runs *Runs, values [][]float64) {
	say := func(text string) { r.Warnings = append(r.Warnings, runs.Scenario+": "+text) }
	empty, longest, n := 0, 0.0, 0
	fewest, most := math.MaxInt, 0
	for _, v := range values {
		if len(v) == 0 {
			empty++
		} else {
			longest = max(longest, slices.Max(v))
		}
		fewest, most = min(fewest, len(v)), max(most, len(v))
		n += len(v)
	}
	switch {
	case n == 0:
		return
	case empty > 0:
		say(strconv.Itoa(empty) + " of " + strconv.Itoa(len(values)) + " runs are empty and were left out")
	case fewest != most:
		say("runs of " + strconv.Itoa(fewest) + " to " + strconv.Itoa(most) + " delays: later attempts are judged from fewer runs")
	}
	shortest := longest
	for _, v := range values {
		if len(v) > 0 {
			shortest = min(shortest, slices.Min(v))
		}
	}
	if longest < 50e6 {
		say("no delay is above 50 ms: are these seconds? delays are read as milliseconds")
	}
	if shortest > 1e7*1e6 {
		say("every delay is above 10000000 ms (2.8 h): are these microseconds? delays are read as milliseconds")
	}
	if !spreadScenarios(runs.Scenario) {
		return // a question of yes or no, for which a few runs are enough
	}
	if k := len(values) - empty; k == 1 {
		say("one run: whether clients come back together cannot be judged; 50 runs of 8 delays can")
	} else if k < 10 {
		say(strconv.Itoa(k) + " runs: a weak jitter may be missed; 50 runs of 8 delays find every kind")
	}
}

// spreadScenarios are those in which it is asked how far apart clients come.
func spreadScenarios(scenario string) bool {
	switch scenario {
	case Hang, Failures, Fatal, Hint, Wake, RepeatedSessions:
		return false
	}
	_, close := closes(scenario)
	return !close
}

// ofRuns is the envelope of observed runs.
func ofRuns(r *Runs, values [][]float64) *envelope {
	e := &envelope{noise: float64(r.Resolution)}
	if e.noise == 0 {
		e.noise = 1e6
	}
	full := Conforms(values)
	conforms := full.N >= 20 && full.P >= Alpha && len(values) >= 5
	sums := make([]float64, len(values))
	largest := 0.0
	for k := range attempts {
		var at []float64
		lo, hi := math.Inf(1), 0.0
		for i, v := range values {
			if k < len(v) {
				at = append(at, v[k])
				sums[i] += v[k]
				lo, hi = min(lo, sums[i]), max(hi, sums[i])
			}
		}
		if len(at) == 0 {
			break
		}
		s := Step{Attempt: k + 1, runs: len(at), Min: slices.Min(at), Max: slices.Max(at), Arrival: hi - lo}
		for _, v := range at {
			s.Mean += v / float64(len(at))
		}
		largest = max(largest, s.Max)
		s.Mass, s.massAt, s.values = values1(at, e.noise)
		zeros := 0
		for _, v := range at {
			if v == 0 {
				zeros++
			}
		}
		if zeros >= 2 && 10*zeros >= len(at) || zeros == len(at) {
			s.onZero = float64(zeros) / float64(len(at))
		}
		if w := s.Max - s.Min; w > 0 && len(at) > 1 {
			n := float64(len(at))
			s.Spread = min(1, float64(w*(n+1))/float64((n-1)*(s.Max+w/(n-1))))
			if conforms && s.Spread > 0.5 {
				s.Spread = 1
			}
		}
		e.steps = append(e.steps, s)
	}
	if len(e.steps) == 0 {
		return e
	}
	e.few = e.steps[0].runs < 2
	// A cap shows as the largest wait of all, on which some but not all runs sit at one attempt, or several at two; or as a
	// plateau.
	together := 0
	for i := range e.steps {
		s := &e.steps[i]
		n := 0
		for _, v := range values {
			if i < len(v) && v[i] >= largest-e.noise {
				n++
			}
		}
		if n > 1 {
			s.onCap = float64(n) / float64(s.runs)
			if together++; together > 1 || n < s.runs {
				e.cap = largest
			}
		}
	}
	if p := e.plateau(); e.cap == 0 && len(e.steps)-p > 2 {
		e.cap = largest
	}
	return e
}

// values1 is the largest share of waits within one resolution, where it lies, and how many such groups there are.
func values1(at []float64, noise float64) (mass, value float64, groups int) {
	sorted := slices.Clone(at)
	slices.Sort(sorted)
	most, from := 0, 0
	for i, v := range sorted {
		for v-sorted[from] > noise/2 {
			from++
		}
		if i-from+1 > most {
			most, value = i-from+1, sorted[from]
		}
		if i == 0 || v-sorted[i-1] > noise/2 {
			groups++
		}
	}
	if most > 1 || len(at) == 1 {
		mass = float64(most) / float64(len(at))
	}
	return mass, value, groups
}

// closes reads the code of a scenario "close-1008".
func closes(scenario string) (code int, ok bool) {
	text, ok := strings.CutPrefix(scenario, "close-")
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(text)
	return code, err == nil
}
