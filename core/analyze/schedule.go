package analyze

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// nap is the longest first wait that can be a client's own: beyond it a user came back, or a laptop woke.
const nap = 10 * civil.Minute

// delays gives a client's waits as the fit wants them, and how they were seen.
func (a *Analyzer) delays(tr *timeline.Trace, list []jitter.Delay) ([]jitter.Delay, jitter.Options) {
	o := jitter.Options{Lossy: a.finished.lossy}
	stated := len(tr.Waits) > 0
	for i := range tr.Waits {
		w := &tr.Waits[i]
		if w.Nth == 1 && (w.Delay > nap || a.left(w)) || w.Delay < 0 {
			continue
		}
		o.Resolution = max(o.Resolution, time.Duration(w.Blur/2))
		stated = stated && w.Stated
		list = append(list, jitter.Delay{Wait: time.Duration(w.Delay), Attempt: int32(min(w.Nth, 1<<30)), Late: uint8(min((w.Late+civil.Second-1)/civil.Second, 255))})
	}
	o.Quiet = stated
	return list, o
}

// left reports that the client had ended its session itself and in good order: when it comes back is its user's choice.
func (a *Analyzer) left(w *timeline.Wait) bool {
	if w.Stated || w.Since < 0 {
		return false
	}
	s := a.table.Signature(&a.finished.history[w.Since])
	return s.Kind == connlog.Close && s.ClosedBy == connlog.ByClient && (s.CloseCode == 1000 || s.CloseCode == 1001)
}

// retried reports that a client had to try again after a failure: only then its schedule is seen, and matters.
func retried(tr *timeline.Trace) bool {
	for i := range tr.Waits {
		if tr.Waits[i].Nth >= 2 {
			return true
		}
	}
	return false
}

// schedule judges a client's waits. A key with several connections at once is a group, whose waits are nobody's.
func (a *Analyzer) schedule(tr *timeline.Trace) (v jitter.Verdict, list []jitter.Delay) {
	f := a.finished
	var o jitter.Options
	f.delays, o = a.delays(tr, f.delays[:0])
	switch {
	case tr.MostOpen > 1 && tr.Parallel > 1:
		return jitter.Verdict{Group: true, N: len(f.delays), Method: "several connections at once behind one key"}, f.delays
	case len(f.delays) < jitter.Fewest:
		return jitter.Verdict{N: len(f.delays), Method: "fewer than " + strconv.Itoa(jitter.Fewest) + " waits"}, f.delays
	}
	return jitter.Fit(f.delays, o), f.delays
}

// scheduleOf puts a verdict into the report's words.
func scheduleOf(v *jitter.Verdict) *report.Schedule {
	return &report.Schedule{
		Verdict: v.Kind.String(), Family: v.Family.String(), Base: int64(v.Base), Multiplier: v.Multiplier, Cap: int64(v.Cap),
		Spread: v.Spread, N: v.N, Method: v.Method, LogOdds: v.LogOdds, Policy: v.Spec(),
	}
}

// hasJitter is the verdict as a yes, a no, or neither.
func hasJitter(k jitter.Kind) *bool {
	if k == jitter.Undecided {
		return nil
	}
	yes := k == jitter.Jittered
	return &yes
}
