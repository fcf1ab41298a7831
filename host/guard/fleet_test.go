package guard

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// shared is one memory behind several guards, as a Redis is.
type shared struct{ *Memory }

func (s shared) Take(ctx context.Context, key Key, now int64) Ruling {
	r := s.Memory.Take(ctx, key, now)
	r.Scope, r.Source = Cluster, "redis"
	return r
}

// TestNeverMoreThanC is the storm, told the time: every client comes back at once, by its own impatience or by the wait it
// was told, at one guard or at three with a common store; no second lets more than C in, and all are in within 3 N/C.
func TestNeverMoreThanC(t *testing.T) {
	const seed = 1
	for _, c := range []struct {
		rate      float64
		clients   int
		guards    int
		obedient  bool
		hold      time.Duration
		impatient time.Duration
	}{
		{225, 700, 1, false, 0, 50 * time.Millisecond},
		{225, 700, 1, false, -1, 50 * time.Millisecond},
		{225, 2000, 1, true, 0, 0},
		{40, 400, 1, false, 0, time.Second},
		{225, 700, 3, false, 0, 50 * time.Millisecond},
		{10, 100, 3, true, 5 * time.Second, 0},
	} {
		t.Run(fmt.Sprintf("%g of %d at %d, obedient %v, hold %v", c.rate, c.clients, c.guards, c.obedient, c.hold), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var mu sync.Mutex
				var in []time.Duration
				inside := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					in = append(in, time.Since(start))
					mu.Unlock()
					if Most(r.Context()) != int64(c.rate) {
						t.Error("the handler is not told how many")
					}
				})
				store := shared{new(Memory)}
				var doors []http.Handler
				for range c.guards {
					o := Options{Mode: Enforce, Key: "none", Fleet: bucket.Limit{Rate: c.rate}, Hold: c.hold, Seed: seed, Logger: slog.New(slog.DiscardHandler), Instances: c.guards}
					if c.guards > 1 {
						o.Store = store
						o.Now = func() int64 { return int64(time.Since(start)) }
					}
					g, err := New(o)
					if err != nil {
						t.Fatal(err)
					}
					doors = append(doors, g.Wrap(inside))
				}
				var wg sync.WaitGroup
				for i := range c.clients {
					rng := rand.New(rand.NewPCG(seed, uint64(i)))
					wg.Go(func() {
						for {
							w := httptest.NewRecorder()
							doors[rng.IntN(len(doors))].ServeHTTP(w, knock(fmt.Sprintf("[2001:db8::%x]:9", i)))
							if w.Code == http.StatusOK {
								return
							}
							wait := c.impatient
							if c.obedient {
								ms, _ := strconv.Atoi(w.Header().Get("Retry-After-Ms"))
								wait = time.Duration(ms) * time.Millisecond
							}
							time.Sleep(wait)
						}
					})
				}
				wg.Wait()
				slices.Sort(in)
				worst, first := 0, 0
				for i := range in {
					for in[i]-in[first] >= time.Second {
						first++
					}
					worst = max(worst, i-first+1)
				}
				least := time.Duration(float64(c.clients) / c.rate * float64(time.Second))
				t.Logf("seed %d: at most %d in a second, the last after %.2f N/C", seed, worst, float64(in[len(in)-1])/float64(least))
				if worst > int(c.rate) || len(in) != c.clients || in[len(in)-1] > 3*least {
					t.Errorf("%d in a second, %d of %d in, the last after %v", worst, len(in), c.clients, in[len(in)-1])
				}
			})
		})
	}
}
