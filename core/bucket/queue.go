package bucket

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

// Utilisation is the share of the fleet's rate that a Queue hands out again: the rest is room for those who come without
// being told.
const Utilisation = 0.8

// Queue tells the refused when to come again, so that the refusals make no new herd. Each stranger gets the next of the
// moments that lie 1/(0.8·rate) apart: with N waiting and C a second the last of them is told N/(0.8·C), which is the
// window that the overload needs, and no two are told the same. Whoever asks again before its moment (an impatient
// client, or another one behind the same address) is told the rest of its wait and a random part of the whole window on
// top: hints are spread upward only, and asking often neither shortens a wait nor lengthens the queue.
//
// A moment is a hint, not a reservation: the bucket decides when the client comes.
type Queue struct {
	gap      uint64
	shortest uint64
	longest  uint64
	head     uint64 // the last moment handed out, biased
	sets     []set  // id -> moment; a moment that has passed is a free slot
}

// NewQueue makes the queue before a fleet's bucket. Waits are between shortest and longest (0 mean 1 s and 5 min); keys
// as in NewTable.
func NewQueue(fleet Rule, shortest, longest lapse.Duration, keys int) (*Queue, error) {
	if shortest == 0 {
		shortest = lapse.Second
	}
	if longest == 0 {
		longest = 5 * lapse.Minute
	}
	if shortest < 0 {
		return nil, fault.Value("bucket", "shortest wait", shortest.String(), "above 0s, or 0s for 1s")
	}
	if longest < shortest || longest > 24*lapse.Hour {
		return nil, fault.Value("bucket", "longest wait", longest.String(), "from the shortest ("+shortest.String()+") to 24h")
	}
	t, err := NewTable(fleet, keys)
	if err != nil {
		return nil, err
	}
	q := &Queue{shortest: uint64(shortest), longest: uint64(longest), sets: t.sets}
	q.SetRule(fleet)
	return q, nil
}

// SetRule changes the rate at which moments are handed out from now on.
func (q *Queue) SetRule(fleet Rule) {
	q.gap = min(uint64(float64(fleet.interval)/Utilisation), q.longest)
}

// Wait is how long a refused client should stay away; u is 64 random bits.
func (q *Queue) Wait(id uint64, now int64, u uint64) lapse.Duration {
	at := bias(now)
	i, _ := bits.Mul64(id, uint64(len(q.sets)))
	s := &q.sets[i]
	slot, known := s[id&1].least(), false
	for k := range s {
		l := &s[id&1^uint64(k)]
		if j := l.find(id); j < len(l) {
			slot, known = &l[j], l[j].tat > at
			break
		}
	}
	window := q.shortest
	if q.head > at {
		window = min(max(q.head-at, q.shortest), q.longest)
	}
	if known {
		rest := slot.tat - at
		extra, _ := bits.Mul64(u, window)
		return lapse.Duration(min(max(rest+extra, q.shortest), q.longest))
	}
	moment := max(q.head, at+q.shortest) + q.gap
	if moment > at+q.longest { // the queue is full: anywhere in it
		part, _ := bits.Mul64(u, q.longest-q.shortest+1)
		return lapse.Duration(q.shortest + part)
	}
	q.head = moment
	slot.id, slot.tat = id, moment
	return lapse.Duration(moment - at)
}

// Waiting estimates how many clients hold moments that are still to come.
func (q *Queue) Waiting(now int64) int64 {
	if at := bias(now); q.head > at && q.gap > 0 {
		return int64((q.head - at) / q.gap)
	}
	return 0
}

// End is the last moment that was handed out, in the ns of the clock that Wait is told.
func (q *Queue) End() int64 { return int64(q.head ^ 1<<63) }

// Meet takes over the end of a queue that others hand out from too, if it lies after this one's. An end further away than
// the longest wait was told by somebody else's clock and is ignored.
func (q *Queue) Meet(end, now int64) {
	if at := bias(end); at > q.head && at <= bias(now)+q.longest+q.gap {
		q.head = at
	}
}
