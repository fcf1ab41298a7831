package herd

import (
	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// leaving counts the clients that a drain has still to close, by the instant of their close.
type leaving struct {
	counts []int64
	from   int64 // ms
	step   int64 // ms
	next   int
	left   int64
}

func newLeaving(from, over int64) leaving {
	step := over>>16 + 1
	return leaving{counts: make([]int64, over/step+1), from: from, step: step}
}

// until is how many more have left up to the millisecond.
func (l *leaving) until(ms int64) int64 {
	n := int64(0)
	for l.next < len(l.counts) && l.from+int64(l.next)*l.step <= ms {
		n += l.counts[l.next]
		l.next++
	}
	l.left -= n
	return n
}

// golden turns a client's number into a place in [0, 1) of 2^64: multiples of the golden ratio spread any run of numbers
// evenly, so that a drain closes every group at an even pace.
const golden = 0x9e3779b97f4a7c15

// dropSome deals the present drop to the clients, as many as the budget allows, and reports whether it is through.
func (r *Run) dropSome(budget int64) bool {
	d := r.s.Drops[r.drop]
	ms := int64(d.At / lapse.Millisecond)
	over := int64(d.Over / lapse.Millisecond)
	if r.placed == 0 && over > 0 {
		r.open -= r.leaving.left
		r.leaving = newLeaving(ms, over)
	}
	for ; r.placed < r.total; r.placed++ {
		if budget--; budget < 0 {
			return false
		}
		client := uint64(r.placed)
		if r.at[client] == 0 || int64(r.at[client])-1 > ms || !r.chosen(client, &d) {
			continue
		}
		tick := ms << tickBits
		if over > 0 {
			place := client * golden
			if d.Batches > 0 {
				tick += over << tickBits * int64((place>>32)*uint64(d.Batches)>>32) / int64(d.Batches)
			} else {
				tick += int64(float64(over<<tickBits) * (float64(place>>11) * 0x1p-53))
			}
			i := (tick>>tickBits - ms) / r.leaving.step
			r.leaving.counts[i]++
			r.leaving.left++
		} else {
			r.open--
		}
		r.lose(client, tick)
	}
	r.placed = 0
	r.drop++
	return true
}

// chosen reports whether the drop hits the client.
func (r *Run) chosen(client uint64, d *Drop) bool {
	if d.node > 0 {
		return int(r.node[client]) == d.node
	}
	if d.Share >= 1 {
		return true
	}
	u := stat.Mix(r.draws.Draw(client, ^uint64(r.drop)))
	return float64(u>>11)*0x1p-53 < d.Share
}

// lose starts the client's way back.
func (r *Run) lose(client uint64, tick int64) {
	g := 0
	for int(client) >= r.groups[g].first+r.groups[g].clients {
		g++
	}
	attempt := uint64(0)
	if r.epoch != nil {
		stayed := lapse.Duration(tick>>tickBits-int64(r.at[client])+1) * lapse.Millisecond
		if r.drop > 0 && r.opened[client] > 0 && !resets(&r.groups[g].policy, stayed) {
			attempt = uint64(r.opened[client])
		}
		r.epoch[client]++
	}
	if r.since != nil {
		r.since[client] = uint32(tick >> tickBits)
	}
	r.at[client] = 0
	r.out++
	r.again(uint64(g)<<groupShift|client, attempt, backoff.Dropped, tick, 0)
}

// up is how many nodes of a rolling restart are up at the millisecond.
func (r *Run) up(ms int64) int {
	if r.downNode(ms) > 0 {
		return r.s.Restart.Nodes - 1
	}
	return r.s.Restart.Nodes
}

// downNode is the node, from 1, that is away at the millisecond; 0 means none.
func (r *Run) downNode(ms int64) int {
	every, down := int64(r.s.Restart.Every/lapse.Millisecond), int64(r.s.Restart.Down/lapse.Millisecond)
	i := ms / max(every, 1)
	if i < int64(r.s.Restart.Nodes) && ms-i*every < down {
		return int(i) + 1
	}
	return 0
}

// pick is the node that an admitted client lands on: any that is up, at random.
func (r *Run) pick(w uint64) uint8 {
	down := r.downNode(r.ms)
	n := uint64(r.s.Restart.Nodes)
	if down > 0 {
		n--
	}
	u := stat.Mix(r.draws.Draw(w&clientMask|uint64(r.epoch[w&clientMask])<<32, w>>tryShift&tryMask) + 1)
	i := int((u>>32)*n>>32) + 1
	if down > 0 && i >= down {
		i++
	}
	return uint8(i)
}

// resets reports whether a connection of this length starts the policy's count again. Where the policy does not say, it
// does, which is what nearly all clients do.
func resets(p *backoff.Policy, stayed lapse.Duration) bool {
	return p.Reset != backoff.ResetStable || stayed >= p.Stable
}
