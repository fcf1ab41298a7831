package fleet

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// instants is a seeded set that spans from a dense storm to years, so that bins have to widen in some cases.
func instants(r *rand.Rand, n int, span int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = 1_780_000_000_000_000_000 + r.Int64N(span)
		if i%5 == 0 && i > 0 {
			list[i] = list[i-1] // crowds
		}
	}
	return list
}

func TestMergeIsExact(t *testing.T) {
	const second, day = int64(1e9), int64(86400e9)
	seeds := uint64(8)
	if testing.Short() {
		seeds = 4 // each span once
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		span := []int64{10 * second, day, 400 * day, 4000 * day}[seed%4]
		list := instants(r, 30_000, span)
		var whole Counts
		for _, at := range list {
			whole.Add(at, 1)
		}
		parts := make([]Counts, 1+r.IntN(7))
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, at := range list {
			parts[r.IntN(len(parts))].Add(at, 1)
		}
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			parts[i].Merge(&parts[i+1])
			parts = slices.Delete(parts, i+1, i+2)
		}
		if !equal(&parts[0], &whole) {
			t.Errorf("seed %d: merged parts differ from the whole (width %d and %d)", seed, parts[0].Width(), whole.Width())
		}
		if whole.Total() != uint64(len(list)) {
			t.Errorf("seed %d: total %d", seed, whole.Total())
		}
		from, to := whole.Range()
		if s := whole.Sum(from, to); s != uint64(len(list)) {
			t.Errorf("seed %d: sum over the range %d", seed, s)
		}
		start, bin, sums := whole.Series(from, to, 1, 500)
		total := uint64(0)
		for _, n := range sums {
			total += n
		}
		if total != uint64(len(list)) || len(sums) > 500 || start > from || start+bin*int64(len(sums)) < to {
			t.Errorf("seed %d: series of %d bins sums to %d", seed, len(sums), total)
		}
	}
}

// equal compares what was counted, to the bin.
func equal(a, b *Counts) bool {
	return a.level == b.level && a.total == b.total &&
		maps.EqualFunc(a.pages, b.pages, func(p, q *[pageBins]uint32) bool { return *p == *q })
}

// Whatever pages come in whatever order, among them many that share their place among the near ones, the bins are those of a
// plain map.
func TestBinsAreThoseOfAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(20261201, 1))
	for range 40 {
		var c Counts
		reach := int64(1) << (20 + r.IntN(16)) // in bins
		list := make([]int64, 3000)
		for i := range list {
			page := r.Int64N(reach)>>pageBits - reach>>(pageBits+1)
			if r.IntN(2) == 0 {
				page = page / nearPages * nearPages
			}
			list[i] = (page<<pageBits + r.Int64N(pageBins)) * grain
			c.Add(list[i], 1)
		}
		plain := map[int64]uint32{}
		for _, at := range list {
			plain[floorDiv(at, c.Width())*c.Width()]++
		}
		got := map[int64]uint32{}
		c.Each(func(from int64, n uint32) { got[from] = n })
		if !maps.Equal(got, plain) {
			t.Fatalf("%d bins of %d, a map has %d", len(got), c.Width(), len(plain))
		}
	}
}

func TestBinsBeforeTheEpoch(t *testing.T) {
	var c Counts
	c.Add(-1, 1)
	c.Add(0, 2)
	var at []int64
	c.Each(func(from int64, n uint32) { at = append(at, from, int64(n)) })
	if !slices.Equal(at, []int64{-grain, 1, 0, 2}) {
		t.Errorf("bins %v", at)
	}
}
