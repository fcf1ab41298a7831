package guard

import (
	"context"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// line is where the admitted stand until the fleet's next token is there. The store has decided by arithmetic that the
// token will come in time; the line gives it out when it has come, so that a machine that stalls does not send all who
// waited to the backend in one bunch. Whoever goes away takes no token along. After stalls more may stand here than the
// hold time can serve: then the line is full and refuses.
//
// Note: sleeping for the computed wait and going on was tried first: on a busy machine 333 reached a backend of 225 in
// one second. One mutex to be held while sleeping was worse: it passed less than the limit, and those behind it, also
// those long gone, piled up until the descriptors ended.
type line struct {
	mu      sync.Mutex
	on      bool
	most    int // who may stand here at once
	bucket  bucket.Bucket
	waiting []*waiter
	staying int  // of them, not gone
	served  bool // a goroutine gives out tokens
}

type waiter struct {
	turn chan struct{} // closed when the token is there
	due  int64         // not before this instant
	gone bool
}

func (l *line) set(fleet *bucket.Rule, hold time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.on = fleet != nil && hold > 0; l.on {
		l.bucket.Rule = *fleet
		l.most = max(1, int(hold/max(fleet.Interval(), 1)))
	}
}

// pass waits for a token; false when the line is full or the context has ended, which full tells apart. A token that
// several processes share is not given out before the moment that the store has told: here nobody knows of the others'.
func (l *line) pass(ctx context.Context, g *Guard, r Ruling) (ok, full bool) {
	l.mu.Lock()
	now := g.now()
	due := now
	if r.Scope == Cluster {
		due += int64(r.Wait)
	}
	switch {
	case !l.on, l.staying == 0 && due <= now && l.bucket.Take(now, 1).Allowed:
		l.mu.Unlock()
		return true, false
	case l.staying >= l.most:
		l.mu.Unlock()
		return false, true
	}
	w := &waiter{turn: make(chan struct{}), due: due}
	l.waiting = append(l.waiting, w)
	l.staying++
	if !l.served {
		l.served = true
		go l.serve(g)
	}
	l.mu.Unlock()
	g.held.Add(1)
	defer g.held.Add(-1)
	select {
	case <-w.turn:
		return true, false
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.turn: // both at once: the token is spent
	default:
		w.gone = true
		l.staying--
	}
	return false, false
}

// serve gives out tokens until nobody stands in the line.
func (l *line) serve(g *Guard) {
	for {
		l.mu.Lock()
		for len(l.waiting) > 0 && l.waiting[0].gone {
			l.waiting = l.waiting[1:]
		}
		if len(l.waiting) == 0 {
			l.waiting, l.served = nil, false
			l.mu.Unlock()
			return
		}
		d := bucket.Decision{Allowed: true}
		if now := g.now(); l.on && l.waiting[0].due > now {
			d = bucket.Decision{RetryAfter: time.Duration(l.waiting[0].due - now)}
		} else if l.on {
			d = l.bucket.Take(now, 1)
		}
		if d.Allowed {
			close(l.waiting[0].turn)
			l.waiting = l.waiting[1:]
			l.staying--
		}
		l.mu.Unlock()
		if !d.Allowed {
			g.sleep(context.Background(), min(d.RetryAfter, time.Minute))
		}
	}
}
