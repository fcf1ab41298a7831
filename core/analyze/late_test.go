package analyze_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stormlint/stormlint/core/analyze"
)

// Envoy tells the client of an end a second late (delayed_close_timeout). What a client waits after a cut session then
// reads a second too long: full jitter must not become equal jitter for that, nor a fixed wait a longer one, where the
// waits after refusals tell the truth.
func TestLateClose(t *testing.T) {
	for _, c := range []struct {
		name   string
		wait   func(*rand.Rand, int, int) float64
		want   string
		family string
	}{
		{"full jitter", func(r *rand.Rand, _, _ int) float64 { return 2000 * r.Float64() }, "jittered", "full"},
		{"fixed wait", constant(1500), "locked", "fixed"},
	} {
		w := newWorld(31, "2026-11-30T10:00:00Z")
		right, all := 0, 0
		for i := range 40 {
			refusals := 0
			w.live(person{ip: addressOf(i), path: "/ws", agent: "x/1", wait: c.wait, late: 1000}, 10*seconds*w.r.Float64(), 6*minutes, func(float64) answer {
				if refusals < 3 {
					refusals++
					return answer{status: 503}
				}
				refusals = 0
				return answer{status: 101, life: 8000 + exponentialTime(w.r, 10*seconds), by: "server"}
			})
		}
		r := read(t, w.write("envoy"), analyze.Options{Top: -1})
		for i := range r.Clients {
			if s := r.Clients[i].Schedule; s != nil && s.N >= 10 {
				all++
				if s.Verdict == c.want && s.Family == c.family {
					right++
				} else if s.Verdict != c.want && s.Verdict != "undecided" {
					t.Errorf("%s: %s is %s %s (%s)", c.name, r.Clients[i].Name, s.Verdict, s.Family, s.Policy)
				}
			}
		}
		t.Logf("%s behind a late close: %d of %d clients read as %s %s", c.name, right, all, c.want, c.family)
		if right*10 < all*8 || all < 20 {
			t.Errorf("%s: only %d of %d clients are read as %s", c.name, right, all, c.family)
		}
	}
}
