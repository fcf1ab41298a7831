package lint

import (
	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
)

func (j *judge) firstWaveRules() {
	s := j.e.first()
	immediate := s.Max <= 20e6
	if immediate {
		severity, then := finding.High, ""
		if n := min(3, len(j.e.steps)); n > 1 {
			longest := 0.0
			for _, t := range j.e.steps[1:n] {
				longest = max(longest, t.Max)
			}
			then = ", the next ones after " + span(longest) + " at most"
			if longest <= 100e6 {
				severity = finding.Critical
			}
		}
		detail := "after " + span(s.Max) + " at most" + then
		if s.Max == 0 {
			detail = "after no wait at all" + then
		}
		j.add("immediate-retry", severity, detail, millis("first_ms", s.Max))
	}
	j.zeroDelay()
	if j.folded || j.e.few || immediate && s.Max-s.Min <= j.e.noise {
		return // one instant is what the other rule said
	}
	width := s.Arrival
	if s.runs > 1 {
		width = float64(width*float64(s.runs+1)) / float64(s.runs-1)
	}
	severity, detail := finding.Info, "the first wait is drawn over "+span(width)
	w := j.o.window()
	switch {
	case width <= j.e.noise:
		severity, detail = finding.Medium, "the first wait is "+span(s.Mean)+" for every client"
		if w > 0 && j.e.noise < w/10 {
			severity = finding.High
		}
	case w > 0 && width < w/10:
		severity = finding.High
	case w > 0 && width < w, w == 0 && width < 250e6:
		severity = finding.Medium
	case w > 0, width >= 5e9:
		return
	}
	evidence := []finding.Evidence{millis("first_width_ms", width)}
	if w > 0 {
		detail += "; " + digits(float64(j.o.Clients)) + " clients at " + digits(j.o.Capacity) + " handshakes a second need " + span(w)
		evidence = append(evidence, millis("window_ms", w))
		if width > 0 {
			evidence = append(evidence, figure("peak_by_capacity", w/width))
		}
	}
	j.add("narrow-first-delay", severity, detail, evidence...)
}

func (j *judge) zeroDelay() {
	for i := range j.e.steps {
		s := &j.e.steps[i]
		if s.onZero > 0 {
			j.add("zero-delay", finding.High, percent(s.onZero)+" of the clients wait exactly 0 before attempt "+digits(float64(s.Attempt)),
				count("attempt", int64(s.Attempt)), figure("share", s.onZero))
			return
		}
	}
	if !j.e.exact || j.e.uniform {
		return
	}
	if p := j.p; p.Breaks > 0 && (p.Attempts == 0 || p.Breaks <= p.Attempts) {
		l := p.Law(backoff.State{Attempt: p.Breaks, Outcome: backoff.Refused})
		j.add("zero-delay", finding.High, percent(l.Share(0))+" of the clients wait exactly 0 from attempt "+digits(float64(p.Breaks))+" on, when the wait has overflowed",
			count("attempt", int64(p.Breaks)), figure("share", l.Share(0)))
		return
	}
	for i := range j.e.steps {
		if s := &j.e.steps[i]; s.Min == 0 && s.Max > 0 {
			j.add("zero-delay", finding.Info, "the range of attempt "+digits(float64(s.Attempt))+" begins at 0, though few draw it", count("attempt", int64(s.Attempt)))
			return
		}
	}
}
