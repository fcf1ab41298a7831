package analyze

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/report"
)

// A filter finds the clients in whose key or user agents the text stands: those that a look at every whole row finds.
func TestFilter(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 20 {
		a := merged(t, Options{Key: Key(r.IntN(4))}, []input{sniffed(t, "log", randomLog(r, 200))})
		if _, err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		all, _, err := a.Page(Query{N: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{".1", "sdk/1", "sdk", "host-", "nobody", "::"} {
			var want []string
			for i := range all {
				c := &all[i]
				if strings.Contains(c.Key, text) || slices.ContainsFunc(c.UserAgents, func(ua string) bool { return strings.Contains(ua, text) }) {
					want = append(want, c.Key)
				}
			}
			got, total, err := a.Page(Query{Filter: text, N: 1000})
			if err != nil || total != len(want) || !slices.EqualFunc(got, want, func(c report.Client, key string) bool { return c.Key == key }) {
				t.Fatalf("seed %d, %q: %d clients, want %d (%v)", seed, text, total, len(want), err)
			}
		}
	}
}
