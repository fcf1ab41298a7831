package order

import (
	"slices"
	"testing"
)

type entry struct{ key, was int }

// Against slices.SortStableFunc: every length to 70 and a long one, few and many equal keys, sorted and reversed (a
// multiplicative generator with seed 1).
func TestByIsStableSorting(t *testing.T) {
	x := uint64(1)
	draw := func(n int) int {
		x = x*6364136223846793005 + 1442695040888963407
		return int(x >> 33 % uint64(n))
	}
	compare := func(a, b entry) int { return a.key - b.key }
	for n := range 72 {
		if n == 71 {
			n = 5000
		}
		for _, keys := range []int{1, 3, 1000} {
			list := make([]entry, n)
			for i := range list {
				list[i] = entry{draw(keys), i}
			}
			for range 3 { // as drawn, sorted, reversed
				want := slices.Clone(list)
				slices.SortStableFunc(want, compare)
				By(list, compare)
				if !slices.Equal(list, want) {
					t.Fatalf("%d of %d keys: %v, wanted %v", n, keys, list, want)
				}
				if keys == 3 {
					slices.Reverse(list)
				}
			}
		}
	}
}

func TestInsert(t *testing.T) {
	for i := range 4 {
		list := []int{1, 2, 3}
		if got, want := Insert(list, i, 9), slices.Insert([]int{1, 2, 3}, i, 9); !slices.Equal(got, want) {
			t.Errorf("at %d: %v, wanted %v", i, got, want)
		}
	}
}
