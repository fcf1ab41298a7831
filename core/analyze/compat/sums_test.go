package compat

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact is the oracle: the same rules over big integers.
func exact(xs []int64) (mean float64, jitter bool) {
	n := big.NewInt(int64(len(xs)))
	s, q := new(big.Int), new(big.Int)
	for _, x := range xs {
		b := big.NewInt(x)
		s.Add(s, b)
		q.Add(q, new(big.Int).Mul(b, b))
	}
	if len(xs) > 0 {
		mean, _ = new(big.Rat).SetFrac(s, n).Float64()
	}
	if len(xs) < 2 {
		return mean, len(xs) == 0
	}
	s2 := new(big.Int).Mul(s, s)
	left := new(big.Int).Mul(big.NewInt(400), new(big.Int).Sub(new(big.Int).Mul(n, q), s2))
	return mean, !(s.Sign() > 0 && left.Cmp(s2) < 0)
}

func TestSumsAgainstBigIntegers(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 6000 {
		base, shift := rng.Int64(), rng.IntN(63)
		xs := make([]int64, rng.IntN(9))
		var s, left, right sums
		for i := range xs {
			xs[i] = base >> shift
			switch rng.IntN(5) {
			case 0:
				xs[i] += rng.Int64N(1 + xs[i]/8)
				if xs[i] < 0 {
					xs[i] = 1<<63 - 1
				}
			case 1:
				xs[i] = -xs[i]
			case 2:
				xs[i] = []int64{-1 << 63, 1<<63 - 1, 0, 1}[rng.IntN(4)]
			}
			s.add(xs[i])
			if i%2 == 0 {
				left.add(xs[i])
			} else {
				right.add(xs[i])
			}
		}
		mean, jitter := exact(xs)
		if s.mean() != mean || s.jitter() != jitter {
			t.Fatalf("seed %d round %d: %v: mean %v jitter %v, want %v %v", seed, round, xs, s.mean(), s.jitter(), mean, jitter)
		}
		if left.merge(&right); left != s {
			t.Fatalf("seed %d round %d: %v: merged %v, want %v", seed, round, xs, left, s)
		}
	}
}
