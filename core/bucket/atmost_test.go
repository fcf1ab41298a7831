package bucket

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestAtMost: whatever the demand, no second, its end left out, sees more admissions than the number; and a demand that
// never ends gets the whole number in some second, so the limit is not smaller than it says.
func TestAtMost(t *testing.T) {
	for seed := range uint64(4) {
		for _, c := range []struct {
			rate  float64
			burst int64
		}{{1, 0}, {2, 2}, {3, 1}, {10, 0}, {10, 10}, {225, 0}, {225, 1}, {225, 200}, {1000, 0}, {7.5, 0}, {7.5, 8}, {12.25, 3}, {0.4, 0}, {1e6 / 3.0, 1000}} {
			l, err := AtMost(c.rate, c.burst)
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.Compile()
			if err != nil {
				t.Fatal(err)
			}
			most := int(math.Ceil(c.rate))
			for _, flood := range []bool{true, false} {
				rng := rand.New(rand.NewPCG(seed, 11))
				b := Bucket{Rule: r}
				var in []int64
				worst, first := 0, 0
				for now := int64(0); len(in) < min(5*most, 50_000); {
					d := b.Take(now, 1)
					if d.Allowed {
						in = append(in, now)
						for in[len(in)-1]-in[first] >= int64(time.Second) {
							first++
						}
						worst = max(worst, len(in)-first)
					}
					switch {
					case flood:
						now += int64(d.RetryAfter)
					case d.Allowed && rng.IntN(3) > 0: // another at the same instant
					default:
						now += rng.Int64N(int64(2*r.Interval()) + 2)
						if rng.IntN(most) == 0 {
							now += rng.Int64N(int64(2 * time.Second))
						}
					}
				}
				if worst > most || flood && most <= 1000 && worst < most {
					t.Errorf("seed %d: AtMost(%g, %d) let %d in within a second (flood %v)", seed, c.rate, c.burst, worst, flood)
				}
			}
		}
	}
}

func TestAtMostRefuses(t *testing.T) {
	for _, c := range []struct {
		rate  float64
		burst int64
	}{{0, 0}, {-1, 0}, {math.NaN(), 0}, {math.Inf(1), 0}, {10, 11}, {10, -1}, {0.5, 2}} {
		if l, err := AtMost(c.rate, c.burst); err == nil {
			t.Errorf("AtMost(%g, %d) = %+v", c.rate, c.burst, l)
		}
	}
	if l, _ := AtMost(225, 0); l != (Limit{Rate: 204, Burst: 22}) {
		t.Errorf("AtMost(225, 0) = %+v", l)
	}
	if l, _ := AtMost(0.5, 0); l != (Limit{Rate: 0.5, Burst: 1}) {
		t.Errorf("AtMost(0.5, 0) = %+v", l)
	}
}
