package analyze

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// nap is the longest first wait that can be a client's own: beyond it a user came back, or a laptop woke.
const nap = 10 * civil.Minute

// fit gives the waits of the client in hand as the fit wants them, and how they were seen.
func (h *share) fit() jitter.Options {
	o := jitter.Options{Lossy: h.a.finished.lossy}
	tr, list := &h.trace, h.delays[:0]
	stated := len(tr.Waits) > 0
	for i := range tr.Waits {
		w := &tr.Waits[i]
		if w.Nth == 1 && (w.Delay > nap || h.parted(w)) || w.Delay < 0 {
			continue
		}
		o.Resolution = max(o.Resolution, lapse.Duration(w.Blur/2))
		stated = stated && w.Stated
		list = append(list, jitter.Delay{Wait: lapse.Duration(w.Delay), Attempt: int32(min(w.Nth, 1<<30)), Late: uint8(min((w.Late+civil.Second-1)/civil.Second, 255))})
	}
	o.Quiet = stated
	h.delays = list
	return o
}

// parted reports that the client had ended its session itself and in good order: when it comes back is its user's choice.
func (h *share) parted(w *timeline.Wait) bool {
	if w.Stated || w.Since < 0 {
		return false
	}
	s := h.a.table.Signature(&h.history[w.Since])
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

// mostFitted is how many clients' waits are looked at one by one: those that had to try again, and of them those that
// waited most often. A fit takes some tenths of a millisecond; the others are judged with their group.
const mostFitted = 1000

// fitting is who is looked at, and what was seen.
type fitting struct {
	candidates []candidate
	verdicts   map[uint32]*jitter.Verdict // N is −1 until the client's row is made
	pooled     map[string]jitter.Verdict  // by group
	others     int                        // candidates beyond mostFitted
}

type candidate struct {
	client  uint32
	waits   uint16
	retried bool
}

// waits reads the waits of the client in hand; again says that it had to try again after a failure.
func (h *share) waits() (o jitter.Options, again bool) {
	h.a.table.Trace(h.history, &h.trace)
	return h.fit(), retried(&h.trace)
}

// gathered decides who is fitted.
func (a *Analyzer) gathered() {
	f := a.finished
	f.work.groups.gather(f.shares)
	order.By(f.fitting.candidates, func(x, y candidate) int {
		if x.retried != y.retried {
			if x.retried {
				return -1
			}
			return 1
		}
		k, _ := a.table.Key(int(x.client))
		l, _ := a.table.Key(int(y.client))
		return cmp.Or(-cmp.Compare(x.waits, y.waits), bytes.Compare(k, l))
	})
	f.fitting.verdicts = make(map[uint32]*jitter.Verdict, min(len(f.fitting.candidates), mostFitted))
	for _, c := range f.fitting.candidates[:min(len(f.fitting.candidates), mostFitted)] {
		f.fitting.verdicts[c.client] = &jitter.Verdict{N: -1}
	}
	f.fitting.others = max(len(f.fitting.candidates)-mostFitted, 0)
	f.fitting.candidates = nil
	f.fitting.pooled = f.work.groups.verdicts()
	for _, h := range f.shares {
		h.judging = judging{company: f.work.together.newCompany(), groups: map[string]*report.Group{}, summary: newSummary()}
	}
	f.work.phase, f.work.then = (*share).judge, a.judged
}

// severalAtOnce reports a key that stands for several connections, whose waits are nobody's.
func severalAtOnce(tr *timeline.Trace) bool { return tr.MostOpen > 1 && tr.Parallel > 1 }

// schedule judges the waits of the client in hand, which is of a group, and leaves them in delays.
func (h *share) schedule(i int, group string) jitter.Verdict {
	f := h.a.finished
	o := h.fit()
	n := len(h.delays)
	switch {
	case severalAtOnce(&h.trace):
		return jitter.Verdict{Group: true, N: n, Method: "several connections at once behind one key"}
	case n < jitter.Fewest:
		return jitter.Verdict{N: n, Method: "fewer than " + strconv.Itoa(jitter.Fewest) + " waits"}
	}
	v := f.fitting.verdicts[uint32(i)]
	if v == nil {
		if pooled, ok := f.fitting.pooled[group]; ok && retried(&h.trace) {
			pooled.N, pooled.Method = n, "as its group"
			return pooled
		}
		return jitter.Verdict{N: n, Method: "not among the " + strconv.Itoa(mostFitted) + " clients with the most waits"}
	}
	if v.N < 0 {
		*v = jitter.Fit(h.delays, o)
	}
	return *v
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
