package connlog

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestFind(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	found := 0
	for range 200_000 {
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = `"" 101!#/`[r.IntN(9)]
		}
		at := r.IntN(len(text) + 1)
		want := bytes.Index(text[at:], []byte(`" 101`))
		if want >= 0 {
			want += at
			found++
		}
		if got := find(text, at, []byte(`" 101`)); got != want {
			t.Fatalf("%q from %d: %d, want %d", text, at, got, want)
		}
	}
	if found < 100 {
		t.Errorf("found %d times", found)
	}
}
