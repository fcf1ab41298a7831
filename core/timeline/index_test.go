package timeline

import (
	"strconv"
	"testing"
)

// displacement is how many places lie between a client's own and the one where it was found, on average.
func (x *index) displacement() float64 {
	sum, mask := 0, uint32(len(x.places)-1)
	for i, n := range x.places {
		if n > 0 {
			sum += int((uint32(i) - x.hashes[n-1]) & mask)
		}
	}
	return float64(sum) / float64(max(1, len(x.hashes)))
}

// Keys that all fall to one place under a seed that the attacker knows are nothing special under another.
func TestCraftedCollisions(t *testing.T) {
	known := index{seed: 1}
	var keys [][]byte
	for i := 0; len(keys) < 700; i++ {
		if key := strconv.AppendInt(nil, int64(i), 10); known.hash(key)%(1<<12) == 0 {
			keys = append(keys, key)
		}
	}
	for seed, most := range map[uint64]float64{1: 1e9, 2: 3, 3: 3, 99: 3} {
		x := index{seed: seed}
		for _, key := range keys {
			x.find(key)
		}
		d := x.displacement()
		if d > most {
			t.Errorf("seed %d: %.1f places away on average", seed, d)
		}
		if seed == 1 && d < 100 {
			t.Errorf("the attack is none: %.1f places away on average", d)
		}
	}
}
