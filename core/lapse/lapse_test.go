package lapse

import (
	"math"
	"testing"
	"time"
)

// The two durations print alike and count seconds alike: at every change of unit, at the ends, and in 100,000 drawn values
// of every size (a multiplicative generator with seed 1).
func TestPlainIsTimeDuration(t *testing.T) {
	values := []int64{0, 1, 9, 10, 999, 1000, 1001, 1e6 - 1, 1e6, 1e6 + 1, 1e9 - 1, 1e9, 1e9 + 1, 15e8, 59e9, 60e9, 60e9 + 1, 61e9, 3599e9, 3600e9, 3661e9, 36e12, math.MaxInt64, math.MinInt64}
	x := uint64(1)
	for i := range 100_000 {
		x = x*6364136223846793005 + 1442695040888963407
		values = append(values, int64(x>>(uint(i)%63)))
	}
	for _, v := range values {
		for _, v := range []int64{v, -v} {
			if got, want := plain(v).String(), time.Duration(v).String(); got != want {
				t.Fatalf("%d: %q, time.Duration says %q", v, got, want)
			}
			if got, want := plain(v).Seconds(), time.Duration(v).Seconds(); got != want {
				t.Fatalf("%d: %v s, time.Duration says %v", v, got, want)
			}
		}
	}
}
