package analyze

import (
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/timeline"
)

// asks is what an event asks of its client.
func (j *judge) asks(s *timeline.Signature) answer {
	return j.a.protocol.of(s.Kind, s.Outcome, s.Status, s.CloseCode)
}

func takenOver(s *timeline.Signature) bool {
	return s.Kind == connlog.Close && s.ClosedBy == connlog.ByTakeover
}

// refused finds a row of refusals that cannot change.
func (j *judge) refused() {
	if !j.any(func(s *timeline.Signature) bool { return j.asks(s) == final }) {
		return
	}
	var row, longest []int
	served := j.served()
	for i := range j.h {
		s := j.sign(i)
		switch {
		case j.asks(s) == final:
			row = append(row, i)
			if len(row) > len(longest) {
				longest = append(longest[:0], row...)
			}
		case s.Kind == connlog.Attempt && s.Outcome == connlog.OK && served[i]:
			row = row[:0]
		}
	}
	if len(longest) < fewestFinal {
		return
	}
	moments := make([]timeline.Moment, len(longest))
	for i, p := range longest {
		moments[i] = j.h[p]
		moments[i].Count = 1
	}
	pace := perMinute(moments)
	severity := finding.Medium
	if pace >= 10 {
		severity = finding.High
	}
	s := j.sign(longest[0])
	what := "close code " + strconv.Itoa(int(s.CloseCode))
	if s.Kind == connlog.Attempt && s.Status != 0 {
		what = "status " + strconv.Itoa(int(s.Status))
	}
	j.add("refused-forever", severity, "was told no for good ("+what+") and tried again, "+figure.Several(int64(len(longest)), "time")+" in a row", longest,
		number("refusals", int64(len(longest))), number("attempts_per_min", pace))
}

// hint finds waits under a second after being told to come later.
func (j *judge) hint() {
	if !j.any(func(s *timeline.Signature) bool { return j.asks(s) == later }) {
		return
	}
	var waits []int64
	var places []int
	for i := range j.tr.Waits {
		w := &j.tr.Waits[i]
		if w.Since < 0 {
			continue
		}
		s := j.sign(w.Since)
		if j.asks(s) == later {
			waits = append(waits, w.Delay)
			places = append(places, w.Attempt)
		}
	}
	if len(waits) < fewestLater || median(waits) >= civil.Second {
		return
	}
	j.add("hint-ignored", finding.Medium, "was told to come later and came back after "+figure.Span(float64(median(waits)))+", "+figure.Several(int64(len(waits)), "time"), places,
		number("answers", int64(len(waits))), millis("median_wait_ms", float64(median(waits))))
}

// duel finds takeovers, each answered by another.
func (j *judge) duel() {
	if !j.any(takenOver) {
		return
	}
	var places []int
	var moments []timeline.Moment
	for i := range j.h {
		if takenOver(j.sign(i)) {
			places = append(places, i)
			moments = append(moments, j.h[i])
		}
	}
	if len(places) < fewestDuels {
		return
	}
	severity := finding.Medium
	if perMinute(moments) > 1 {
		severity = finding.High
	}
	j.add("identity-duel", severity, "was pushed out by another connection of the same identity, "+figure.Several(int64(len(places)), "time"), places, number("takeovers", int64(len(places))))
}
