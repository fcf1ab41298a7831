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
	if d.waiting >= d.limit {
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

// leave gives the place in the queue back once the turn has come.
func (d *door) leave() {
	d.mu.Lock()
	d.waiting--
	d.mu.Unlock()
}
