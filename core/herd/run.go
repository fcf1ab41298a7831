package herd

import (
	"math"
	"slices"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// Run is a simulation under way: call Step until it says done, then Result. It holds 4 bytes a client and about 10 an
// event in waiting.
type Run struct {
	s      Scenario // prepared
	total  int
	draws  stat.Draws
	trips  *trips
	queue  *queue
	groups []kind
	server server
	intake intake
	door   bucket.Bucket

	ms       int64 // the next millisecond to be simulated
	end      int64 // the horizon, in ms
	outage   int64 // until then the server is away, in ms
	timeout  int64 // ticks
	drop     int   // the next of s.Drops
	placed   int   // clients that this drop has been dealt to
	leaving  leaving
	nextMark int64    // ms
	at       []uint32 // per client the ms of its latest connection, plus 1; 0 while it is out
	since    []uint32 // per client the ms of its latest drop, where they differ
	previous []uint32 // per client the delay before in ticks, where a policy needs it
	touched  uint32   // keeps a loop of reads from being removed
	epoch    []uint8  // per client how often it was dropped before, where there are several drops
	opened   []uint16 // per client the attempt that succeeded, where there are several drops
	node     []uint8  // per client the node it is on, in a rolling restart

	tally
}

// kind is a group at work.
type kind struct {
	schedule
	first, clients int // clients first … first+clients−1
	gaveUp         int64
}

// tally is what a run counts.
type tally struct {
	events   int64
	out      int64 // clients without a connection that still try or wait to
	gone     int64 // clients whose policy gave up
	wasted   int64 // failed attempts while the server was there
	refused  int64 // by a full backlog, descriptors or the outage
	turned   int64 // by the door
	silent   int64 // SYNs that met no answer
	timedOut int64
	arrivals []uint32 // per 100 ms
	open     int64    // connected, or in the server's queue and not departed
	lastTick int64
	fdPeak   int64
	marks    []mark
}

const binMs = 100

// New checks the scenario and prepares its run.
func New(s Scenario) (*Run, error) {
	s, err := s.prepared()
	if err != nil {
		return nil, err
	}
	r := &Run{s: s, total: s.Clients(), draws: stat.Seeded(s.Seed), trips: newTrips(s.Net.Trip, s.Net.Sigma)}
	r.queue = newQueue(r.total)
	r.at = make([]uint32, r.total)
	first := 0
	for _, g := range s.Groups {
		k := kind{first: first, clients: g.Clients}
		k.policy = g.Policy
		k.prepare()
		if k.previous && r.previous == nil {
			r.previous = make([]uint32, r.total)
		}
		r.groups = append(r.groups, k)
		first += g.Clients
	}
	if len(s.Drops) > 1 || s.Drops[0].Over > 0 || s.Drops[0].Share < 1 {
		r.since = make([]uint32, r.total)
	}
	if len(s.Drops) > 1 {
		r.epoch = make([]uint8, r.total)
		r.opened = make([]uint16, r.total)
	}
	if s.Restart.Nodes > 0 {
		r.node = make([]uint8, r.total)
	}
	for i := range r.at {
		r.at[i] = 1 // connected at 0
		if r.node != nil {
			r.node[i] = uint8(i%s.Restart.Nodes) + 1
		}
	}
	r.open = int64(r.total)
	r.fdPeak = r.open
	r.end = int64(s.Horizon / lapse.Millisecond)
	r.outage = int64((s.Outage.For + lapse.Millisecond - 1) / lapse.Millisecond)
	r.timeout = ticks(s.Net.Timeout)
	r.server = newServer(s.Server, s.Door.Cost)
	r.intake = newIntake(s.Server.Intake)
	if s.Door.Rate > 0 {
		rule, err := bucket.Limit{Rate: s.Door.Rate, Burst: int64(s.Door.Burst)}.Compile()
		if err != nil {
			return nil, err
		}
		r.door.Rule = rule
	}
	return r, nil
}

// Step simulates at least budget arrivals, or to the end, and reports whether it is there.
func (r *Run) Step(budget int64) (done bool) {
	goal := r.events + budget
	for r.events < goal {
		if r.done() {
			return true
		}
		if r.drop < len(r.s.Drops) && r.ms >= int64(r.s.Drops[r.drop].At/lapse.Millisecond) {
			if !r.dropSome(goal - r.events) {
				return false
			}
			continue
		}
		r.millisecond()
	}
	return r.done()
}

func (r *Run) done() bool {
	if r.ms >= r.end || r.events >= r.s.MaxEvents {
		return true
	}
	return r.queue.pending == 0 && r.intake.empty() && r.drop >= len(r.s.Drops)
}

// Progress is how far the run is, 0 to 1: the clients that are back, or the time and the arrivals used up, whichever is
// further.
func (r *Run) Progress() float64 {
	if r.done() {
		return 1
	}
	drops := float64(r.drop) / float64(len(r.s.Drops))
	return max(float64(r.ms)/float64(r.end), float64(r.events)/float64(r.s.MaxEvents),
		min(0.99, drops*(1-float64(r.out)/float64(r.total))))
}

// millisecond simulates the arrivals of one millisecond. They meet the server together: first come, first served inside
// it as well, in the order of their words.
func (r *Run) millisecond() {
	ms := r.ms
	q := r.queue
	if ms >= r.nextMark {
		r.mark()
	}
	if r.leaving.left > 0 {
		r.open -= r.leaving.until(ms)
	}
	var list []uint64
	if q.reach(ms) {
		list = q.take(ms)
	} else if r.intake.empty() {
		r.ms = r.skipped()
		return
	}
	n := len(list)
	if n == 0 && r.intake.empty() {
		r.ms++
		return
	}
	r.events += int64(n)
	bin := int(ms / binMs)
	for len(r.arrivals) <= bin {
		r.arrivals = append(r.arrivals, 0)
	}
	r.arrivals[bin] += uint32(n)
	if r.intake.each > 0 {
		list = r.intake.pass(ms, list)
		n = len(list)
	}
	if ms < r.outage {
		if r.s.Outage.Hangs {
			r.silence(list)
		} else {
			r.refused += int64(n)
			r.refuse(list, false)
		}
		r.ms++
		return
	}
	r.server.now(ms)
	if r.node != nil {
		r.server.share(r.up(ms), r.s.Restart.Nodes)
	}
	if r.s.Door.Rate > 0 {
		list = r.passDoor(list)
	}
	r.serve(list)
	r.ms++
}

// skipped is the millisecond after an empty block, or the one at which the next drop falls into it.
func (r *Run) skipped() int64 {
	next := (r.ms>>blockBits + 1) << blockBits
	if r.drop < len(r.s.Drops) {
		next = min(next, max(r.ms+1, int64(r.s.Drops[r.drop].At/lapse.Millisecond)))
	}
	return min(next, max(r.end, r.ms+1))
}

// passDoor lets the first come through and turns the rest away.
func (r *Run) passDoor(list []uint64) []uint64 {
	ns := r.ms * 1e6
	k := int(min(r.door.Take(ns, 0).Remaining, int64(len(list))))
	r.door.Take(ns, int64(k))
	if k == len(list) {
		return list
	}
	earliest(list, k)
	away := list[k:]
	r.turned += int64(len(away))
	r.wasted += int64(len(away))
	r.server.work(int64(len(away)), r.server.turn)
	r.refuse(away, r.s.Door.RetryAfter > 0 || r.s.Door.Jitter > 0)
	return list[:k]
}

// serve admits as many of the arrivals as the backlog and the descriptors hold and refuses the rest.
func (r *Run) serve(list []uint64) {
	if len(list) == 0 {
		return
	}
	if r.s.Server.Growth > 0 {
		r.server.grow(r.s.Server.Growth * float64(r.open) / float64(r.total))
	}
	v := &r.server
	n := int64(len(list))
	k := n
	if r.s.Server.SkipDeparted {
		k = r.serveSkipping(list)
	} else {
		k = min(k, v.room())
		if f := int64(r.s.Server.Descriptors); f > 0 {
			k = min(k, max(0, f-r.open-v.departedOpen()))
		}
		if k > 0 {
			if k < n {
				earliest(list, int(k))
			} else {
				order(list)
			}
			for _, w := range list[:k] {
				v.admit()
				r.settle(w)
			}
		}
	}
	r.fdPeak = max(r.fdPeak, r.open+int64(len(v.departed)-v.head))
	if k == n {
		return
	}
	rest := list[k:]
	if r.s.Server.DropSYN {
		r.silence(rest)
		return
	}
	v.work(n-k, v.refusal)
	r.refused += n - k
	r.wasted += n - k
	r.refuse(rest, false)
}

// serveSkipping is serve for a server that looks whether the client is still there: whoever would leave before its turn
// takes no work, so that the room has to be looked up for each.
func (r *Run) serveSkipping(list []uint64) int64 {
	order(list)
	v := &r.server
	f := int64(r.s.Server.Descriptors)
	for i, w := range list {
		if v.room() < 1 || f > 0 && r.open >= f {
			return int64(i)
		}
		before, useful := v.free, v.useful
		v.admit()
		if !r.settle(w) {
			v.free, v.useful = before, useful
		}
	}
	return int64(len(list))
}

// settle decides what an admitted client sees: its connection, or its own timeout before it.
func (r *Run) settle(w uint64) (connected bool) {
	client := w & clientMask
	arrival := r.ms<<tickBits | int64(w>>subShift&subMask)
	back := int64(r.trips.back[w>>tripShift&tripMask])
	seen := r.server.free>>grainBits + back
	if start := arrival - back - synAgain[w>>synShift&synMask]; seen-start > r.timeout {
		if !r.s.Server.SkipDeparted {
			r.server.depart()
		}
		r.wasted++
		r.late(w, start)
		return false
	}
	r.connect(w, client, seen)
	return true
}

func (r *Run) connect(w, client uint64, seen int64) {
	r.at[client] = uint32(min(seen>>tickBits, math.MaxUint32-1)) + 1
	r.lastTick = max(r.lastTick, seen)
	r.out--
	r.open++
	if r.opened != nil {
		r.opened[client] = uint16(w >> tryShift & tryMask)
	}
	if r.node != nil {
		r.node[client] = r.pick(w)
	}
}

// order sorts words; most lists are short.
func order(list []uint64) {
	if len(list) > 24 {
		slices.Sort(list)
		return
	}
	for i := 1; i < len(list); i++ {
		w := list[i]
		j := i
		for ; j > 0 && list[j-1] > w; j-- {
			list[j] = list[j-1]
		}
		list[j] = w
	}
}

// earliest moves the k smallest words to the front, in order. The highest bits of words are evenly spread over the
// millisecond, so that one cut at about k/n of it leaves little to sort.
func earliest(list []uint64, k int) {
	if len(list) == 0 {
		return
	}
	rest := list
	low := list[0] &^ (1<<blockShift - 1) // of what rest can hold, were it evenly spread
	high := low | (1<<blockShift - 1)
	for k > 0 && k < len(rest) && len(rest) > 24 {
		share := float64(k+2) / float64(len(rest))
		if share >= 0.9 {
			break
		}
		pivot := low + uint64(float64(high-low)*share)
		i := 0
		for j, w := range rest {
			if w <= pivot {
				rest[i], rest[j] = w, rest[i]
				i++
			}
		}
		if i < len(rest)/64 && i < k || i > len(rest)-len(rest)/64 {
			break // not spread evenly after all
		}
		if i < k {
			order(rest[:i])
			rest, k, low = rest[i:], k-i, pivot
			continue
		}
		rest, high = rest[:i], pivot
		if i <= k+16 {
			break
		}
	}
	if k > 0 {
		order(rest)
	}
}
