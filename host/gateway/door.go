package gateway

import (
	"sync"
	"time"
)

// door keeps the one server's queue by arithmetic: free is the instant at which the work already promised is done.
type door struct {
	mu      sync.Mutex
	each    time.Duration // 1/C; 0: no limit
	limit   int           // how many may wait
	reject  time.Duration // r/C
	free    time.Time
	waiting int
	stalls  []span // outages that hang: nothing is served in them
	deepest int
}

type span struct{ from, to time.Time }

// enter asks for a handshake's turn. ok says whether it may wait, until when; who may wait must leave.
func (d *door) enter(now time.Time) (until time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	from := now
	if d.free.After(from) {
		from = d.free
	}
	for _, s := range d.stalls {
		if !from.Before(s.from) && from.Before(s.to) {
			from = s.to
		}
	}
	if d.full(now) {
		if d.reject > 0 {
			d.free = from.Add(d.reject)
		}
		return now, false
	}
	d.waiting++
	d.deepest = max(d.deepest, d.waiting)
	d.free = from.Add(d.each)
	return d.free, true
}

// full reports whether the work that is taken on leaves no room for another handshake. Rejections that cost something take room
// as well, as in core/herd: a server that is busy saying no has none for others.
func (d *door) full(now time.Time) bool {
	if d.each == 0 {
		return d.waiting >= d.limit
	}
	work := d.free.Sub(now)
	for _, s := range d.stalls { // no work is done in an outage, and none piles up by its length
		from, to := s.from, s.to
		if from.Before(now) {
			from = now
		}
		if to.After(d.free) {
			to = d.free
		}
		work -= max(0, to.Sub(from))
	}
	return float64(max(0, work)+d.each) > (float64(d.limit)+1e-6)*float64(d.each)
}

// leave gives the place in the queue back once the turn has come.
func (d *door) leave() {
	d.mu.Lock()
	d.waiting--
	d.mu.Unlock()
}
