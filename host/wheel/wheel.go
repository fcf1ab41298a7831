// Package wheel keeps very many timers in little time: a hierarchical timing wheel (Varghese and Lauck 1987).
//
// When is the next of 100,000 clients to try again? A heap answers in log n steps for every timer that is set; a wheel has a slot
// for every tick of the near future, a coarser one for what is later, and so on:
//
//	level  slots  of            reaches, with ticks of 100 µs
//	    0    256  1 tick        25.6 ms
//	    1    256  256 ticks     6.5 s
//	    2    256  2^16 ticks    28 min
//	    3    256  2^24 ticks    5 days; what is later waits in the last slot
//
// Setting and stopping take a few steps whatever n is; when a slot of a coarse level comes up, what is in it is dealt out to finer
// ones, so that a timer moves at most three times. No timer fires early, and none later than the end of its tick.
//
// Time is told: Advance says what time it is, and the wheel never looks for itself. It is not safe for concurrent use.
package wheel

import (
	"math/bits"
	"time"
)

const (
	levels = 4
	width  = 8 // bits of a level
	slots  = 1 << width
	mask   = slots - 1
)

// Wheel is a set of timers. Its zero value is not usable: New.
type Wheel[T any] struct {
	tick  time.Duration
	now   int64 // in ticks: all before has fired
	count int
	used  [levels][slots / 64]uint64 // which slots hold timers
	slot  [levels][slots]*Timer[T]   // each a ring
}

// Timer is what is to happen once. Its zero value is not set; a set one must not be copied.
type Timer[T any] struct {
	Value      T
	due        int64 // in ticks
	level, at  uint8
	next, prev *Timer[T] // nil when not set
}

// New makes an empty wheel whose time begins at 0. Instants are rounded up to the tick.
func New[T any](tick time.Duration) *Wheel[T] { return &Wheel[T]{tick: tick} }

// Set sets a timer to an instant, anew if it was set. One that is in the past fires at the next Advance; set by fire it fires in
// the same one.
func (w *Wheel[T]) Set(t *Timer[T], at time.Duration) {
	w.Stop(t)
	t.due = max(w.now, ticks(at+w.tick-1, w.tick))
	w.put(t)
	w.count++
}

// Stop takes a timer out and reports whether it was set.
func (w *Wheel[T]) Stop(t *Timer[T]) bool {
	if t.next == nil {
		return false
	}
	head := &w.slot[t.level][t.at]
	if t.next == t {
		*head = nil
		w.used[t.level][t.at/64] &^= 1 << (t.at % 64)
	} else {
		t.next.prev, t.prev.next = t.prev, t.next
		if *head == t {
			*head = t.next
		}
	}
	t.next, t.prev = nil, nil
	w.count--
	return true
}

// Len is how many timers are set.
func (w *Wheel[T]) Len() int { return w.count }

// Advance tells the time and gives every timer that is due, in the order of their ticks, to fire. It may set and stop timers.
func (w *Wheel[T]) Advance(now time.Duration, fire func(*Timer[T])) {
	until := ticks(now, w.tick)
	for {
		next, ok := w.next()
		if !ok || next > until {
			break
		}
		w.now = next
		w.deal()
		for ring := &w.slot[0][w.now&mask]; *ring != nil && (*ring).due <= w.now; {
			t := *ring
			w.Stop(t)
			fire(t)
		}
	}
	w.now = max(w.now, until)
	w.deal()
}

// Next is the instant until which no Advance is needed; false if no timer is set. No timer is due before it; it may come before
// the first is, when a coarse slot is to be dealt out.
func (w *Wheel[T]) Next() (time.Duration, bool) {
	next, ok := w.next()
	return time.Duration(next) * w.tick, ok
}

// next is the first tick from now on in which something is to be done.
func (w *Wheel[T]) next() (int64, bool) {
	best, found := int64(0), false
	for level := range levels {
		shift := level * width
		here := w.now >> shift
		from := int(here & mask)
		i, ok := w.search(level, from)
		if !ok {
			continue
		}
		turn := here&^mask + int64(i)
		if i < from {
			turn += slots // only of the coarsest level
		}
		if at := max(w.now, turn<<shift); !found || at < best {
			best, found = at, true
		}
	}
	return best, found
}

// search finds the first slot with timers, from one on and round; of a coarse level the one after it comes first.
func (w *Wheel[T]) search(level, from int) (int, bool) {
	if level > 0 {
		from++
	}
	for k := range slots/64 + 1 {
		word := (from/64 + k) % (slots / 64)
		b := w.used[level][word]
		if k == 0 {
			b &= ^uint64(0) << (from % 64)
		}
		if b != 0 {
			return word*64 + bits.TrailingZeros64(b), true
		}
	}
	return 0, false
}

// deal moves what the present's coarse slots hold to finer ones.
func (w *Wheel[T]) deal() {
	for level := levels - 1; level > 0; level-- {
		shift := level * width
		at := w.now >> shift & mask
		ring := w.slot[level][at]
		if ring == nil {
			continue
		}
		w.slot[level][at] = nil
		w.used[level][at/64] &^= 1 << (at % 64)
		last := ring.prev
		for t := ring; ; {
			next := t.next
			w.put(t)
			if t == last {
				break
			}
			t = next
		}
	}
}

// put puts a timer that is due now or later into the finest slot that reaches it.
func (w *Wheel[T]) put(t *Timer[T]) {
	level, ahead := 0, t.due^w.now
	for level < levels-1 && ahead>>((level+1)*width) != 0 {
		level++
	}
	at := t.due >> (level * width) & mask
	if here := w.now >> (level * width); level == levels-1 && t.due>>(level*width)-here >= slots {
		at = (here - 1) & mask // beyond the wheel: the last slot, and then again
	}
	t.level, t.at = uint8(level), uint8(at)
	head := &w.slot[level][at]
	if *head == nil {
		*head, t.next, t.prev = t, t, t
		w.used[level][at/64] |= 1 << (at % 64)
		return
	}
	t.next, t.prev = *head, (*head).prev
	t.prev.next, t.next.prev = t, t
}

func ticks(d, tick time.Duration) int64 {
	if d < 0 {
		return 0
	}
	return int64(d / tick)
}
