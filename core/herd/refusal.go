package herd

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// silence is what clients meet whose SYN is lost: their kernels try again, until they themselves give up.
func (r *Run) silence(list []uint64) {
	for _, w := range list {
		syn := w >> synShift & synMask
		arrival := r.ms<<tickBits | int64(w>>subShift&subMask)
		start := arrival - int64(r.trips.back[w>>tripShift&tripMask]) - synAgain[syn]
		if r.s.Server.DropSYN && syn+1 < uint64(len(synAgain)) && synAgain[syn+1] < r.timeout {
			r.silent++
			ms := r.ms + (synAgain[syn+1]-synAgain[syn])>>tickBits
			r.queue.push(ms, w&(1<<blockShift-1)+1<<synShift|uint64(ms)<<blockShift)
			continue
		}
		if r.ms >= r.outage {
			r.wasted++
		}
		r.late(w, start)
	}
}

// late sends the client of an attempt that timed out into its next wait.
func (r *Run) late(w uint64, start int64) {
	r.timedOut++
	timeouts := min(w>>lateShift&lateMask+1, lateMask)
	r.again(w&(groupMask<<groupShift|clientMask)|timeouts<<lateShift, w>>tryShift&tryMask, backoff.TimedOut, start+r.timeout, 0)
}

// refuse sends the clients of refused attempts into their next waits: the loop in which a storm spends its time.
func (r *Run) refuse(list []uint64, hinted bool) {
	if hinted || len(r.groups) > 1 || r.previous != nil || r.epoch != nil || r.groups[0].once {
		for len(list) > 0 {
			some := list[:min(len(list), 64)]
			list = list[len(some):]
			if r.previous != nil { // fetch what is scattered over memory together, not one after the other
				for _, w := range some {
					r.touched += r.previous[w&clientMask]
				}
			}
			for _, w := range some {
				r.refuseOne(w, hinted)
			}
		}
		return
	}
	q := r.queue
	d := r.draws
	t := r.trips
	now := r.ms << tickBits
	lines := r.groups[0].lines[backoff.Refused][0]
	reach := q.base + 1<<wheelBits
	pool := q.pool
	pushed := int64(0)
	for _, w := range list {
		attempt := nextTry(w >> tryShift & tryMask)
		if attempt >= uint64(len(lines)) || lines[attempt].mode-straight > cut-straight || w>>lateShift&lateMask > 0 {
			r.refuseOne(w, false) // not asked for yet, no straight line, or timed out before
			lines, pool = r.groups[0].lines[backoff.Refused][0], q.pool
			continue
		}
		client := w & clientMask
		u := d.Draw(client, attempt)
		step, there := t.draw(u)
		tick := now + int64(w>>subShift&subMask) + int64(t.back[w>>tripShift&tripMask]) + lines[attempt].delay(u) + there
		ms := tick >> tickBits
		if ms <= r.ms {
			ms, tick = r.ms+1, (r.ms+1)<<tickBits|tick&subMask
		}
		word := uint64(tick)<<subShift | attempt<<tryShift | step<<tripShift | client
		if ms >= reach || ms>>blockBits == q.block {
			q.pushAside(ms, word)
			continue
		}
		// queue.push, written out: this is where a storm spends its time.
		head := &q.heads[ms>>blockBits&(blocks-1)]
		p := *head
		if p&full == full {
			p = q.chunk(p)
			pool = q.pool
		}
		p++
		pool[p] = word
		*head = p
		pushed++
	}
	q.pending += pushed
}

func (r *Run) refuseOne(w uint64, hinted bool) {
	least := int64(0)
	if hinted {
		u := stat.Mix(r.draws.Draw(w&clientMask, w>>tryShift&tryMask)) // another number than the attempt's own
		least = ticks(r.s.Door.RetryAfter) + ticks(lapse.Duration(float64(r.s.Door.Jitter)*(float64(u>>11)*0x1p-53)))
	}
	told := r.ms<<tickBits + int64(w>>subShift&subMask) + int64(r.trips.back[w>>tripShift&tripMask])
	r.again(w&(lateMask<<lateShift|groupMask<<groupShift|clientMask), w>>tryShift&tryMask, backoff.Refused, told, least)
}

// again files the attempt that follows a failed one at an instant in ticks. The word carries client, group and timeouts.
func (r *Run) again(w, attempt uint64, outcome backoff.Outcome, from, least int64) {
	client := w & clientMask
	g := &r.groups[w>>groupShift&groupMask]
	attempt = nextTry(attempt)
	l := g.at(outcome, w>>lateShift&lateMask, attempt)
	id := client
	if r.epoch != nil {
		id |= uint64(r.epoch[client]) << 32
	}
	u := r.draws.Draw(id, attempt)
	own := u
	if g.once {
		own = r.draws.Draw(id, g.policy.DrawAttempt(int(attempt)))
	}
	var wait int64
	switch l.mode {
	case stops:
		r.out--
		r.gone++
		g.gaveUp++
		return
	case walks:
		wait = g.walk(&r.previous[client], own)
	case asked:
		state := backoff.State{Attempt: int(attempt), Outcome: outcome, Timeouts: int(w >> lateShift & lateMask)}
		if g.previous {
			state.Previous = lapse.Duration(float64(r.previous[client]) * 1e6 / (1 << tickBits))
		}
		d, ok := g.policy.Delay(state, own)
		if !ok {
			r.out--
			r.gone++
			g.gaveUp++
			return
		}
		if g.previous {
			r.previous[client] = uint32(min(ticks(d), math.MaxUint32))
		}
		wait = ticks(d)
	default:
		wait = l.delay(own)
	}
	r.file(w, attempt, u, from+max(wait, least))
}

// file puts the arrival of an attempt that starts at a tick into the queue.
func (r *Run) file(w, attempt, u uint64, start int64) {
	step, there := r.trips.draw(u)
	tick := start + there
	ms := tick >> tickBits
	if ms <= r.ms {
		ms, tick = r.ms+1, (r.ms+1)<<tickBits|tick&subMask
	}
	r.queue.push(ms, uint64(tick)<<subShift|attempt<<tryShift|step<<tripShift|w)
}
