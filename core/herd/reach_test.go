package herd

import (
	"testing"
	"time"
)

// columns are the circumstances in which an advice has to hold: refusals that cost a tenth of a handshake, a backlog of
// 20 s before a timeout of 5 s, and 30 s of outage before a server with dear refusals; the last one is all of them.
var columns = []struct {
	name   string
	change func(*Scenario)
}{
	{"dear", func(s *Scenario) {}},
	{"deep", func(s *Scenario) {
		s.Server.Backlog = max(1, int(20*s.Server.Capacity))
		s.Net.Timeout = 5 * time.Second
	}},
	{"outage", func(s *Scenario) { s.Outage.For = 30 * time.Second }},
	{"together", func(s *Scenario) {
		s.Outage.For = 30 * time.Second
		s.Server.Backlog = max(1, int(20*s.Server.Capacity))
		s.Net.Timeout = 5 * time.Second
	}},
}

func advice(t testing.TB, q Request) Advice {
	t.Helper()
	p, err := NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return p.advice // as it is before the trials
}

// The tight advice: the last client is back after 1.25 N/C, a round trip and the queue's tail of 10/C (median of ten
// seeds), the busiest bin holds at most 1.3 C, and at most 0.05 attempts a client fail while the server is there.
func TestTight(t *testing.T) {
	windows := []int{1, 10}
	capacities := []float64{10, 1000}
	if *long {
		windows, capacities = []int{1, 2, 5, 10, 30, 100}, []float64{10, 100, 1000, 10_000}
	}
	for _, c := range capacities {
		for _, w := range windows {
			n := int(c) * w
			a := advice(t, Request{Clients: n, Scenario: Scenario{Server: Server{Capacity: c}}, Tight: true})
			for _, column := range columns {
				var last, peak, waste []float64
				for seed := range uint64(10) {
					s := Scenario{Groups: []Group{{Clients: n, Policy: policy(t, a.Policy)}}, Seed: seed,
						Server: Server{Capacity: c, Backlog: a.Backlog}, Net: Network{Timeout: a.Timeout}}
					column.change(&s)
					r := finish(t, s).Result()
					last = append(last, r.Recovery.Last.Seconds())
					peak = append(peak, r.Peak/c)
					waste = append(waste, r.Waste)
				}
				most := 1.25*float64(w) + 0.05 + 10/c
				l, p, x := median(last), median(peak), median(waste)
				if *long {
					t.Logf("C %6.0f/s  N/C %3d s  %-9s last %8.3f s (at most %8.3f)  peak %.2f C (1.3)  waste %.3f (0.05)", c, w, column.name, l, most, p, x)
				}
				if l > most || p > 1.3 || x > 0.05 {
					t.Errorf("C %v/s, N/C %d s, %s: last %.3f s (at most %.3f), peak %.2f C, waste %.3f", c, w, column.name, l, most, p, x)
				}
			}
		}
	}
}

// An advice made for a fleet half or twice as large brings everybody back all the same, in at most 5.5 N/C.
func TestWrongByTwo(t *testing.T) {
	windows := []int{1, 10}
	if *long {
		windows = []int{1, 2, 5, 10, 30, 100}
	}
	for _, tight := range []bool{false, true} {
		for _, w := range windows {
			for _, wrong := range []float64{0.5, 2} {
				const c = 1000
				n := c * w
				a := advice(t, Request{Clients: int(float64(n) * wrong), Scenario: Scenario{Server: Server{Capacity: c}}, Tight: tight})
				for _, column := range columns {
					var last []float64
					for seed := range uint64(3) {
						s := Scenario{Groups: []Group{{Clients: n, Policy: policy(t, a.Policy)}}, Seed: seed,
							Server: Server{Capacity: c, Backlog: a.Backlog}, Net: Network{Timeout: a.Timeout}}
						column.change(&s)
						r := finish(t, s).Result()
						last = append(last, over(&r, r.Recovery.Last))
					}
					if *long {
						t.Logf("tight %-5v  N/C %3d s  thought to be %.1f times that  %-9s last %.2f N/C", tight, w, wrong, column.name, median(last))
					}
					if l := median(last); l > 5.5 {
						t.Errorf("tight %v, N/C %d s, advised for %.1f times as many, %s: last %.2f N/C", tight, w, wrong, column.name, l)
					}
				}
			}
		}
	}
}
