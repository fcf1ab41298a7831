package lint

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
)

func (j *judge) jitterRules() {
	if j.e.few {
		return
	}
	onlyFirst := j.drawnOnce()
	j.additive()
	if j.folded {
		return
	}
	j.weakJitter()
	if !onlyFirst {
		j.clamped()
	}
	j.pointMass()
	j.quantised()
}

// softened is medium, or info where the first wave is wide enough in itself and the arrivals never come closer again; and
// whether there is anything to say at all, since a window is that by design.
func (j *judge) softened() (finding.Severity, bool) {
	if j.e.kept(j.wide()) {
		return finding.Info, !j.e.uniform
	}
	return finding.Medium, true
}

// weakJitter counts the attempts up to the plateau with a spread clearly below 0.45.
func (j *judge) weakJitter() {
	const enough = 0.45
	n := j.e.judged()
	weak, sum, runs := 0, 0.0, 0
	least := 1.0
	for i := range n {
		s := &j.e.steps[i]
		least = min(least, s.Spread)
		if s.Spread < enough {
			weak++
			sum += s.Spread
			runs = s.runs
		}
	}
	if 2*weak <= n {
		return
	}
	mean := sum / float64(weak)
	if runs > 1 {
		// The range of K uniform draws has a relative standard deviation of √(2/((K-1)(K+2))); three of them, over as many
		// attempts, must leave the mean below the threshold.
		k := float64(runs)
		mean = float64(mean * (1 + 3*math.Sqrt(2/float64((k-1)*(k+2)))/math.Sqrt(float64(weak))))
		if mean >= enough {
			return
		}
	}
	severity, tell := j.softened()
	if !tell {
		return
	}
	if w := j.o.window(); w > 0 && j.e.first().Arrival < w/10 {
		severity = finding.High // a peak of ten times the capacity
	}
	j.add("weak-jitter", severity, "the spread is "+digits(least)+" at its least, and below 0.45 at "+digits(float64(weak))+" of "+digits(float64(n))+" attempts up to the plateau",
		figure("least_spread", least), count("weak_attempts", int64(weak)), count("attempts", int64(n)))
}

// additive finds ranges of one width beside growing waits.
func (j *judge) additive() {
	e := j.e
	last := e.plateau()
	if e.growth() < growing || last < 2 {
		return
	}
	narrow, wide := math.Inf(1), 0.0
	from := 0
	if e.steps[0].Max == e.steps[0].Min {
		from = 1 // a constant in front of the schedule
	}
	for i := from; i <= last; i++ {
		s := &e.steps[i]
		narrow, wide = min(narrow, s.Max-s.Min), max(wide, s.Max-s.Min)
	}
	most := 1.02
	if !e.exact {
		most = 2 // ranges of a few runs scatter
		if e.steps[0].runs < 5 || e.steps[last].Mean < 4*e.steps[from].Mean {
			return
		}
	}
	if wide <= max(e.noise, 1e6) || wide > most*narrow || e.steps[last].Spread >= 0.1 {
		return
	}
	j.add("additive-constant", finding.Medium, span(wide)+" of spread, at a wait of "+span(e.steps[from].Mean)+" as at one of "+span(e.steps[last].Mean),
		millis("width_ms", wide), figure("spread_at_plateau", e.steps[last].Spread))
}

// clamped finds jitter that ends on the cap.
func (j *judge) clamped() {
	earlier, most, at := 0.0, 0.0, -1
	for i := range j.e.steps {
		s := &j.e.steps[i]
		if s.onCap < 0.2 && at < 0 {
			earlier = max(earlier, s.Spread)
		}
		if s.onCap > most && s.onCap > 0.2 {
			most, at = s.onCap, i
		}
	}
	if at < 0 || earlier < 0.1 || j.e.cap == 0 { // without a cap all are at the largest wait because all wait the same
		return
	}
	s := &j.e.steps[at]
	severity := finding.Low
	if most > 0.6 {
		severity = finding.Medium
		if s.Spread < earlier/2 && j.e.first().Arrival < j.wide() {
			severity = finding.High
		}
	}
	j.add("clamp-after-jitter", severity, percent(most)+" of the clients wait exactly the cap of "+span(j.e.cap)+" before attempt "+digits(float64(s.Attempt))+
		", where the spread is "+digits(s.Spread)+" after "+digits(earlier)+" before",
		figure("share_on_cap", most), count("attempt", int64(s.Attempt)), figure("spread", s.Spread), figure("spread_before", earlier))
}

// drawn reports whether the waits of a step are drawn at all.
func (e *envelope) drawn(s *Step) bool { return s.Max-s.Min > e.noise && s.Max > s.Min }

func (j *judge) pointMass() {
	for i := range j.e.steps {
		s := &j.e.steps[i]
		if !j.e.drawn(s) || s.Mass <= 0.2 || s.massAt == 0 || j.e.cap > 0 && math.Abs(s.massAt-j.e.cap) <= j.e.noise {
			continue
		}
		if s.runs > 0 && (float64(s.Mass*float64(s.runs)) < 4 || s.Max-s.Min < 50*j.e.noise) {
			continue
		}
		severity, tell := j.softened()
		if tell {
			j.add("point-mass", severity, percent(s.Mass)+" of the clients wait "+span(s.massAt)+" before attempt "+digits(float64(s.Attempt)),
				figure("share", s.Mass), millis("value_ms", s.massAt), count("attempt", int64(s.Attempt)))
		}
		return
	}
}

func (j *judge) quantised() {
	for i := range j.e.steps {
		s := &j.e.steps[i]
		if !j.e.drawn(s) || s.values > 8 || j.p != nil && j.p.Breaks > 0 {
			continue
		}
		if s.runs > 0 && (float64(float64(s.runs)*(1-s.onCap)) < 16 || s.Max-s.Min < 50*j.e.noise) {
			continue
		}
		severity, tell := j.softened()
		if tell {
			j.add("quantised", severity, digits(float64(s.values))+" different waits before attempt "+digits(float64(s.Attempt)),
				count("values", int64(s.values)), count("attempt", int64(s.Attempt)))
		}
		return
	}
}

// drawnOnce finds a schedule that is one draw, or of which only the first wait is drawn; and reports the latter.
func (j *judge) drawnOnce() (onlyFirst bool) {
	e := j.e
	s := e.first()
	if j.folded || s.Spread < 0.1 || e.uniform {
		return false
	}
	if j.p != nil && j.p.DrawnOnce || j.runs != nil && drawnOnce(floats(j.runs.Delays)) {
		j.add("drawn-once", finding.Low, "each wait is the same draw times a fixed number", millis("first_width_ms", s.Arrival))
		return false
	}
	if j.p != nil && j.p.Jitter != backoff.None || len(e.steps) < 3 {
		return false
	}
	longest := 0.0
	for i := range e.steps[1:] {
		t := &e.steps[i+1]
		if t.Max-t.Min > max(e.noise, 0.01*t.Max) {
			return false
		}
		longest = max(longest, t.Mean)
	}
	width, least := s.Arrival, 0.9
	if n := float64(s.runs); s.runs > 0 { // a range of n runs, put right for its bias, and clear of its error
		if s.runs < 10 {
			return true
		}
		width, least = float64(width*(n+1))/(n-1), 0.7
	}
	if width < least*longest {
		j.add("drawn-once", finding.Low, "only the first wait is drawn, over "+span(s.Arrival)+", and later waits are "+span(longest)+" for every client",
			millis("first_width_ms", s.Arrival), millis("longest_ms", longest))
	}
	return true
}
