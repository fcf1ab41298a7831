package compat

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// displacement is how many slots lie between a client's own and the one where it was found, over all clients.
func displacement(t *table) (mean float64) {
	sum := 0
	for i, s := range t.slots {
		if s == 0 {
			continue
		}
		places := uint32(len(t.slots) - 1)
		home := uint32(t.hash(int(s&places)-1) >> t.shift)
		sum += int((uint32(i) - home) & places)
	}
	return float64(sum) / float64(max(1, t.n))
}

// TestCraftedCollisions makes keys that all fall to one place under a seed that the attacker knows, and shows that they are
// nothing special under another.
func TestCraftedCollisions(t *testing.T) {
	known := newTable(1)
	var keys []string
	for i := 0; len(keys) < 700; i++ {
		key := strconv.Itoa(i)
		if k := short([]byte(key)); (k[0]*known.a0+k[1]*known.a1)>>(64-12) == 0 {
			keys = append(keys, key)
		}
	}
	for seed, limit := range map[uint64]float64{1: 1e9, 2: 2, 3: 2, 99: 2} {
		table := newTable(seed)
		for _, key := range keys {
			table.find([]byte(key))
		}
		d := displacement(table)
		if d > limit {
			t.Errorf("seed %d: %.1f slots away on average", seed, d)
		}
		if seed == 1 && d < 100 {
			t.Errorf("the attack is none: %.1f slots away on average", d)
		}
	}
}

// TestTableAgainstMap counts random records of short, long and odd keys, in batches as the fast lane does, and compares.
func TestTableAgainstMap(t *testing.T) {
	const seed = 31
	rng := rand.New(rand.NewPCG(seed, 0))
	table := newTable(rng.Uint64())
	all := tables{list: append((&tables{}).list, table)}
	want := map[string]*sums{}
	var order []string
	var queue []pending
	var buf []byte
	flush := func() {
		table.flush(queue, buf, nil)
		queue, buf = queue[:0], buf[:0]
	}
	for range 200_000 {
		n := rng.IntN(30_000)
		key := []string{strconv.Itoa(n), "2001:db8::" + strconv.Itoa(n), strings.Repeat("x", n%40)}[n%3]
		interval := rng.Int64() >> rng.IntN(63)
		has := uint64(rng.IntN(2))
		if has == 0 {
			interval = 0
		}
		if want[key] == nil {
			want[key] = &sums{}
			order = append(order, key)
		}
		want[key].total++
		if has == 1 {
			want[key].add(interval)
		}
		q := pending{interval: interval, has: has}
		if len(key) <= 15 {
			k := short([]byte(key))
			q.k0, q.k1 = k[0], k[1]
		} else {
			q.k0, q.k1 = connlog.Hash(table.seed, []byte(key)), longKey|uint64(len(key))<<31|uint64(len(buf))
			buf = append(buf, key...)
		}
		if queue = append(queue, q); len(queue) == 1+rng.IntN(batch) || len(queue) == batch {
			flush()
		}
	}
	flush()
	if table.n != len(want) {
		t.Fatalf("%d clients, want %d", table.n, len(want))
	}
	for i, place := range all.ordered(1, nil) {
		key := string(table.key(nil, int(place)))
		if key != order[i] || table.sums(int(place)) != *want[key] {
			t.Fatalf("client %d is %q with %v, want %q with %v", i, key, table.sums(int(place)), order[i], *want[order[i]])
		}
	}
	if d := displacement(table); d > 2 {
		t.Errorf("%.1f slots away on average", d)
	}
}
