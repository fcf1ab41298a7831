package watch

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/timeline"
	"github.com/stormlint/stormlint/wasm/filter/door"
)

// What is what a client did, as far as its schedule goes.
type What uint8

// The moments of a trail.
const (
	Opened     What = iota // an attempt that became a session
	Failed                 // an attempt that did not
	Closed                 // a session's end
	ClosedLate             // one that the client may have learned of a second later
)

const (
	followed  = 128          // clients
	kept      = 32           // moments of each
	patience  = 2 * 60_000   // ms without a moment after which a place is free
	busyFor   = civil.Second // how long a place's owner is believed
	mostSeen  = 1024         // moments that a worker keeps for its next tick
	trailMark = "stlmtr\x00\x01"
	trailTry  = 8
	nap       = 10 * civil.Minute // beyond it a first wait is a user's who came back
)

// trail is the last moments of one client.
type trail struct {
	id      uint64
	moments []uint64 // ms since 1970 <<8 | What, in order
}

func (t *trail) load(b []byte) bool {
	if len(b) < 24 || len(b) > 16+8*kept || len(b)%8 != 0 || string(b[:8]) != trailMark {
		return false
	}
	t.id = read8(b[8:])
	t.moments = t.moments[:0]
	for b = b[16:]; len(b) > 0; b = b[8:] {
		t.moments = append(t.moments, read8(b))
	}
	return slices.IsSorted(t.moments)
}

func (t *trail) append(b []byte) []byte {
	b = append8(append(b, trailMark...), t.id)
	for _, m := range t.moments {
		b = append8(b, m)
	}
	return b
}

// last is the latest moment, in ms since 1970.
func (t *trail) last() int64 { return int64(t.moments[len(t.moments)-1] >> 8) }

// trails are the followed clients' places in shared data. What is seen is handed in with the next tick: while a handshake
// waits shared data is not asked, and a crowd costs no more than a change of each place a second.
type trails struct {
	shared door.Shared
	owners [followed]owner // of the places, as far as is known
	seen   []seen          // not handed in yet, in the order of places only while that is done
	name   []byte          // of the place at hand
	prefix int             // length of what all names begin with
	buffer []byte
	one    trail
}

// owner is the client that a place has belonged to, until when at least.
type owner struct {
	id    uint64
	until int64
}

// seen is one moment of one client.
type seen struct {
	id     uint64
	moment uint64
}

func (s *trails) key(place int) []byte {
	s.name = strconv.AppendInt(s.name[:s.prefix], int64(place), 10)
	return s.name
}

// place is a client's, whether it has it or not.
func place(id uint64) int { return int(id >> 57) }

// strange reports that a client is not followed, because its place has another owner.
func (s *trails) strange(id uint64, wall int64) bool {
	o := &s.owners[place(id)]
	return o.id != id && wall < o.until && o.until-wall <= busyFor
}

// follow adds a moment to a client's trail, if it is followed or its place may be free.
func (s *trails) follow(id uint64, what What, wall int64) {
	if s.strange(id, wall) {
		return
	}
	if len(s.seen) == mostSeen {
		s.hand(wall)
	}
	s.seen = append(s.seen, seen{id, uint64(wall/civil.Millisecond)<<8 | uint64(what)})
}

// hand hands in what was seen: of each place at once.
func (s *trails) hand(wall int64) {
	slices.SortFunc(s.seen, func(a, b seen) int {
		if c := cmp.Compare(place(a.id), place(b.id)); c != 0 {
			return c
		}
		return cmp.Compare(a.moment, b.moment)
	})
	for rest := s.seen; len(rest) > 0; {
		at, n := place(rest[0].id), 1
		for n < len(rest) && place(rest[n].id) == at {
			n++
		}
		s.add(at, rest[:n], wall)
		rest = rest[n:]
	}
	s.seen = s.seen[:0]
}

// add adds moments of clients of one place, in order, to its owner's trail; whoever comes to a place that is free owns it.
func (s *trails) add(at int, list []seen, wall int64) {
	t, owned := &s.one, false
	door.Update(s.shared, s.key(at), trailTry, func(value []byte) []byte {
		changed := false
		if owned = value != nil && t.load(value) && len(t.moments) > 0; !owned {
			t.id, t.moments = 0, t.moments[:0]
		}
		for _, m := range list {
			if ms := int64(m.moment >> 8); !owned || t.id != m.id && (ms-t.last() > patience || t.last()-ms > patience) {
				if What(m.moment&0xff) >= Closed {
					continue // whoever begins to be followed comes
				}
				t.id, t.moments, owned = m.id, t.moments[:0], true
			}
			if t.id != m.id {
				continue
			}
			to, _ := slices.BinarySearch(t.moments, m.moment)
			t.moments = slices.Insert(t.moments, to, m.moment)
			if n := len(t.moments); n > kept {
				t.moments = slices.Delete(t.moments, 0, n-kept)
			}
			changed = true
		}
		if !changed {
			return nil
		}
		s.buffer = t.append(s.buffer[:0])
		return s.buffer
	})
	if owned {
		s.owners[at] = owner{t.id, wall + busyFor}
	}
}

// judge looks at the places from a first on: how many clients came in a minute, of how many the schedule is known, and how
// many of those come back in step.
func (s *trails) judge(from, n int, number int64) (came, judged, locked int) {
	table := timeline.New(timeline.Part{}, 0)
	var batch connlog.Batch
	for place := from; place < from+n; place++ {
		value, _, st := s.shared.Get(s.key(place))
		if st != door.OK || !s.one.load(value) {
			continue
		}
		t, here := &s.one, false
		for _, m := range t.moments {
			here = here || What(m&0xff) < Closed && int64(m>>8)*civil.Millisecond/civil.Minute == number
		}
		if !here {
			continue
		}
		came++
		for i, m := range t.moments {
			batch.Reset(nil)
			e := batch.Add()
			e.Time, e.Resolution, e.Record = int64(m>>8)*civil.Millisecond, civil.Millisecond, int64(i)
			switch What(m & 0xff) {
			case Opened:
				e.Outcome = connlog.OK
			case Failed:
				e.Outcome = connlog.Limited
			case ClosedLate:
				e.LateBy = civil.Second
				fallthrough
			default:
				e.Kind = connlog.Close
			}
			table.Add(&batch, e, append8(nil, t.id|1)) // no key begins with 0
		}
	}
	table.Freeze(nil)
	var history []timeline.Moment
	var room []byte
	var trace timeline.Trace
	var delays []jitter.Delay
	for i := range table.Clients() {
		history = table.History(i, history[:0], &room)
		table.Trace(history, &trace)
		delays = delays[:0]
		retried := false // only then the schedule is seen, and matters
		for _, w := range trace.Waits {
			if w.Nth == 1 && w.Delay > nap {
				continue
			}
			retried = retried || w.Nth > 1
			delays = append(delays, jitter.Delay{Wait: time.Duration(w.Delay), Attempt: int32(w.Nth), Late: uint8((w.Late + civil.Second - 1) / civil.Second)})
		}
		if !retried {
			continue
		}
		switch jitter.Fit(delays, jitter.Options{Resolution: time.Duration(civil.Millisecond)}).Kind {
		case jitter.Locked:
			judged++
			locked++
		case jitter.Jittered:
			judged++
		}
	}
	return came, judged, locked
}
