package herd

import (
	"container/heap"
	"math"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

// textbook is the reference simulation: container/heap, one client struct each, the server told one arrival after the
// other. It shares nothing with the engine but the law of trips and the rule that arrivals of one millisecond meet the
// server at its start.
type textbook struct {
	s         Scenario
	trips     *trips
	events    arrivals
	free      int64
	clients   []textClient
	refused   int64
	timedOut  int64
	out       int
	total     int64
	lines     bool // let the engine's straight lines give the delays, instead of the policy
	schedules []*schedule
}

type textClient struct {
	group    int
	attempt  int
	timeouts int
	previous uint32 // ticks
	back     int64  // ms of the connection; 0: out
}

type arrival struct {
	ms     int64
	word   uint64 // the same order inside a millisecond
	client int
	start  int64
	back   int64
}

type arrivals []arrival

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	if a[i].ms != a[j].ms {
		return a[i].ms < a[j].ms
	}
	return a[i].word < a[j].word
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)   { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	old := *a
	x := old[len(old)-1]
	*a = old[:len(old)-1]
	return x
}

func newTextbook(s Scenario) *textbook {
	s, err := s.prepared()
	if err != nil {
		panic(err)
	}
	b := &textbook{s: s, trips: newTrips(s.Net.Trip, s.Net.Sigma)}
	for g, group := range s.Groups {
		for range group.Clients {
			b.clients = append(b.clients, textClient{group: g})
		}
		k := &schedule{policy: group.Policy}
		k.prepare()
		b.schedules = append(b.schedules, k)
	}
	b.out = len(b.clients)
	return b
}

func (b *textbook) try(now int64, client int, outcome backoff.Outcome, from int64) {
	c := &b.clients[client]
	c.attempt++
	u := stat.Draw(b.s.Seed, uint64(client), uint64(c.attempt))
	own := u
	k := b.schedules[c.group]
	if k.once {
		own = stat.Draw(b.s.Seed, uint64(client), k.policy.DrawAttempt(c.attempt))
	}
	var wait int64
	if l := k.at(outcome, uint64(c.timeouts), uint64(c.attempt)); b.lines && l.mode < asked {
		wait = l.delay(own)
	} else if b.lines && l.mode == walks {
		wait = k.walk(&c.previous, own)
	} else {
		d, ok := k.policy.Delay(backoff.State{Attempt: c.attempt, Outcome: outcome, Timeouts: c.timeouts, Previous: time.Duration(float64(c.previous) * 1e6 / (1 << tickBits))}, own)
		if !ok {
			b.out--
			return
		}
		wait = ticks(d)
		if k.previous {
			c.previous = uint32(ticks(d))
		}
	}
	step, there := b.trips.draw(u)
	tick := from + wait + there
	ms := tick >> tickBits
	if ms <= now {
		ms, tick = now+1, (now+1)<<tickBits|tick&subMask
	}
	word := uint64(tick)<<subShift | uint64(c.attempt)<<tryShift | uint64(c.timeouts)<<lateShift | step<<tripShift |
		uint64(c.group)<<groupShift | uint64(client)
	heap.Push(&b.events, arrival{ms: ms, word: word, client: client, back: int64(b.trips.back[step])})
}

// run plays one drop of everybody, with an outage that refuses or hangs.
func (b *textbook) run() {
	b.start()
	b.play(math.MaxInt64)
}

func (b *textbook) start() {
	for i := range b.clients {
		b.try(0, i, backoff.Dropped, 0)
	}
}

// play follows so many arrivals, or all.
func (b *textbook) play(events int64) {
	unit := newServer(b.s.Server, 0).unit
	refusal := newServer(b.s.Server, 0).refusal
	limit := unit * int64(b.s.Server.Backlog)
	outage := int64(b.s.Outage.For / time.Millisecond)
	timeout := ticks(b.s.Net.Timeout)
	stop := b.total + min(events, math.MaxInt64-b.total)
	for b.out > 0 && b.total < stop {
		e := heap.Pop(&b.events).(arrival)
		if e.ms >= int64(b.s.Horizon/time.Millisecond) {
			return
		}
		b.total++
		c := &b.clients[e.client]
		tick := e.ms<<tickBits | int64(e.word>>subShift&subMask)
		start := tick - e.back
		now := e.ms * perMs
		b.free = max(b.free, now)
		switch {
		case e.ms < outage && b.s.Outage.Hangs:
			b.timedOut++
			c.timeouts = min(c.timeouts+1, lateMask)
			b.try(e.ms, e.client, backoff.TimedOut, start+timeout)
		case e.ms < outage:
			b.refused++
			b.try(e.ms, e.client, backoff.Refused, tick+e.back)
		case b.free-now+unit > limit:
			b.free += refusal
			b.refused++
			b.try(e.ms, e.client, backoff.Refused, tick+e.back)
		default:
			b.free += unit
			seen := b.free>>grainBits + e.back
			if seen-start > timeout {
				b.timedOut++
				c.timeouts = min(c.timeouts+1, lateMask)
				b.try(e.ms, e.client, backoff.TimedOut, start+timeout)
				continue
			}
			b.out--
			c.back = seen >> tickBits
		}
	}
}
