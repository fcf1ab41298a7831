package analyze

import (
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
)

// wallClock remembers in which minutes a part's lines were written, in the order of the file, as runs of lines of one minute:
// enough to see that the clock was set back, and to put the parts of a source together exactly. A log whose lines jump about
// so much that the runs are many cannot tell; it is given up, and so would be the whole of which it is a part.
type wallClock struct {
	runs []int64 // minute, lines, minute, lines, …
	lost bool
}

const (
	mostRuns  = 1 << 14 // about two days of a log in which each minute's turn is ragged
	afterStep = 5       // so many lines must follow a step back before it is one: fewer are lines out of order
)

// see takes one event. Of a log that is written at the close the attempt that succeeded is no line of its own, and one that
// failed was written when it had failed.
func (k *wallClock) see(e *connlog.Event, atClose bool) {
	at := e.Time
	if atClose && e.Kind == connlog.Attempt {
		if e.Outcome == connlog.OK {
			return
		}
		if e.Duration > 0 {
			at += e.Duration
		}
	}
	if n := len(k.runs); n > 0 && !k.lost {
		if since := at - k.runs[n-2]*civil.Minute; since >= 0 && since < civil.Minute {
			k.runs[n-1]++
			return
		}
	}
	minute := at / civil.Minute
	if at < 0 {
		return
	}
	k.add(minute, 1)
}

func (k *wallClock) add(minute, lines int64) {
	if k.lost {
		return
	}
	if n := len(k.runs); n > 0 && k.runs[n-2] == minute {
		k.runs[n-1] += lines
		return
	}
	if len(k.runs) >= 2*mostRuns {
		k.lost, k.runs = true, nil
		return
	}
	k.runs = append(k.runs, minute, lines)
}

// valid reports whether runs read back can be a clock's.
func (k *wallClock) valid() bool {
	if len(k.runs)%2 != 0 || len(k.runs) > 2*mostRuns || k.lost && len(k.runs) > 0 {
		return false
	}
	for i := 0; i < len(k.runs); i += 2 {
		if k.runs[i] < 0 || k.runs[i] > 1<<40 || k.runs[i+1] < 1 || i > 0 && k.runs[i] == k.runs[i-2] {
			return false
		}
	}
	return true
}

// step is one setting back: the first minute after it, and by how many minutes.
type step struct{ to, back int64 }

// steps finds where lines go back by two minutes of the log or more (so by more than one of the wallClock) and stay there.
func (k *wallClock) steps() (list []step) {
	high, low, lines := int64(-1), int64(-1), int64(0)
	for i := 0; i < len(k.runs); i += 2 {
		minute := k.runs[i]
		switch {
		case minute > high-2 || high < 0:
			high, low, lines = max(high, minute), -1, 0
			continue
		case low < 0:
			low = minute
		}
		if lines += k.runs[i+1]; lines >= afterStep {
			list = append(list, step{low, high - low})
			high, low, lines = minute, -1, 0
		}
	}
	return list
}

// clockSteps gives a finding for each source whose clock was set back.
func (a *Analyzer) clockSteps() (out []finding.Finding) {
	for from := 0; from < len(a.parts); { // in order, since account
		var whole wallClock
		to := from
		for ; to < len(a.parts) && a.parts[to].Source == a.parts[from].Source; to++ {
			p := &a.parts[to].clock
			for i := 0; i < len(p.runs); i += 2 {
				whole.add(p.runs[i], p.runs[i+1])
			}
			whole.lost = whole.lost || p.lost
		}
		name := a.parts[from].Name
		from = to
		if whole.lost {
			continue
		}
		steps := whole.steps()
		if len(steps) == 0 {
			continue
		}
		most := steps[0]
		for _, s := range steps {
			if s.back > most.back {
				most = s
			}
		}
		message := "the stamps of " + name + " go back by about " + figure.Several(most.back, "minute") + " to " +
			string(civil.AppendRFC3339(nil, most.to*civil.Minute, civil.Second)) + " and stay there"
		if len(steps) > 1 {
			message += "; " + strconv.Itoa(len(steps)) + " such steps"
		}
		out = append(out, finding.Finding{Rule: "clock-step", Severity: finding.Low, Subject: name, Message: message, Advice: advice("clock-step"),
			Evidence: []finding.Evidence{number("steps", int64(len(steps))), number("back_ms", most.back*60_000)}})
	}
	return out
}
