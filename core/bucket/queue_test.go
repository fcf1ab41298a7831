package bucket

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestQueueSpreads: 9,000 strangers refused within 50 ms before a fleet of 225 a second are told 9,000 different moments,
// evenly over 50 s.
func TestQueueSpreads(t *testing.T) {
	q, err := NewQueue(rule(t, 225, 22), 0, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var moments []time.Duration
	for i := range 9000 {
		now := int64(i) * 5555
		moments = append(moments, time.Duration(now)+q.Wait(rng.Uint64(), now, rng.Uint64()))
	}
	slices.Sort(moments)
	gap := time.Second * 10 / 8 / 225
	for i := 1; i < len(moments); i++ {
		if d := moments[i] - moments[i-1]; d < gap-1000 || d > gap+1000 {
			t.Fatalf("moments %d and %d are %v apart, want %v", i-1, i, d, gap)
		}
	}
	if last := moments[len(moments)-1]; last > 52*time.Second || last < 50*time.Second {
		t.Errorf("the last is told %v", last)
	}
	if n := q.Waiting(0); n < 9000 || n > 9250 {
		t.Errorf("%d waiting", n)
	}
}

// TestQueueImpatient: whoever asks again keeps its moment at least, and the queue does not grow.
func TestQueueImpatient(t *testing.T) {
	q, _ := NewQueue(rule(t, 10, 1), 0, 0, 100)
	rng := rand.New(rand.NewPCG(2, 2))
	first := q.Wait(7, 0, 0)
	head := q.head
	for i := range int64(1000) {
		now := i * ms
		w := q.Wait(7, now, rng.Uint64())
		if now+int64(w) < int64(first) {
			t.Fatalf("asking again at %d ms shortened the wait to %v", i, w)
		}
		if w < time.Second || w > 4*time.Second {
			t.Fatalf("asking again: %v", w)
		}
	}
	if q.head != head {
		t.Error("asking again made the queue longer")
	}
	if w := q.Wait(7, int64(10*time.Second), 0); w > 2*time.Second {
		t.Errorf("after its moment it is a stranger again: %v", w)
	}
}

func TestQueueIsBounded(t *testing.T) {
	q, _ := NewQueue(rule(t, 1, 1), time.Second, time.Minute, 10)
	rng := rand.New(rand.NewPCG(3, 3))
	var sum time.Duration
	for range 10_000 {
		w := q.Wait(rng.Uint64(), 0, rng.Uint64())
		if w < time.Second || w > time.Minute {
			t.Fatal(w)
		}
		sum += w
	}
	if mean := sum / 10_000; mean < 29*time.Second || mean > 32*time.Second {
		t.Errorf("a full queue spreads over all of it: mean %v", mean)
	}
}

func TestNewQueueRefuses(t *testing.T) {
	for _, c := range [][2]time.Duration{{-1, 0}, {time.Second, time.Millisecond}, {0, 25 * time.Hour}} {
		if _, err := NewQueue(Rule{}, c[0], c[1], 0); err == nil {
			t.Errorf("%v accepted", c)
		}
	}
	if _, err := NewQueue(Rule{}, 0, 0, -1); err == nil {
		t.Error("keys -1 accepted")
	}
	q, _ := NewQueue(Rule{}, 0, 0, 1) // a fleet without a rule: waits are the shortest and random
	if w := q.Wait(1, 0, 1<<63); w != time.Second {
		t.Error(w)
	}
}
