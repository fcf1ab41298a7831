package herd

import (
	"slices"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

func policy(t testing.TB, spec string) backoff.Policy {
	t.Helper()
	p, err := backoff.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func finish(t testing.TB, s Scenario) *Run {
	t.Helper()
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for !r.Step(1 << 30) {
	}
	return r
}

// The engine agrees with the textbook client by client and to the millisecond.
func TestEqualsTextbook(t *testing.T) {
	for _, spec := range []string{"immediate:10ms", "fixed:1s", "exp:1s:30s", "full:1s:30s", "equal:1s:30s", "decorrelated:1s:30s", "window:25s"} {
		for name, change := range map[string]func(*Scenario){
			"fast":    func(s *Scenario) { s.Server.FreeRejects = true },
			"dear":    func(s *Scenario) {},
			"deep":    func(s *Scenario) { s.Server.Backlog = 1000 },
			"refuses": func(s *Scenario) { s.Outage.For = 30 * time.Second },
			"hangs":   func(s *Scenario) { s.Outage = Outage{For: 30 * time.Second, Hangs: true} },
			"two": func(s *Scenario) {
				s.Groups = append(s.Groups, Group{Clients: 100, Policy: policy(t, "fixed:1s")})
			},
		} {
			s := Scenario{Groups: []Group{{Clients: 300, Policy: policy(t, spec)}}, Server: Server{Capacity: 30, Backlog: 15}, Seed: 7, Horizon: 40 * time.Second,
				Net: Network{Timeout: 5 * time.Second}}
			change(&s)
			r := finish(t, s)
			b := newTextbook(s)
			b.lines = true
			b.run()
			if b.total != r.events || b.timedOut != r.timedOut || b.refused != r.refused {
				t.Errorf("%s %s: %d events, %d refused, %d timed out; the textbook has %d, %d, %d", spec, name, r.events, r.refused, r.timedOut, b.total, b.refused, b.timedOut)
				continue
			}
			for i := range b.clients {
				if got := max(0, int64(r.at[i])-1); got != b.clients[i].back {
					t.Errorf("%s %s: client %d is back at %d ms, the textbook says %d", spec, name, i, got, b.clients[i].back)
					break
				}
			}
		}
	}
}

// earliest agrees with sorting, whatever the words look like.
func TestEarliest(t *testing.T) {
	for seed := range uint64(200) {
		n := int(stat.Mix(seed)%300) + 1
		list := make([]uint64, n)
		for i := range list {
			list[i] = stat.Mix(seed<<32+uint64(i))>>5 | 7<<59 // of one millisecond
			if seed%3 == 1 {
				list[i] = list[i]>>5>>(stat.Mix(uint64(i))%59) | 3<<59
			}
			if seed%3 == 2 {
				list[i] |= 0xffff << 48
			}
		}
		want := slices.Clone(list)
		slices.Sort(want)
		k := int(stat.Mix(seed+1000) % uint64(n+1))
		earliest(list, k)
		if !slices.Equal(list[:k], want[:k]) {
			t.Fatalf("seed %d: the first %d of %d are not the smallest", seed, k, n)
		}
		slices.Sort(list)
		if !slices.Equal(list, want) {
			t.Fatalf("seed %d: words were lost", seed)
		}
	}
}
