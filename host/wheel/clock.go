package wheel

import (
	"sync"
	"time"
)

// Clock tells a wheel the time: one goroutine and one timer of the system, however many wait. It is safe for concurrent use.
type Clock[T any] struct {
	begun time.Time
	fire  func(T)

	mu    sync.Mutex
	wheel *Wheel[T]
	until time.Duration // the goroutine sleeps at most until then
	ended bool
	wake  chan struct{}
	done  chan struct{}
}

// NewClock starts a clock, whose timers fire up to a tick late. fire is called on its goroutine and must not wait.
func NewClock[T any](tick time.Duration, fire func(T)) *Clock[T] {
	k := &Clock[T]{begun: time.Now(), fire: fire, wheel: New[T](tick), wake: make(chan struct{}, 1), done: make(chan struct{})}
	go k.run()
	return k
}

// Set lets a timer fire after a wait; an ended clock fires nothing, and reports so.
func (k *Clock[T]) Set(t *Timer[T], wait time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return false
	}
	at := time.Since(k.begun) + wait
	k.wheel.Set(t, at)
	if at < k.until {
		k.until = at
		k.nudge()
	}
	return true
}

func (k *Clock[T]) nudge() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Stop takes a timer out and reports whether it was still to fire.
func (k *Clock[T]) Stop(t *Timer[T]) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.wheel.Stop(t)
}

// End stops the clock. When it returns nothing fires any more.
func (k *Clock[T]) End() {
	k.mu.Lock()
	k.ended = true
	k.nudge()
	k.mu.Unlock()
	<-k.done
}

func (k *Clock[T]) run() {
	defer close(k.done)
	sleeper := time.NewTimer(0)
	defer sleeper.Stop()
	var due []T
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
		k.wheel.Advance(now, func(t *Timer[T]) { due = append(due, t.Value) })
		k.until = now // whoever sets a timer meanwhile need not wake
		k.mu.Unlock()
		for _, v := range due {
			k.fire(v)
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
