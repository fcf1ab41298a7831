package guard

import (
	"context"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// pacer is the last step of an admission that may have waited: the fleet's limit once more, at the moment at which it
// really goes on. Who waits wakes late on a busy machine, and after a stall all wake together; without the pacer the
// backend would get them in one bunch. Those behind wait for the mutex, one after the other.
type pacer struct {
	mu     sync.Mutex
	on     bool
	bucket bucket.Bucket
}

func (p *pacer) set(fleet *bucket.Rule, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on = on && fleet != nil; p.on {
		p.bucket.Rule = *fleet
	}
}

func (p *pacer) pass(g *Guard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.on {
		d := p.bucket.Take(g.now(), 1)
		if d.Allowed || d.RetryAfter > time.Minute {
			return
		}
		g.sleep(context.Background(), d.RetryAfter)
	}
}
