//go:build !wasm

package plugin

import (
	"math/rand/v2"
	"testing"
)

// The table answers as a map does, whatever comes and goes.
func TestContexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []uint32{16, 300, 1 << 31} {
		var c contexts
		want := map[uint32]*plugin{}
		for range 100_000 {
			id := rng.Uint32N(spread) + 1
			switch at := c.find(id); {
			case (at != nil) != (want[id] != nil) || at != nil && at.plugin != want[id]:
				t.Fatalf("%d: %v, want %v", id, at, want[id])
			case at == nil && rng.IntN(2) == 0:
				want[id] = new(plugin)
				c.add(id, want[id])
			case rng.IntN(2) == 0:
				c.remove(id)
				delete(want, id)
			}
			if c.used != len(want) {
				t.Fatalf("%d in use, want %d", c.used, len(want))
			}
		}
		for id := range want {
			c.remove(id)
		}
		for _, s := range c.slots {
			if s.id != 0 || s.plugin != nil {
				t.Fatal("something is left")
			}
		}
	}
	var empty contexts
	if empty.remove(1); empty.find(1) != nil || empty.find(0) != nil {
		t.Error("the empty table holds something")
	}
}
