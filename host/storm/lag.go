package storm

import (
	"slices"
	"sync"
	"time"
)

// lag measures how late this machine lets a sleeper run: programs are as late, and differences of their waits that are
// smaller say nothing about their policy.
type lag struct {
	mu   sync.Mutex
	late []time.Duration
}

const (
	lagStep = 20 * time.Millisecond
	finest  = 5 * time.Millisecond // what a wait is known to on an idle machine: a timer, two handshakes
)

// probe is to be called at every lagStep.
func (l *lag) probe() func() {
	last := time.Now()
	return func() {
		now := time.Now()
		l.mu.Lock()
		l.late = append(l.late, now.Sub(last)-lagStep)
		l.mu.Unlock()
		last = now
	}
}

// resolution is what waits are known to: twice what 99 % of the sleepers are late by, since a wait has two ends.
func (l *lag) resolution() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.late) == 0 {
		return finest
	}
	sorted := slices.Sorted(slices.Values(l.late))
	return max(finest, 2*sorted[len(sorted)*99/100]).Round(time.Millisecond)
}
