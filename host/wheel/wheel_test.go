package wheel

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// oracle is a list that is looked through from end to end.
type oracle struct {
	now int64
	set map[int]int64 // due
}

func (o *oracle) advance(until int64) (fired []int) {
	for id, due := range o.set {
		if due <= until {
			fired = append(fired, id)
		}
	}
	slices.SortFunc(fired, func(a, b int) int { return cmp.Or(cmp.Compare(o.set[a], o.set[b]), cmp.Compare(a, b)) })
	for _, id := range fired {
		delete(o.set, id)
	}
	o.now = max(o.now, until)
	return fired
}

const tick = 100 * time.Microsecond

// Whatever is set, stopped and advanced, the same timers fire in the same Advance as in the list, in the order of their ticks, and
// nothing is due before Next.
func TestAgainstList(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, o := New[int](tick), &oracle{set: map[int]int64{}}
		timers := make([]Timer[int], 200)
		for i := range timers {
			timers[i].Value = i
		}
		now := time.Duration(0)
		// Waits and steps of every length that a level has, and some that no level reaches.
		span := func() time.Duration { return time.Duration(r.Uint64() >> (16 + r.IntN(40))) }
		for range 3000 {
			i := r.IntN(len(timers))
			switch r.IntN(4) {
			case 0, 1:
				at := now + span() - 3*tick
				w.Set(&timers[i], at)
				o.set[i] = max(o.now, (max(0, int64(at))+int64(tick)-1)/int64(tick))
			case 2:
				_, was := o.set[i]
				delete(o.set, i)
				if got := w.Stop(&timers[i]); got != was {
					t.Fatalf("seed %d: stopped %v, want %v", seed, got, was)
				}
			case 3:
				first := int64(-1)
				for _, due := range o.set {
					if first < 0 || due < first {
						first = due
					}
				}
				next, ok := w.Next()
				if ok != (first >= 0) || ok && int64(next/tick) > first {
					t.Fatalf("seed %d: next %v %v, the first is due at tick %d", seed, next, ok, first)
				}
				if now += span(); ok && r.IntN(2) == 0 {
					now = max(now-now%tick, next) // to the point
				}
				var fired []int
				last := int64(0)
				w.Advance(now, func(x *Timer[int]) {
					if x.due < last {
						t.Fatalf("seed %d: tick %d after %d", seed, x.due, last)
					}
					last = x.due
					fired = append(fired, x.Value)
				})
				want := o.advance(int64(now / tick))
				slices.SortStableFunc(fired, func(a, b int) int { return cmp.Or(cmp.Compare(timers[a].due, timers[b].due), cmp.Compare(a, b)) })
				if !slices.Equal(fired, want) {
					t.Fatalf("seed %d, at %v: fired %v, want %v", seed, now, fired, want)
				}
			}
			if w.Len() != len(o.set) {
				t.Fatalf("seed %d: %d set, want %d", seed, w.Len(), len(o.set))
			}
		}
	}
}

// Who advances the wheel only when Next says so is never late, and wakes three times a timer at most.
func TestNextIsEnough(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	w := New[time.Duration](tick)
	timers := make([]Timer[time.Duration], 1000)
	for i := range timers {
		timers[i].Value = time.Duration(r.Int64N(int64(time.Hour))) / tick * tick
		w.Set(&timers[i], timers[i].Value)
	}
	wakes := 0
	for {
		now, ok := w.Next()
		if !ok {
			break
		}
		wakes++
		w.Advance(now, func(x *Timer[time.Duration]) {
			if x.Value != now {
				t.Errorf("%v fired at %v", x.Value, now)
			}
		})
	}
	if wakes > 4*len(timers) {
		t.Errorf("%d wakes for %d timers", wakes, len(timers))
	}
}

func BenchmarkSetAndFire(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	w := New[int](tick)
	timers := make([]Timer[int], 100_000)
	now := time.Duration(0)
	for i := range timers {
		w.Set(&timers[i], time.Duration(r.Int64N(int64(30*time.Second))))
	}
	b.ReportAllocs()
	for n := 0; n < b.N; {
		now += time.Millisecond
		w.Advance(now, func(t *Timer[int]) {
			w.Set(t, now+time.Duration(r.Int64N(int64(30*time.Second))))
			n++
		})
	}
}
