package storm

import (
	"sync"
	"time"

	"github.com/stormlint/stormlint/host/storm/wheel"
)

// clock tells a wheel of clients the time: one goroutine, one timer of the system, however many clients wait.
type clock struct {
	begun time.Time
	fire  func(*client)

	mu    sync.Mutex
	wheel *wheel.Wheel[*client]
	until time.Duration // the goroutine sleeps at most until then
	ended bool
	wake  chan struct{}
	done  chan struct{}
}

// step is what waits are rounded up to.
const step = 100 * time.Microsecond

// newClock starts a clock. fire is called on its goroutine and must not wait.
func newClock(fire func(*client)) *clock {
	k := &clock{begun: time.Now(), fire: fire, wheel: wheel.New[*client](step), wake: make(chan struct{}, 1), done: make(chan struct{})}
	go k.run()
	return k
}

// set lets a client's timer fire after a wait; an ended clock fires nothing.
func (k *clock) set(c *client, wait time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return
	}
	c.timer.Value = c
	at := time.Since(k.begun) + wait
	k.wheel.Set(&c.timer, at)
	if at < k.until {
		k.until = at
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
}

// end stops the clock. When it returns nothing fires any more.
func (k *clock) end() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
	<-k.done
}

func (k *clock) run() {
	defer close(k.done)
	sleeper := time.NewTimer(0)
	defer sleeper.Stop()
	var due []*client
	for {
		select {
		case <-sleeper.C:
		case <-k.wake:
		}
		due = due[:0]
		k.mu.Lock()
		if k.ended {
			k.mu.Unlock()
			return
		}
		now := time.Since(k.begun)
		k.wheel.Advance(now, func(t *wheel.Timer[*client]) { due = append(due, t.Value) })
		k.until = now // whoever sets a timer meanwhile need not wake
		k.mu.Unlock()
		for _, c := range due {
			k.fire(c)
		}
		k.mu.Lock()
		next, ok := k.wheel.Next()
		if !ok {
			next = now + time.Hour
		}
		k.until = next
		k.mu.Unlock()
		sleeper.Reset(next - time.Since(k.begun))
	}
}
