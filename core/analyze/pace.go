package analyze

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/timeline"
)

// hammering judges the pace of attempts that served nobody.
func (j *judge) hammering() {
	lines := int64(max(1, j.tr.MostOpen))
	known, short := 0, 0
	for i := range j.tr.Waits {
		if w := &j.tr.Waits[i]; j.own(w) {
			known++
			if w.Delay < 100*civil.Millisecond {
				short++
			}
		}
	}
	if (known < 20 || short <= known/2) && j.c.PeakPerMin/lines < j.a.options.Threshold {
		return // as of most clients: what is futile is not more than all
	}
	served := j.served()
	pace := j.a.table.Peak(j.h, civil.Minute, served)
	if float64(pace)*2 > float64(j.c.PeakPerMin) { // mostly futile: what was not kept was so too
		pace = max(pace, j.a.beyondPeak(j.index, j.h))
	}
	pace /= lines
	severity, limit := finding.Info, j.a.options.Threshold
	switch {
	case known >= 20 && short > known/2 && j.futile(served) >= 20: // the median is short
		severity = finding.Critical
	case pace >= 4*limit:
		severity = finding.High
	case pace >= limit:
		severity = finding.Medium
	default:
		return
	}
	var places []int
	for i := range j.h {
		if j.sign(i).Kind == connlog.Attempt && !served[i] {
			places = append(places, i)
		}
	}
	waits := make([]int64, 0, known)
	for i := range j.tr.Waits {
		if w := &j.tr.Waits[i]; j.own(w) {
			waits = append(waits, w.Delay)
		}
	}
	message := "made up to " + figure.Several(pace, "attempt") + " in 60 s that led to no session"
	if lines > 1 {
		message += ", for each of up to " + figure.Count(lines) + " connections that it holds"
	}
	evidence := []finding.Evidence{number("attempts_per_min", pace)}
	if len(waits) > 0 {
		message += "; half of its waits are under " + figure.Span(float64(median(waits)))
		evidence = append(evidence, millis("median_wait_ms", float64(median(waits))))
	}
	j.add("hammering", severity, message, places, evidence...)
}

// own reports a wait that is the client's own and not lost in the width of its stamps: after a takeover it was the other
// device that chose the moment.
func (j *judge) own(w *timeline.Wait) bool {
	return w.Blur < civil.Second && !(w.Since >= 0 && j.sign(w.Since).ClosedBy == connlog.ByTakeover)
}

// futile counts the attempts that served nobody.
func (j *judge) futile(served []bool) (n int) {
	for i := range j.h {
		if j.sign(i).Kind == connlog.Attempt && !served[i] {
			n++
		}
	}
	return n
}

// waits judges the schedule. Waits that were each followed by a session are healthy whatever their rule: only a client
// that had to try again has a schedule that matters.
func (j *judge) waits() {
	v := j.v
	if v.Kind == jitter.Undecided || v.Group {
		return
	}
	var places []int
	for i := range j.tr.Waits {
		if w := &j.tr.Waits[i]; w.Nth >= 2 {
			places = append(places, w.Attempt)
		}
	}
	if len(places) < fewestRetries {
		return
	}
	// A log has thousands of clients: one in a thousand called locked by mistake would be there every day.
	sure := finding.Medium
	if v.N >= fewestSure && len(places) >= 8 && v.LogOdds < -2*clearOdds {
		sure = finding.High
	}
	evidence := []finding.Evidence{number("waits", int64(v.N)), {Key: "policy", Text: v.Spec()}, decimal("log_odds", v.LogOdds)}
	switch {
	case v.Kind == jitter.Locked && v.LogOdds > -clearOdds:
	case v.Kind == jitter.Locked && (v.Family == jitter.Fixed || v.Family == jitter.Immediate):
		how := "waits " + figure.Span(float64(v.Base)) + " before every attempt"
		if v.Family == jitter.Immediate {
			how = "does not wait before an attempt"
		}
		j.add("fixed-locked", sure, how+": all such clients come back in step", places, evidence...)
	case v.Kind == jitter.Locked:
		j.add("growth-locked", sure, "waits longer each time ("+ladder(v)+") but never differently: all such clients come back in step", places, evidence...)
	case v.Clamped && len(places) >= fewestSure:
		j.add("clamp-after-jitter", finding.Medium, "draws its waits, but most of those at the longest ("+figure.Span(float64(v.Cap))+") are equal", places, evidence...)
	case v.Family == jitter.Proportional && v.Spread > 0 && (v.Spread < 0.3 && len(places) >= fewestSure || v.Spread < 0.4 && len(places) >= 2*fewestSure):
		j.add("weak-jitter", finding.Medium, "its waits differ by only "+figure.Percent(v.Spread)+" at one attempt", places, append(evidence, decimal("spread", v.Spread))...)
	}
}

// ladder spells the beginning of a growing schedule.
func ladder(v *jitter.Verdict) string {
	text := ""
	wait := float64(v.Base)
	for k := range 4 {
		if k > 0 {
			text += ", "
		}
		w := wait
		if v.Cap > 0 {
			w = min(w, float64(v.Cap))
		}
		text += figure.Span(w)
		if v.Family == jitter.Linear || v.Multiplier <= 1 {
			wait += float64(v.Base)
		} else {
			wait = float64(wait * v.Multiplier)
		}
	}
	return text + " …"
}
