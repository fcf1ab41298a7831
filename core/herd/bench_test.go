package herd

import (
	"flag"
	"testing"
	"time"
)

var benchClients = flag.Int("clients", 1_000_000, "how many clients BenchmarkAgainstHeap plays; N/C stays at 100 s")

// BenchmarkAgainstHeap plays the same million clients by the engine and by the textbook simulation on container/heap, a
// whole run of ours after each twelfth of the other's, so that both meet the same neighbours. It compiles for wasm too:
// ./build.sh bench runs it natively, in Node and in wazero.
func BenchmarkAgainstHeap(b *testing.B) {
	s := Scenario{
		Groups: []Group{{Clients: *benchClients, Policy: policy(b, "full:1s:30s")}},
		Server: Server{Capacity: float64(*benchClients) / 100, Backlog: *benchClients / 200, FreeRejects: true},
		Seed:   1,
	}
	for range b.N {
		first := finish(b, s)
		x := newTextbook(s)
		x.lines = true
		x.start()
		const parts = 6
		var ours, theirs time.Duration
		for range parts {
			r, err := New(s)
			if err != nil {
				b.Fatal(err)
			}
			for r.placed < r.total && r.drop == 0 {
				r.Step(1 << 16)
			}
			start := spent()
			for !r.Step(1 << 20) {
			}
			ours += spent() - start
			start = spent()
			x.play(first.events/parts + 1)
			theirs += spent() - start
		}
		if x.total != first.events || x.out != 0 {
			b.Fatalf("the textbook saw %d arrivals, %d clients out; the engine %d", x.total, x.out, first.events)
		}
		fast := float64(first.events) * parts / 1e6 / ours.Seconds()
		slow := float64(x.total) / 1e6 / theirs.Seconds()
		b.ReportMetric(fast, "Mevents/s")
		b.ReportMetric(slow, "heap-Mevents/s")
		b.ReportMetric(fast/slow, "ratio")
	}
}

// BenchmarkMillion is the whole of what a user waits for: a million clients at N/C = 100 s, from the scenario to the result.
func BenchmarkMillion(b *testing.B) {
	for _, spec := range []string{"window:100s", "full:1s:30s", "decorrelated:1s:30s", "exp:1s:30s", "fixed:1s"} {
		s := Scenario{Groups: []Group{{Clients: 1_000_000, Policy: policy(b, spec)}}, Server: Server{Capacity: 10_000}, MaxEvents: 20_000_000}
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				r := finish(b, s)
				r.Result()
				b.ReportMetric(float64(r.events)/1e6, "Mevents")
			}
		})
	}
}
