package storm

import (
	"testing"
	"time"

	"github.com/stormlint/stormlint/host/wheel"
)

// Time is told. Far more attempts at once than the rate allows are asked for once each and begin at the rate; and one at a time, as
// often as the rate allows, is never held.
func TestGate(t *testing.T) {
	const n, rate = 16000, 1000
	p := &pool{gate: gate{each: time.Second / rate}}
	w := wheel.New[*client](step)
	begin, now := time.Unix(1e9, 0), time.Duration(0)
	clients := make([]client, n)
	timers := make([]wheel.Timer[*client], n)
	for i := range clients {
		clients[i] = client{pool: p, number: i}
		timers[i].Value = &clients[i]
		w.Set(&timers[i], 0)
	}
	calls, begun := 0, 0
	try := func(timer *wheel.Timer[*client]) {
		calls++
		if wait := timer.Value.early(begin.Add(now)); wait > 0 {
			w.Set(timer, now+wait)
			return
		}
		begun++
	}
	for next, ok := time.Duration(0), true; ok; next, ok = w.Next() {
		now = next
		w.Advance(now, try)
		// What the slack lets through, what the rate has allowed since, and the one that is under way.
		if most := int((now+slack)*rate/time.Second) + 1; begun > most {
			t.Fatalf("after %v %d have begun, want at most %d", now, begun, most)
		}
		if calls > 2*n {
			t.Fatalf("after %v %d calls, want at most %d", now, calls, 2*n)
		}
	}
	if held := p.gate.count(); begun != n || held > n || held != calls-n {
		t.Errorf("%d of %d have begun, %d were held, in %d calls", begun, n, held, calls)
	}
	if want := n*time.Second/rate - slack; now < want-time.Second/rate || now > want+step {
		t.Errorf("the last began after %v, want %v", now, want)
	}
	held := p.gate.count()
	for i := range n {
		now += 2 * time.Second / rate
		if wait := clients[i].early(begin.Add(now)); wait != 0 {
			t.Fatalf("attempt %d, at half the rate, waits %v", i, wait)
		}
	}
	if p.gate.count() != held {
		t.Errorf("%d were held at half the rate", p.gate.count()-held)
	}
}
