package connlog

import (
	"math/rand/v2"
	"testing"
)

// What numeric lets pass unseen, the careful search would let pass too.
func TestNumericHoldsNoSecret(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	const letters = "0123456789abcdefABCDEF.:"
	for range 200_000 {
		text := make([]byte, shortest+r.IntN(40))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		if !numeric(text) || secretive(text) || mail(text) {
			t.Fatalf("%s: numeric %v, secretive %v, mail %v", text, numeric(text), secretive(text), mail(text))
		}
	}
	for c := range 256 {
		if inside := contains(letters, byte(c)); numeric([]byte{'1', byte(c)}) != inside {
			t.Errorf("%q: %v", rune(c), !inside)
		}
	}
}

func contains(text string, c byte) bool {
	for i := range len(text) {
		if text[i] == c {
			return true
		}
	}
	return false
}
