package timeline

import (
	"slices"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// Session is one accepted connection. Instants are connlog.None where the log does not show them.
type Session struct {
	Open, Close int64
	Life        int64 // as the log tells it, else Close − Open; None where it cannot be known which open a close belongs to
	Opened      int   // place of the attempt in the history, -1 for none
	Closed      int   // place of the close, -1 for none
}

// Wait is the time a client let pass before an attempt.
type Wait struct {
	Delay   int64 // ns
	At      int64 // the attempt's instant
	Attempt int   // place of the attempt in the history
	Since   int   // place of the close or failed attempt it is counted from; -1 where the log states the wait alone
	Nth     int   // 1 for the first after the session's end or the first failure, and so on until a session begins
	Stated  bool  // the log itself says so
	Blur    int64 // the widths of both stamps together: how much Delay may be off; 0 for stated waits
	Late    int64 // the wait may be up to this much longer: the client may have learned of the end later, or earlier
}

// Trace is the story of one client. It is reused from client to client.
type Trace struct {
	Sessions []Session
	Waits    []Wait
	Open     int // sessions without a close
	MostOpen int // most sessions open at once, as far as closes are seen
	Parallel int // attempts while a session was open, or another attempt ran, and no wait was due

	open  []int // places in Sessions
	due   []end
	mixed bool  // due is not in order of time
	early []int // places of closes that were told ahead of their turn
}

// end is a close or a failed attempt that no attempt has followed yet.
type end struct {
	time  int64
	place int
	nth   int
	late  int64
	blur  int64
	vague bool // an attempt whose outcome the log does not tell
}

// fresh is how long an end is expected to be followed up before others are preferred: among several ends of one key the
// oldest fresh one comes first, so that two clients behind one address that retry in turn are not read as one that
// retries twice as fast.
const fresh = 5 * civil.Minute

// Trace reads a history, in its total order, into tr.
func (t *Table) Trace(history []Moment, tr *Trace) {
	*tr = Trace{Sessions: tr.Sessions[:0], Waits: tr.Waits[:0], open: tr.open[:0], due: tr.due[:0], early: tr.early[:0]}
	for i := range history {
		switch {
		case t.signatures[history[i].Signature].Kind == connlog.Attempt:
			tr.attempt(t, history, i)
		case len(tr.early) == 0 || !slices.Contains(tr.early, i):
			tr.close(t, history, i)
		}
	}
	tr.Open = len(tr.open)
}

func (tr *Trace) attempt(t *Table, history []Moment, i int) {
	m := &history[i]
	s := &t.signatures[m.Signature]
	blur := s.Resolution()
	e, due := tr.take(m.Time, blur)
	if !due && len(tr.open) > 0 && blur > 0 && tr.hurry(t, history, i, blur) {
		e, due = tr.take(m.Time, blur)
	}
	nth := 0
	switch {
	case m.Interval != connlog.None:
		nth = 1
		w := Wait{Delay: m.Interval, At: m.Time, Attempt: i, Since: -1, Nth: 1, Stated: true}
		if due {
			nth = e.nth + 1
			w.Since, w.Nth = e.place, nth
		}
		tr.Waits = append(tr.Waits, w)
	case due && e.vague && s.Outcome == connlog.OK:
		nth = e.nth // the success of the very attempt that was announced before
	case due:
		nth = e.nth + 1
		tr.Waits = append(tr.Waits, Wait{
			Delay: max(m.Time-e.time, 0), At: m.Time, Attempt: i, Since: e.place, Nth: nth, Blur: blur + e.blur, Late: e.late,
		})
	case len(tr.open) > 0 || len(tr.due) > 0:
		tr.Parallel++
	}
	if s.Outcome == connlog.OK {
		tr.open = append(tr.open, len(tr.Sessions))
		tr.Sessions = append(tr.Sessions, Session{Open: m.Time, Close: connlog.None, Life: connlog.None, Opened: i, Closed: -1})
		tr.MostOpen = max(tr.MostOpen, len(tr.open))
		return
	}
	over := m.Time
	if m.Duration > 0 {
		over += m.Duration
	}
	tr.end(end{over, i, nth, 0, blur, s.Outcome == connlog.OutcomeUnknown})
}

// hurry tells the next close ahead of its turn if it is so near that the stamps may have put it on the wrong side of the
// attempt at place i: with whole seconds, a client that comes back at once seems to come before it left. Read as a second
// connection, it would leave an end behind that the next attempt is then counted from, and so on to the end of the log.
func (tr *Trace) hurry(t *Table, history []Moment, i int, blur int64) bool {
	m := &history[i]
	if len(tr.early) > 8 {
		tr.early = tr.early[len(tr.early)-8:] // places far behind
	}
	for j := i + 1; j < len(history) && history[j].Time <= m.Time+blur; j++ {
		c := &history[j]
		if t.signatures[c.Signature].Kind != connlog.Close || c.Part == m.Part && c.Record == m.Record || slices.Contains(tr.early, j) {
			continue
		}
		if which, _ := tr.opened(t, history, c); which < 0 {
			continue
		}
		tr.close(t, history, j)
		tr.early = append(tr.early, j)
		return true
	}
	return false
}

func (tr *Trace) end(e end) {
	n := len(tr.due)
	if n == 0 {
		tr.mixed = false
	} else if tr.due[n-1].time > e.time {
		tr.mixed = true
	}
	tr.due = append(tr.due, e)
}

// take finds the end that an attempt follows: the oldest fresh one, else the newest of the old, which are forgotten. Ends
// that are not over at that time are left: the attempt runs beside them.
func (tr *Trace) take(at, blur int64) (e end, ok bool) {
	if len(tr.due) < 2 { // mostly: nothing to choose from
		if len(tr.due) == 0 || tr.due[0].time > at+blur {
			return end{}, false
		}
		e = tr.due[0]
		tr.due = tr.due[:0]
		return e, true
	}
	return tr.choose(at, blur)
}

// choose is take where there are several.
func (tr *Trace) choose(at, blur int64) (e end, ok bool) {
	if tr.mixed {
		return tr.search(at, blur)
	}
	old := 0
	for old < len(tr.due) && at-tr.due[old].time > fresh {
		old++
	}
	switch {
	case old < len(tr.due) && tr.due[old].time <= at+blur:
		old++
	case old == 0:
		return end{}, false
	}
	e = tr.due[old-1]
	tr.due = append(tr.due[:0], tr.due[old:]...)
	return e, true
}

// search is take where the ends are in no order.
func (tr *Trace) search(at, blur int64) (e end, ok bool) {
	best := -1
	for i := range tr.due {
		d := &tr.due[i]
		if d.time > at+blur {
			continue
		}
		switch {
		case best < 0:
			best = i
		case at-tr.due[best].time > fresh:
			if d.time >= tr.due[best].time { // the newest of the old, or any fresh one
				best = i
			}
		case at-d.time <= fresh && d.time < tr.due[best].time:
			best = i
		}
	}
	if best < 0 {
		return end{}, false
	}
	e = tr.due[best]
	kept := tr.due[:0]
	for i, d := range tr.due {
		if i != best && (d.time > at+blur || at-d.time <= fresh) {
			kept = append(kept, d)
		}
	}
	tr.due = kept
	return e, true
}

func (tr *Trace) close(t *Table, history []Moment, i int) {
	m := &history[i]
	s := &t.signatures[m.Signature]
	which, sure := tr.opened(t, history, m)
	var session *Session
	if which < 0 {
		tr.Sessions = append(tr.Sessions, Session{Open: connlog.None, Life: connlog.None, Opened: -1})
		session = &tr.Sessions[len(tr.Sessions)-1]
	} else {
		session = &tr.Sessions[tr.open[which]]
		if which == len(tr.open)-1 {
			tr.open = tr.open[:which]
		} else {
			tr.open = append(tr.open[:which], tr.open[which+1:]...)
		}
	}
	session.Close, session.Closed = m.Time, i
	switch {
	case m.Duration != connlog.None:
		session.Life = m.Duration
	case sure:
		session.Life = max(m.Time-session.Open, 0)
	}
	tr.end(end{m.Time, i, 0, m.Late, s.Resolution(), false})
}

// opened finds the open session that a close ends: the one of the same record, else of the same connection, else the one
// that began when the duration says, else the oldest. sure is false for the last where there is more than one.
func (tr *Trace) opened(t *Table, history []Moment, m *Moment) (which int, sure bool) {
	oldest, candidates := -1, 0
	nearest, distance := -1, int64(-1)
	for i, n := range tr.open {
		o := &history[tr.Sessions[n].Opened]
		if o.Part == m.Part && o.Record == m.Record {
			return i, true
		}
		if o.Conn != 0 && m.Conn != 0 {
			if o.Conn == m.Conn {
				return i, true
			}
			continue
		}
		candidates++
		if oldest < 0 {
			oldest = i
		}
		if m.Duration != connlog.None {
			d := o.Time - (m.Time - m.Duration)
			if d < 0 {
				d = -d
			}
			if nearest < 0 || d < distance {
				nearest, distance = i, d
			}
		}
	}
	if nearest >= 0 {
		return nearest, true
	}
	return oldest, candidates == 1
}

// Peak is the most attempts that the history has within any stretch of the given length, its end not included. The
// events at the places where skip is true do not count; nil skips none.
func (t *Table) Peak(history []Moment, length int64, skip []bool) int64 {
	var peak, sum int64
	from := 0
	counts := func(i int) bool {
		return t.signatures[history[i].Signature].Kind == connlog.Attempt && (skip == nil || !skip[i])
	}
	for i := range history {
		if !counts(i) {
			continue
		}
		m := &history[i]
		sum += int64(m.Count)
		for ; uint64(m.Time)-uint64(history[from].Time) >= uint64(length); from++ {
			if counts(from) {
				sum -= int64(history[from].Count)
			}
		}
		peak = max(peak, sum)
	}
	return peak
}
