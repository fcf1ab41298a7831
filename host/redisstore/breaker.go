package redisstore

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// trips is how many failures in a row open the breaker; probes come about once a probeEvery while it is open.
const trips = 3

// breaker remembers that Redis does not answer, so that decisions need not find out each for itself.
type breaker struct {
	open       atomic.Bool
	failures   atomic.Int32
	returned   atomic.Bool  // Redis came back and nobody has asked since
	agreeUntil atomic.Int64 // in the guard's clock; until then the local buckets must agree
	probeEvery time.Duration
	mu         sync.Mutex
	done       chan struct{}
	ended      bool
	store      *Store
	log        *slog.Logger
}

func (b *breaker) init(s *Store, log *slog.Logger) {
	b.store, b.log, b.done, b.probeEvery = s, log, make(chan struct{}), time.Second
}

func (b *breaker) closed() bool { return !b.open.Load() }

// probation reports whether Redis has come back a short while ago.
func (b *breaker) probation(now int64) bool {
	if b.returned.Swap(false) {
		b.store.mu.RLock()
		span := b.store.now.span
		b.store.mu.RUnlock()
		b.agreeUntil.Store(now + int64(max(span, time.Second)))
	}
	return now < b.agreeUntil.Load()
}

func (b *breaker) success() { b.failures.Store(0) }

func (b *breaker) failure(err error) {
	if b.failures.Add(1) < trips || !b.open.CompareAndSwap(false, true) {
		return
	}
	b.log.Error("guard: redis does not answer: limits are decided in this process until it does", "error", err, "down", string(b.store.down))
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		go b.probe()
	}
}

// probe asks Redis about once a second, at moments that no two processes share, until it answers.
func (b *breaker) probe() {
	for {
		t := time.NewTimer(b.probeEvery/2 + rand.N(b.probeEvery))
		select {
		case <-b.done:
			t.Stop()
			return
		case <-t.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), b.store.timeout)
		err := b.store.redis.Ping(ctx).Err()
		cancel()
		if err == nil {
			b.failures.Store(0)
			b.returned.Store(true)
			b.open.Store(false)
			b.log.Warn("guard: redis answers again: limits are shared")
			return
		}
	}
}

func (b *breaker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		b.open.Store(true)
		close(b.done)
	}
}
