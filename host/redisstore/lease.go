package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/host/guard"
)

// lease is a handful of the fleet's tokens that this process may spend for a short time.
type lease struct {
	mu      sync.Mutex
	lasts   int64 // ns
	most    int64 // tokens that grow in that time
	want    int64 // what is asked for next: doubled when spent, halved when forgotten
	tokens  int64
	until   int64 // the lease's end
	empty   int64 // until then Redis has nothing: refuse without asking
	filling *filling
}

// filling is a question under way; ok is its outcome once done is closed.
type filling struct {
	done chan struct{}
	ok   bool
}

func (l *lease) set(lasts time.Duration, most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lasts, l.most = int64(lasts), most
	l.tokens, l.want, l.until, l.empty = 0, 1, 0, 0
}

// takeLease decides over the client in this process and over the fleet by the lease.
func (s *Store) takeLease(l limits, key guard.Key, now int64) (guard.Ruling, bool) {
	own := guard.Ruling{Decision: bucket.Decision{Allowed: true}, Scope: guard.Cluster, Source: "lease"}
	asks := !key.FleetOnly && l.client.interval > 0
	if asks {
		if own = s.own.Look(key, now); own.Remaining < 1 {
			own = s.own.Take(context.Background(), key, now)
			own.Source = "lease"
			return own, true
		}
	}
	fleet, ok := s.spend(l, now)
	if !ok || !fleet.Allowed {
		return fleet, ok
	}
	if asks { // another request of the same client may have come between: then it is refused, and a token is lost
		own = s.own.Take(context.Background(), key, now)
	}
	own.Source = fleet.Source
	return own, true
}

// spend takes one token of the lease, filling it when it is spent or over. One caller asks Redis, the others wait for its
// answer, which comes within the timeout; whoever has waited so long in vain decides without Redis.
func (s *Store) spend(l limits, now int64) (guard.Ruling, bool) {
	r := guard.Ruling{Scope: guard.Cluster, Source: "lease"}
	v := &s.lease
	var start time.Time
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		if v.tokens > 0 && now < v.until {
			v.tokens--
			r.Allowed, r.Remaining = true, v.tokens
			return r, true
		}
		if now < v.empty {
			r.Gate, r.RetryAfter = bucket.Fleet, time.Duration(v.empty-now)
			return r, true
		}
		if start.IsZero() {
			start = time.Now()
		} else if time.Since(start) > s.timeout/2 {
			return r, false
		}
		f := v.filling
		if f != nil {
			v.mu.Unlock()
			<-f.done
			v.mu.Lock()
			if !f.ok {
				return r, false
			}
			continue
		}
		f = &filling{done: make(chan struct{})}
		v.filling = f
		want := v.next(now)
		v.mu.Unlock()
		a, ok := s.ask("", l.fleet, limit{}, want)
		v.mu.Lock()
		v.filling = nil
		if f.ok = ok; ok {
			v.fill(a, now)
		}
		close(f.done)
		if !ok {
			return r, false
		}
		r.Source = "redis"
	}
}

// next is how many tokens to ask for.
func (l *lease) next(now int64) int64 {
	switch {
	case l.tokens == 0 && now < l.until:
		l.want *= 2
	case l.tokens > 0:
		l.want /= 2
	}
	l.want = min(max(l.want, 1), l.most)
	return l.want
}

// fill takes Redis's answer to a question that was asked at an instant: the lease counts from before the asking.
func (l *lease) fill(a answer, asked int64) {
	if a.grant > 0 {
		l.tokens, l.until, l.empty = a.grant, asked+l.lasts, 0
		return
	}
	l.tokens, l.empty = 0, asked+int64(max(a.wait, time.Millisecond))
}
