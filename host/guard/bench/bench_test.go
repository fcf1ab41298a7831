package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"golang.org/x/time/rate"

	"github.com/stormlint/stormlint/core/bucket"
)

const (
	perSecond = 2
	burst     = 5
)

// limiter decides over a key at an instant. Those that read the clock themselves ignore the instant.
type limiter struct {
	name string
	told bool // it can be told the time
	make func(keys int) func(key string, now int64) bool
}

var limiters = []limiter{
	{"core/bucket", true, func(keys int) func(string, int64) bool {
		rule, _ := bucket.Limit{Rate: perSecond, Burst: burst}.Compile()
		table, _ := bucket.NewTable(rule, keys)
		var mu sync.Mutex // as in the guard: the others are safe for concurrent use too
		return func(key string, now int64) bool {
			mu.Lock()
			defer mu.Unlock()
			return table.Take(bucket.Hash(1, key), now, 1).Allowed
		}
	}},
	{"x/time/rate in a map", true, func(keys int) func(string, int64) bool {
		m := make(map[string]*rate.Limiter)
		var mu sync.Mutex
		start := time.Now()
		return func(key string, now int64) bool {
			mu.Lock()
			l := m[key]
			if l == nil {
				l = rate.NewLimiter(perSecond, burst)
				m[key] = l
			}
			mu.Unlock()
			return l.AllowN(start.Add(time.Duration(now)), 1)
		}
	}},
	{"throttled, memstore", false, func(keys int) func(string, int64) bool {
		store, _ := memstore.NewCtx(0)
		l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerSec(perSecond), MaxBurst: burst - 1})
		if err != nil {
			panic(err)
		}
		ctx := context.Background()
		return func(key string, _ int64) bool {
			limited, _, err := l.RateLimitCtx(ctx, key, 1)
			return err == nil && !limited
		}
	}},
	{"sethvargo/go-limiter", false, func(keys int) func(string, int64) bool {
		store, err := memorystore.New(&memorystore.Config{Tokens: burst, Interval: burst * time.Second / perSecond})
		if err != nil {
			panic(err)
		}
		ctx := context.Background()
		return func(key string, _ int64) bool {
			_, _, _, ok, err := store.Take(ctx, key)
			return ok && err == nil
		}
	}},
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// names are 16-byte keys, made before the clock runs.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], uint64(i)*0x9e3779b97f4a7c15)
		list[i] = string(b[:])
	}
	return list
}

// floor is what the loop itself costs: the key's line of memory, the generator of random numbers, and one dependent read
// of a table of 48 bytes a key.
func floor(keys int) func(string, int64) bool {
	table := make([]uint64, 6*keys)
	return func(key string, _ int64) bool {
		i := uint64(key[0]) | uint64(key[1])<<8 | uint64(key[2])<<16 | uint64(key[3])<<24
		table[i*uint64(len(table))>>32]++
		return true
	}
}

func TestSpeedAndMemory(t *testing.T) {
	for _, keys := range []int{1000, 200_000, 1_000_000} {
		list := names(keys)
		all := append([]limiter{{"(one read of 48 B a key)", true, floor}}, limiters...)
		times := make([][2][]float64, len(all)) // keys at random; half of the decisions over a hundredth of them
		fresh := make([]float64, len(all))
		size := make([]float64, len(all))
		take := make([]func(string, int64) bool, len(all))
		for i, l := range all {
			before := heap()
			take[i] = l.make(keys)
			start := cpu()
			for _, key := range list {
				take[i](key, 0)
			}
			fresh[i] = float64(cpu()-start) / float64(keys)
			if after := heap(); after > before {
				size[i] = float64(after-before) / float64(keys)
			}
		}
		const n = 200_000
		k := uint64(1)
		for round := range 7 {
			for i := range all {
				for skew := range times[i] {
					now := int64(2*round+skew) * int64(time.Second)
					gap := int64(time.Second) / 3 / int64(keys)
					few := uint64(keys) // how many keys every second decision is over
					if skew == 1 {
						few /= 100
					}
					start := cpu()
					for range n / 2 {
						k = k*6364136223846793005 + 1442695040888963407
						take[i](list[(k>>32)*uint64(keys)>>32], now)
						k = k*6364136223846793005 + 1442695040888963407
						take[i](list[(k>>32)*few>>32], now+gap)
						now += 2 * gap
					}
					times[i][skew] = append(times[i][skew], float64(cpu()-start)/n)
				}
			}
		}
		t.Logf("%-9d keys                   new    again, at random    half over 1 %% of them   B a key   (ns of CPU; of seven: median, least)", keys)
		for i, l := range all {
			slices.Sort(times[i][0])
			slices.Sort(times[i][1])
			t.Logf("  %-26s %6.0f   %8.0f, %8.0f    %12.0f, %8.0f   %7.0f", l.name, fresh[i], times[i][0][3], times[i][0][0], times[i][1][3], times[i][1][0], size[i])
		}
		runtime.KeepAlive(take)
	}
}

// TestClockAlternates: a clock that jumps to and fro by 10 s, burst 10, 1 a second, 1,000 tries: 10 + 10 s·1/s may be
// admitted and no more.
func TestClockAlternates(t *testing.T) {
	rule, _ := bucket.Limit{Rate: 1, Burst: 10}.Compile()
	b := bucket.Bucket{Rule: rule}
	x := rate.NewLimiter(1, 10)
	start := time.Now()
	var ours, theirs int
	for i := range 1000 {
		now := int64(i%2) * int64(10*time.Second)
		if b.Take(now, 1).Allowed {
			ours++
		}
		if x.AllowN(start.Add(time.Duration(now)), 1) {
			theirs++
		}
	}
	t.Logf("admitted of 1000, at most 20 may be: core/bucket %d, x/time/rate %d", ours, theirs)
	if ours > 20 {
		t.Error("core/bucket mints tokens")
	}
}

func BenchmarkContended(b *testing.B) {
	list := names(100_000)
	for _, l := range limiters {
		b.Run(fmt.Sprint(l.name), func(b *testing.B) {
			take := l.make(len(list))
			start := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				k := uint64(time.Now().UnixNano())
				for pb.Next() {
					k = k*6364136223846793005 + 1442695040888963407
					take(list[(k>>32)*uint64(len(list))>>32], int64(time.Since(start)))
				}
			})
		})
	}
}
