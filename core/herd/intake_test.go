package herd

import (
	"testing"
	"time"
)

// A hundred clients in step, room for ten, 100 handshakes a second. In one instant ten of them find room at each of ten waves.
// Through a machine that takes in 1,000 a second a wave of n is n ms wide, and a tenth of n more find room meanwhile: 100, 80, 62,
// 46, 31, 18, 6 are left, seven waves.
func TestIntake(t *testing.T) {
	s := Scenario{Groups: []Group{{Clients: 100, Policy: policy(t, "fixed:1s")}}, Server: Server{Capacity: 100, Backlog: 10, FreeRejects: true}, Net: Network{Instant: true}}
	at := finish(t, s).Result()
	s.Server.Intake = 1000
	wide := finish(t, s).Result()
	if at.Recovery.Last < 10*time.Second || at.Recovery.Last > 10200*time.Millisecond {
		t.Errorf("in one instant: last %v, want ten waves", at.Recovery.Last)
	}
	if wide.Recovery.Last < 7*time.Second || wide.Recovery.Last > 7300*time.Millisecond {
		t.Errorf("through a machine: last %v, want seven waves", wide.Recovery.Last)
	}
	if at.Recovered != 100 || wide.Recovered != 100 || wide.Arrivals < 100 {
		t.Errorf("%d and %d recovered", at.Recovered, wide.Recovered)
	}
	// A machine that is fast enough changes nothing.
	s.Server.Intake = 1e7
	if fast := finish(t, s).Result(); fast.Recovery.Last != at.Recovery.Last || fast.Refused != at.Refused {
		t.Errorf("a fast machine: last %v and %d refused, without %v and %d", fast.Recovery.Last, fast.Refused, at.Recovery.Last, at.Refused)
	}
}
