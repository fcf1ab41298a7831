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

// delays gives a client's waits as the fit wants them, and how they were seen.
func (a *Analyzer) delays(tr *timeline.Trace, list []jitter.Delay) ([]jitter.Delay, jitter.Options) {
	o := jitter.Options{Lossy: a.finished.lossy}
	stated := len(tr.Waits) > 0
	for i := range tr.Waits {
		w := &tr.Waits[i]
		if w.Nth == 1 && (w.Delay > nap || a.left(w)) || w.Delay < 0 {
			continue
		}
		o.Resolution = max(o.Resolution, lapse.Duration(w.Blur/2))
		stated = stated && w.Stated
		list = append(list, jitter.Delay{Wait: lapse.Duration(w.Delay), Attempt: int32(min(w.Nth, 1<<30)), Late: uint8(min((w.Late+civil.Second-1)/civil.Second, 255))})
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

// mostFitted is how many clients' waits are looked at one by one: those that had to try again, and of them those that
// waited most often. A fit takes most of a millisecond; the others are judged with their group.
const mostFitted = 1000

// fitting is who is looked at, and what was seen.
type fitting struct {
	candidates []candidate
	verdicts   map[uint32]jitter.Verdict
	pooled     map[string]jitter.Verdict // by group
	others     int                       // candidates beyond mostFitted
}

type candidate struct {
	client  uint32
	waits   uint16
	retried bool
}

// waits reads the waits of the client whose history is in hand; again says that it had to try again after a failure.
func (a *Analyzer) waits() (o jitter.Options, again bool) {
	f := a.finished
	a.table.Trace(f.history, &f.trace)
	f.delays, o = a.delays(&f.trace, f.delays[:0])
	return o, retried(&f.trace)
}

// candidate makes the client in hand a candidate for a fit, if its waits are enough.
func (a *Analyzer) candidate(i int) {
	f := a.finished
	if len(f.delays) >= jitter.Fewest && !severalAtOnce(&f.trace) {
		f.fitting.candidates = append(f.fitting.candidates, candidate{uint32(i), uint16(min(len(f.delays), 1<<16-1)), retried(&f.trace)})
	}
}

// gather is the round between, where there are very many groups: a client's waits join those of its group.
func (a *Analyzer) gather(i int) int {
	f := a.finished
	key, named := a.table.Key(i)
	if !named {
		return 0
	}
	f.history = a.table.History(i, f.history[:0])
	if o, again := a.waits(); again {
		kinds := f.tally.take(a.table, f.history)
		f.work.groups.pool(f.work.groups.chosen[a.group(kinds)], key, kinds, f.delays, o)
	}
	return len(f.history)
}

// gathered decides who is fitted.
func (a *Analyzer) gathered() {
	f := a.finished
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
	f.fitting.verdicts = make(map[uint32]jitter.Verdict, min(len(f.fitting.candidates), mostFitted))
	for _, c := range f.fitting.candidates[:min(len(f.fitting.candidates), mostFitted)] {
		f.fitting.verdicts[c.client] = jitter.Verdict{N: -1} // to be fitted when its row is made
	}
	f.fitting.others = max(len(f.fitting.candidates)-mostFitted, 0)
	f.fitting.candidates = nil
	f.fitting.pooled = f.work.groups.verdicts()
	f.work.phase, f.work.then = a.judgeClient, a.judged
}

// severalAtOnce reports a key that stands for several connections, whose waits are nobody's.
func severalAtOnce(tr *timeline.Trace) bool { return tr.MostOpen > 1 && tr.Parallel > 1 }

// schedule judges the waits of a client of a group; delays are its waits as the fit wants them.
func (a *Analyzer) schedule(i int, group string, tr *timeline.Trace) (v jitter.Verdict, delays []jitter.Delay) {
	f := a.finished
	var o jitter.Options
	f.delays, o = a.delays(tr, f.delays[:0])
	n := len(f.delays)
	switch {
	case severalAtOnce(tr):
		return jitter.Verdict{Group: true, N: n, Method: "several connections at once behind one key"}, f.delays
	case n < jitter.Fewest:
		return jitter.Verdict{N: n, Method: "fewer than " + strconv.Itoa(jitter.Fewest) + " waits"}, f.delays
	}
	v, chosen := f.fitting.verdicts[uint32(i)]
	switch {
	case chosen && v.N < 0:
		v = jitter.Fit(f.delays, o)
		f.fitting.verdicts[uint32(i)] = v
	case !chosen:
		if pooled, ok := f.fitting.pooled[group]; ok && retried(tr) {
			pooled.N, pooled.Method = n, "as its group"
			return pooled, f.delays
		}
		return jitter.Verdict{N: n, Method: "not among the " + strconv.Itoa(mostFitted) + " clients with the most waits"}, f.delays
	}
	return v, f.delays
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
