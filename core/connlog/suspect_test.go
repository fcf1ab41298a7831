package connlog

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// suspect finds each of its four bytes wherever it stands and nothing else, and what it and opens let pass unseen the careful
// search would let pass too.
func TestSuspect(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200_000 {
		letters := "0123456789abcdefABCDEF.:"
		if r.IntN(2) == 0 {
			letters += "J@= eyKI?<>!\x00\x80\xa0\xc0\xbd\xca"
		}
		text := make([]byte, shortest+r.IntN(40))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		if got := suspect(text); got != bytes.ContainsAny(text, "J@= ") {
			t.Fatalf("%q: %v", text, got)
		} else if !got && (jwt(text) || mail(text) || named(text, '=') || bytes.IndexByte(text, ' ') >= 0 && named(text, ':') || secretive(text) != opens(text)) {
			t.Fatalf("%q: a secret is let pass", text)
		}
		if len(letters) == 24 && (suspect(text) || opens(text)) {
			t.Fatalf("%s: an address is looked at twice", text)
		}
	}
}
