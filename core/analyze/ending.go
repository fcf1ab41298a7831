package analyze

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
)

// flapping finds sessions that end as soon as they begin.
func (j *judge) flapping() {
	known, flaps := 0, 0
	var places []int
	byClient := 0
	for i := range j.tr.Sessions {
		s := &j.tr.Sessions[i]
		if s.Life == connlog.None {
			continue
		}
		known++
		if s.Life < brief {
			flaps++
			if s.Closed >= 0 {
				places = append(places, s.Closed)
				if j.sign(s.Closed).ClosedBy == connlog.ByClient {
					byClient++
				}
			}
		}
	}
	if flaps < fewestFlaps || flaps*2 < known {
		return
	}
	var first []int64
	var blur int64
	for i := range j.tr.Waits {
		w := &j.tr.Waits[i]
		if w.Nth == 1 && w.Since >= 0 && j.sign(w.Since).Kind == connlog.Close {
			first = append(first, w.Delay)
			blur = max(blur, w.Blur/2)
		}
	}
	severity, message := finding.Medium, "accepted and closed again within "+figure.Span(float64(brief))+", "+figure.Several(int64(flaps), "time")
	evidence := []finding.Evidence{number("short_sessions", int64(flaps))}
	if len(first) > 0 {
		m := median(first)
		if m < blur {
			message += "; it comes back within " + figure.Span(float64(blur))
		} else {
			message += "; it comes back after " + figure.Span(float64(m))
		}
		evidence = append(evidence, millis("median_wait_ms", float64(m)))
		if m < civil.Second {
			severity = finding.High
		}
	}
	if byClient*2 > flaps {
		message += "; it closes itself"
		severity = min(severity, finding.Medium)
	}
	j.add("flapping", severity, message, places, evidence...)
}

// cycle finds sessions of equal length.
func (j *judge) cycle() {
	l := &j.c.Lifetimes
	if cv, ok := l.CV(); !ok || l.N < fewestCycles || cv > 0.1 || l.Mean < 10e9 {
		return
	}
	j.add("regular-cycle", finding.Info, figure.Several(l.N, "session")+" lived "+figure.Span(l.Mean)+" each: a timeout or an age limit ends them", nil,
		number("sessions", l.N), millis("lifetime_ms", l.Mean))
}

// link finds sessions of all lengths that break.
func (j *judge) link() {
	l := &j.c.Lifetimes
	if cv, ok := l.CV(); !ok || l.N < fewestLinks || cv < 1.0/3 || l.Mean < float64(brief) || l.Mean > 600e9 || j.tr.MostOpen > 1 {
		return
	}
	broken := 0
	for i := range j.tr.Sessions {
		if c := j.tr.Sessions[i].Closed; c >= 0 {
			if s := j.sign(c); s.ClosedBy == connlog.ByServer || s.ClosedBy == connlog.ByTakeover || s.CloseCode == 1000 {
				continue
			}
			broken++
		}
	}
	if broken*2 < len(j.tr.Sessions) {
		return
	}
	j.add("unstable-link", finding.Low, figure.Several(l.N, "session")+" broke after "+figure.Span(float64(l.Min))+" to "+figure.Span(float64(l.Max)), nil,
		number("sessions", l.N), millis("lifetime_ms", l.Mean))
}
