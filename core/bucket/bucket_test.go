package bucket

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

func rule(t testing.TB, rate float64, burst int64) Rule {
	t.Helper()
	r, err := Limit{Rate: rate, Burst: burst}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const ms = int64(time.Millisecond)

// TestStory is the table of the package comment and of DESIGN-sized limits, told step by step.
func TestStory(t *testing.T) {
	type step struct {
		at, n     int64 // ms, tokens
		allowed   bool
		remaining int64
		retry     time.Duration
		reset     time.Duration
	}
	for name, c := range map[string]struct {
		rate  float64
		burst int64
		steps []step
	}{
		"two a second, five at once": {2, 5, []step{
			{0, 1, true, 4, 0, 500 * time.Millisecond},
			{100, 1, true, 3, 0, 900 * time.Millisecond},
			{200, 1, true, 2, 0, 1300 * time.Millisecond},
			{300, 1, true, 1, 0, 1700 * time.Millisecond},
			{400, 1, true, 0, 0, 2100 * time.Millisecond},
			{500, 1, true, 0, 0, 2500 * time.Millisecond},
			{600, 1, false, 0, 400 * time.Millisecond, 2400 * time.Millisecond},
			{1000, 1, true, 0, 0, 2500 * time.Millisecond},
			{11000, 0, true, 5, 0, 0},
			{11000, 6, false, 5, Never, 0},
			{11000, 5, true, 0, 0, 2500 * time.Millisecond},
			{11000, 2, false, 0, time.Second, 2500 * time.Millisecond},
		}},
		"the clock steps back": {1, 3, []step{
			{10_000, 1, true, 2, 0, time.Second},
			{0, 1, true, 1, 0, 2 * time.Second}, // it stands still: what it holds is given
			{0, 1, true, 0, 0, 3 * time.Second},
			{0, 1, false, 0, time.Second, 3 * time.Second},
			{10_000, 1, false, 0, time.Second, 3 * time.Second},
			{9_999, 1, false, 0, time.Second, 3 * time.Second},
			{11_000, 1, true, 0, 0, 3 * time.Second},
		}},
		"burst 0 admits nothing, not even one": {100, 0, []step{
			{0, 1, false, 0, Never, 0}, {60_000, 1, false, 0, Never, 0}, {60_000, 0, true, 0, 0, 0},
		}},
		"one in thirty-four years": {1.0 / (1 << 30), 2, []step{
			{0, 1, true, 1, 0, 1e9 << 30}, {1, 1, true, 0, 0, 2e9<<30 - 1e6}, {2, 1, false, 0, 1e9<<30 - 2e6, 2e9<<30 - 2e6},
		}},
		"no limit": {math.Inf(1), 0, []step{
			{0, 1 << 62, true, math.MaxInt64, 0, 0}, {-5, 1, true, math.MaxInt64, 0, 0},
		}},
		"instants before 1970": {1, 1, []step{
			{-9000, 1, true, 0, 0, time.Second}, {-8500, 1, false, 0, 500 * time.Millisecond, 500 * time.Millisecond}, {-8000, 1, true, 0, 0, time.Second},
		}},
	} {
		b := Bucket{Rule: rule(t, c.rate, c.burst)}
		for i, s := range c.steps {
			want := Decision{s.allowed, s.remaining, s.retry, s.reset}
			if got := b.Take(s.at*ms, s.n); got != want {
				t.Errorf("%s: step %d at %d ms: got %+v, want %+v", name, i, s.at, got, want)
			}
		}
	}
}

func TestZeroAdmitsNothing(t *testing.T) {
	var b Bucket
	if d := b.Take(0, 1); d != (Decision{RetryAfter: Never}) {
		t.Errorf("zero bucket: %+v", d)
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, l := range []Limit{{}, {Rate: -1, Burst: 1}, {Rate: math.NaN(), Burst: 1}, {Rate: math.Inf(-1), Burst: 1},
		{Rate: 1, Burst: -1}, {Rate: 1e-10, Burst: 1}, {Rate: 5e-324, Burst: 0}, {Rate: 1, Burst: math.MaxInt64}, {Rate: 1e9, Burst: 1 << 62}} {
		_, err := l.Compile()
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.BadValue || f.Field == "" || f.Value == "" || f.Expected == "" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	for _, l := range []Limit{{Rate: 5e-10, Burst: 1}, {Rate: math.MaxFloat64, Burst: 1<<62 - 1}, {Rate: math.Inf(1), Burst: 0}, {Rate: 1e9, Burst: 1<<62 - 1}} {
		if _, err := l.Compile(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// TestIntervalCovers: T is the smallest whole number of ns with T·rate ≥ 10^9, checked with exact rationals.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	goal := big.NewRat(1e9, 1)
	for i := range 20_000 {
		rate := math.Exp(rng.Float64()*44 - 20)
		switch i % 4 {
		case 0:
			rate = float64(int(rate) + 1)
		case 1:
			rate = math.Nextafter(1e9/float64(1+rng.IntN(1_000_000)), math.Inf(1-2*(i/4%2)))
		}
		r := rule(t, rate, 0)
		exact := new(big.Rat).SetFloat64(rate)
		at := func(n int64) int { return new(big.Rat).Mul(exact, big.NewRat(n, 1)).Cmp(goal) }
		if at(r.interval) < 0 || r.interval > 1 && at(r.interval-1) >= 0 {
			t.Fatalf("rate %v: interval %d is not the smallest that covers it", rate, r.interval)
		}
	}
}

// oracle is a bucket of tokens counted with exact rationals, as one would explain it to a child.
type oracle struct {
	interval, burst *big.Rat
	tokens          *big.Rat
	clock           int64
	started         bool
}

func newOracle(r Rule) *oracle {
	return &oracle{big.NewRat(r.interval, 1), big.NewRat(r.burst, 1), big.NewRat(r.burst, 1), 0, false}
}

func ceil(r *big.Rat) int64 {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

func floor(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() }

func (o *oracle) take(now, n int64) Decision {
	now = min(max(now, -latest), latest)
	if !o.started {
		o.clock, o.started = now, true
	}
	if now > o.clock {
		passed := new(big.Rat).SetInt(new(big.Int).Sub(big.NewInt(now), big.NewInt(o.clock)))
		o.tokens.Add(o.tokens, passed.Quo(passed, o.interval))
		if o.tokens.Cmp(o.burst) > 0 {
			o.tokens.Set(o.burst)
		}
		o.clock = now
	}
	want := big.NewRat(max(n, 0), 1)
	var d Decision
	if want.Cmp(o.tokens) <= 0 {
		o.tokens.Sub(o.tokens, want)
		d.Allowed = true
	} else if want.Cmp(o.burst) > 0 {
		d.RetryAfter = Never
	} else {
		lack := new(big.Rat).Sub(want, o.tokens)
		d.RetryAfter = time.Duration(ceil(lack.Mul(lack, o.interval)))
	}
	d.Remaining = floor(o.tokens)
	lack := new(big.Rat).Sub(o.burst, o.tokens)
	d.ResetAfter = time.Duration(ceil(lack.Mul(lack, o.interval)))
	return d
}

// extremes are limits at the edges of what Compile accepts.
var extremes = []Limit{{2, 5}, {1, 1}, {1e-9, 1}, {1e-9, 4}, {1e9, 1}, {3e8, 7}, {1e300, 1 << 20}, {1000, 1 << 40}, {1e9, 1<<62 - 1},
	{225, 225}, {1.0 / 3, 3}, {0.1, 1}, {7, 0}, {6.5e5, 1 << 50}, {2, 1 << 51}}

func TestOracle(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 1))
	rounds := 300
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		l := extremes[round%len(extremes)]
		if round >= 2*len(extremes) {
			l = Limit{Rate: math.Exp(rng.Float64()*40 - 20), Burst: int64(math.Exp(rng.Float64() * 20))}
			if rng.IntN(2) == 0 {
				l.Burst = int64(rng.IntN(8))
			}
		}
		r, err := l.Compile()
		if err != nil {
			continue
		}
		b, o := Bucket{Rule: r}, newOracle(r)
		now := int64(rng.Uint64()) >> (1 + rng.IntN(40))
		for range 300 {
			switch rng.IntN(12) {
			case 0: // any step, also back
				now += (rng.Int64N(3) - 1) * rng.Int64N(max(r.span, 1)+1)
			case 1:
				now = int64(rng.Uint64()) >> rng.IntN(60)
			case 2, 3:
			default:
				now += rng.Int64N(max(r.interval, 1) * 2)
			}
			n := int64(1)
			switch rng.IntN(8) {
			case 0:
				n = rng.Int64N(max(l.Burst, 1) + 2)
			case 1:
				n = 0
			}
			got, want := b.Take(now, n), o.take(now, n)
			if got != want {
				t.Fatalf("seed %d, %+v, now %d, n %d: got %+v, want %+v", seed, l, now, n, got, want)
			}
		}
	}
}

// TestNeverMoreThanTheBurst: whatever clock it is told, a bucket gives at most burst + (latest − earliest)·rate.
func TestNeverMoreThanTheBurst(t *testing.T) {
	b := Bucket{Rule: rule(t, 1, 10)}
	given := 0
	for i := range 1000 { // the case in which refilling by the difference of two clock readings gives 50 of 10
		if b.Take(int64(i%2)*10_000*ms, 1).Allowed {
			given++
		}
	}
	if given != 11 { // one at 0 s, the ten that have grown by 10 s, and no more
		t.Errorf("a clock alternating by 10 s: %d admitted, want 11", given)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		b := Bucket{Rule: rule(t, 1, 10)}
		first := rng.Int64N(100_000)
		lo, hi, given := first, first, int64(0)
		for range 200 {
			now := rng.Int64N(100_000)
			lo, hi = min(lo, now), max(hi, now)
			if b.Take(now*ms, 1).Allowed {
				given++
			}
		}
		if limit := 10 + (hi-lo)/1000; given > limit {
			t.Fatalf("%d admitted, at most %d", given, limit)
		}
	}
}

// TestSplittingTime: looking in between changes nothing.
func TestSplittingTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a, b := Bucket{Rule: rule(t, 3, 4)}, Bucket{Rule: rule(t, 3, 4)}
	now := int64(0)
	for range 20_000 {
		step := rng.Int64N(500 * ms)
		for range rng.IntN(4) {
			b.Take(now+rng.Int64N(step+1), 0)
		}
		now += step
		if x, y := a.Take(now, 1), b.Take(now, 1); x != y {
			t.Fatalf("at %d: %+v and, looked at in between, %+v", now, x, y)
		}
	}
}

func TestRuleChanges(t *testing.T) {
	b := Bucket{Rule: rule(t, 1, 100)}
	b.Take(0, 100) // owes 100 s
	b.Rule = rule(t, 10, 10)
	if d := b.Take(0, 1); d.RetryAfter != 100*time.Millisecond {
		t.Errorf("after a change to 10 a second the debt is at most an empty bucket's: %+v", d)
	}
	if d := b.Take(100*ms, 1); !d.Allowed {
		t.Errorf("and it is paid off at the new rate: %+v", d)
	}
	table, _ := NewTable(rule(t, 0.001, 2), 1)
	for id := range uint64(8) {
		table.Take(id, 0, 2)
	}
	table.SetRule(rule(t, 10, 10))
	table.Take(3, 0, 1)
	table.Take(99, 0, 1) // a newcomer that is refused changes nobody's name
	for _, id := range []uint64{3, 99} {
		if d := table.Take(id, 100*ms, 1); !d.Allowed {
			t.Errorf("key %d of a table after a change: %+v", id, d)
		}
	}
}

func FuzzTake(f *testing.F) {
	for _, l := range extremes {
		f.Add(l.Rate, l.Burst, int64(0), int64(1), int64(5), int64(-3), int64(1), int64(2))
	}
	f.Add(2.0, int64(5), int64(math.MaxInt64), int64(math.MinInt64), int64(0), int64(1), int64(-1), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, rate float64, burst, t0, t1, t2, n0, n1, n2 int64) {
		r, err := Limit{Rate: rate, Burst: burst}.Compile()
		if err != nil || r.open {
			return
		}
		b, o := Bucket{Rule: r}, newOracle(r)
		for _, c := range [][2]int64{{t0, n0}, {t1, n1}, {t2, n2}, {t1, n2}, {t2, n0}} {
			if got, want := b.Take(c[0], c[1]), o.take(c[0], c[1]); got != want {
				t.Fatalf("%v/%d at %d, n %d: got %+v, want %+v", rate, burst, c[0], c[1], got, want)
			}
		}
	})
}
