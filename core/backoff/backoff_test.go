package backoff_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/stat"
)

const ms = time.Millisecond

func policy(t testing.TB, spec string) backoff.Policy {
	t.Helper()
	p, err := backoff.Parse(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return p
}

// The tables of the package's comments, in ms: the range of each attempt after refusals.
func TestRanges(t *testing.T) {
	for spec, want := range map[string][][2]float64{
		"immediate:10ms":                 {{10, 10}, {10, 10}},
		"fixed:5s":                       {{5000, 5000}, {5000, 5000}},
		"linear:1s:30s":                  {{1000, 1000}, {2000, 2000}, {3000, 3000}},
		"exp:1s:30s":                     {{1000, 1000}, {2000, 2000}, {4000, 4000}, {8000, 8000}, {16000, 16000}, {30000, 30000}, {30000, 30000}},
		"exp:3s:10s:1.3":                 {{3000, 3000}, {3900, 3900}, {5070, 5070}, {6591, 6591}, {8568.3, 8568.3}, {10000, 10000}},
		"table:10ms,50ms,100ms,1s":       {{10, 10}, {50, 50}, {100, 100}, {1000, 1000}, {1000, 1000}},
		"full:1s:30s":                    {{0, 1000}, {0, 2000}, {0, 4000}, {0, 8000}, {0, 16000}, {0, 30000}},
		"full:1s:30s,floor=500ms":        {{500, 1000}, {500, 2000}, {500, 4000}},
		"full:500ms:20s,floor=500ms:add": {{500, 1000}, {500, 1500}, {500, 2500}},
		"equal:1s:30s":                   {{500, 1000}, {1000, 2000}, {2000, 4000}, {4000, 8000}, {8000, 16000}, {15000, 30000}},
		"prop:1s:120s:1.6:0.2":           {{800, 1200}, {1280, 1920}, {2048, 3072}},
		"prop:200ms:none:2:0.2,sign=+":   {{200, 240}, {400, 480}, {800, 960}},
		"prop:1s:5s:2:0.5,cap=after":     {{500, 1500}, {1000, 3000}, {2000, 5000}, {4000, 5000}, {5000, 5000}},
		"prop:1s:5s:2:0.5,cap=both":      {{500, 1500}, {1000, 3000}, {2000, 5000}, {2500, 5000}, {2500, 5000}},
		"full:1s:5s,cap=exact":           {{0, 1000}, {0, 2000}, {0, 4000}, {5000, 5000}},
		"prop:1s:5s:2:0.5,sign=comb":     {{550, 1500}, {1100, 3000}, {2200, 6000}},
		"additive:1s:30s:2:1s":           {{1000, 2000}, {2000, 3000}, {4000, 5000}, {8000, 9000}, {16000, 17000}, {30000, 31000}},
		"additive:1s:5s:2:-500ms..500ms": {{500, 1500}, {1500, 2500}, {3500, 4500}, {4500, 5500}},
		"additive:1s:5s:2:-3s..0s":       {{0, 1000}, {0, 2000}},
		"decorrelated:1s:30s":            {{1000, 3000}, {1000, 3000}},
		"window:25s":                     {{0, 25000}, {25000, 25000}, {25000, 25000}},
		"exp:1s:30s,first=0":             {{0, 0}, {1000, 1000}, {2000, 2000}},
		"full:1s:30s,first=U5s":          {{0, 5000}, {0, 1000}},
		"fixed:5s,jitter=0.2":            {{4000, 6000}, {4000, 6000}},
		"table:1s,2s,jitter=full":        {{0, 1000}, {0, 2000}, {0, 2000}},
		"linear:1s:3s,jitter=100ms":      {{1000, 1100}, {2000, 2100}, {3000, 3100}, {3000, 3100}},
		"full:1s:30s,step=1s":            {{0, 1000}, {0, 2000}},
		"exp:1s:30s,breaks=3":            {{1000, 1000}, {2000, 2000}, {0, 0}, {0, 0}},
		"exp:1s:30s,breaks=3:0.5":        {{1000, 1000}, {2000, 2000}, {0, 4000}},
	} {
		p := policy(t, spec)
		for i, w := range want {
			l := p.Law(backoff.State{Attempt: i + 1, Outcome: backoff.Refused})
			lo, hi := l.Min(), l.Max()
			if math.Abs(float64(lo)-w[0]*1e6) > 1 || math.Abs(float64(hi)-w[1]*1e6) > 1 && spec != "full:1s:30s,step=1s" {
				t.Errorf("%s, attempt %d: %v to %v, want %v to %v ms", spec, i+1, lo, hi, w[0], w[1])
			}
		}
	}
}

func TestWindow(t *testing.T) {
	p := policy(t, "window:10s")
	for _, c := range []struct {
		s      backoff.State
		lo, hi time.Duration
	}{
		{backoff.State{Attempt: 1}, 0, 10 * time.Second},
		{backoff.State{Attempt: 1, Outcome: backoff.Refused}, 0, 10 * time.Second},
		{backoff.State{Attempt: 2, Outcome: backoff.Refused}, 10 * time.Second, 10 * time.Second},
		{backoff.State{Attempt: 1 << 31, Outcome: backoff.Refused, Timeouts: 9}, 10 * time.Second, 10 * time.Second},
		{backoff.State{Attempt: 2, Outcome: backoff.TimedOut, Timeouts: 1}, 5 * time.Second, 10 * time.Second},
		{backoff.State{Attempt: 3, Outcome: backoff.TimedOut, Timeouts: 2}, 10 * time.Second, 20 * time.Second},
		{backoff.State{Attempt: 9, Outcome: backoff.TimedOut, Timeouts: 3}, 20 * time.Second, 40 * time.Second},
		{backoff.State{Attempt: 99, Outcome: backoff.TimedOut, Timeouts: 98}, 20 * time.Second, 40 * time.Second},
	} {
		l := p.Law(c.s)
		if l.Min() != c.lo || l.Max() != c.hi {
			t.Errorf("%+v: %v to %v, want %v to %v", c.s, l.Min(), l.Max(), c.lo, c.hi)
		}
	}
}

var specs = []string{
	"immediate:0", "fixed:5s,reset=open", "linear:1s:30s,attempts=3", "exp:1s:none:1.3,first=0", "full:1s:30s,floor=500ms", "full:400ms:20s,floor=200ms,cap=after",
	"equal:1s:30s", "prop:1s:5s:2:0.5,cap=after,sign=comb,breaks=1016:0.5", "additive:1s:5s:2:-500ms..500ms", "decorrelated:1s:30s", "window:25s",
	"table:0,2s,10s,30s,attempts=4", "prop:3s:10s:1.3:0.5,cap=after,drawn=once,reset=5s", "full:500ms:20s,floor=500ms:add,cap=both,reset=message",
	"prop:1s:5s:2:0.5,floor=1s:after,cap=after,sign=comb", "full:1s:30s,step=1s", "exp:1ms:596h31m23.647s", "full:1s:none:1.0000001", "full:2s:20s,cap=exact",
}

// A compiled schedule gives what the policy gives; a wait never falls when u rises; it lies between Min and Max; means and
// shares agree with twenty thousand draws.
func TestLawsAgainstDraws(t *testing.T) {
	const seed, n = 3, 20_000
	for _, spec := range specs {
		p := policy(t, spec)
		s, err := p.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, attempt := range []int{1, 2, 3, 5, 8, 24, 1015, 1016, 1100, 1101, 1<<31 - 1} {
			state := backoff.State{Attempt: attempt, Outcome: backoff.Refused, Previous: 2 * time.Second}
			l := p.Law(state)
			draws := make([]time.Duration, 0, n)
			sum, last := 0.0, time.Duration(-1)
			count := n
			if attempt > 8 {
				count = 1000
			}
			for i := range count {
				u := uint64(i)<<32/uint64(count)<<32 | stat.Draw(seed, 0, uint64(i))>>40
				d, ok := p.Delay(state, u)
				if d2, ok2 := s.Delay(state, u); d != d2 || ok != ok2 {
					t.Fatalf("%s, attempt %d: compiled %v, %v; else %v, %v", spec, attempt, d2, ok2, d, ok)
				}
				if !ok {
					break
				}
				if d < last || d < l.Min() || d > l.Max() {
					t.Fatalf("%s, attempt %d: %v at u = %#x after %v, law from %v to %v", spec, attempt, d, u, last, l.Min(), l.Max())
				}
				last = d
				sum += float64(d)
				draws = append(draws, d)
			}
			if len(draws) < n {
				continue
			}
			if mean := sum / n; math.Abs(mean-l.Mean()) > 5e-4*float64(l.Max())+1 {
				t.Errorf("%s, attempt %d: mean %v, drawn %v", spec, attempt, time.Duration(l.Mean()), time.Duration(mean))
			}
			for _, at := range []time.Duration{0, l.Min(), l.Max(), p.Cap, p.Floor, time.Second} {
				lo, _ := slices.BinarySearch(draws, at)
				hi, _ := slices.BinarySearch(draws, at+1)
				if drawn := float64(hi-lo) / n; math.Abs(drawn-l.Share(at)) > 1e-3 {
					t.Errorf("%s, attempt %d: share of %v is %v, drawn %v", spec, attempt, at, l.Share(at), drawn)
				}
			}
			if v := len(slices.Compact(draws)); l.Values() < 100 && v != l.Values() || l.Values() >= 100 && v < 100 {
				t.Errorf("%s, attempt %d: %d values, drawn %d", spec, attempt, l.Values(), v)
			}
		}
	}
}

// Far out nothing becomes negative, and an endless growth ends at the longest Duration.
func TestFar(t *testing.T) {
	for spec, want := range map[string]time.Duration{
		"exp:1s:2147483.647s": 2147483647 * ms, "exp:1s:none": math.MaxInt64, "prop:1s:none:2:1": math.MaxInt64, "linear:5s:none": math.MaxInt64,
		"additive:1s:none:2:1s": math.MaxInt64, "full:1s:none:1.0000001": math.MaxInt64, "prop:100ms:2147483.647s:2:0.5,cap=after": 2147483647 * ms,
	} {
		p := policy(t, spec)
		for _, attempt := range []int{1<<31 - 1, 1 << 31} {
			l := p.Law(backoff.State{Attempt: attempt})
			if l.Max() != want && spec != "linear:5s:none" {
				t.Errorf("%s: %v at attempt %d, want %v", spec, l.Max(), attempt, want)
			}
			if l.Min() < 0 || l.Mean() < 0 {
				t.Errorf("%s: negative far out", spec)
			}
		}
	}
}

func TestAttempts(t *testing.T) {
	p := policy(t, "full:1s:30s,attempts=2")
	for attempt, want := range map[int]bool{-1: false, 0: false, 1: true, 2: true, 3: false} {
		if _, ok := p.Delay(backoff.State{Attempt: attempt}, 1); ok != want {
			t.Errorf("attempt %d: %v", attempt, ok)
		}
	}
	if p = policy(t, "prop:1s:5s:2:0.5,drawn=once"); p.DrawAttempt(7) != 1 {
		t.Error("drawn once must draw for attempt 1")
	}
}

// Every error names what is wrong, its value and the allowed range.
func TestBadPolicies(t *testing.T) {
	for spec, want := range map[string]string{
		"":                           `backoff: policy is "", expected a SPEC such as full:1s:30s, beginning with one of immediate, fixed, linear, exp, full, equal, decorrelated, prop, additive, table, window, lib`,
		"full":                       `backoff: policy is "full", expected a SPEC such as full:1s:30s: a word of immediate, fixed, linear, exp, full, equal, decorrelated, prop, additive, table, window, lib, a colon and its arguments`,
		"fibonacci:1s:30s":           `backoff: policy is "fibonacci", expected one of immediate, fixed, linear, exp, full, equal, decorrelated, prop, additive, table, window, lib`,
		"full:1s":                    `backoff: full is 1 arguments, expected 2 or 3, as in full:1s:30s:2`,
		"full:-1s:30s":               `backoff: base is "-1s", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"full:NaN:30s":               `backoff: base is "NaN", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"full:1000:30s":              `backoff: base is "1000", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"full:1s:0":                  `backoff: cap is "0", expected at least the base, or none`,
		"full:0s:30s":                `backoff: base is 0s, expected between 1ns and 2400h`,
		"full:30s:1s":                `backoff: cap is 1s, expected none, or at least the base (30s)`,
		"full:1s:30s:0.5":            `backoff: factor is "0.5", expected between 1 and 1000`,
		"full:1s:30s:NaN":            `backoff: factor is "NaN", expected a number`,
		"prop:1s:30s:2:1.5":          `backoff: spread is 1.5, expected between 0 and 1`,
		"prop:1s:30s:2:-0.5":         `backoff: spread is -0.5, expected between 0 and 1`,
		"full:1s:9999h":              `backoff: cap is "9999h", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"full:1s:30s,attempts=0":     `backoff: attempts is "0", expected between 1 and 2147483647`,
		"full:1s:30s,atempts=3":      `backoff: modifier is "atempts", expected one of attempts, first, floor, cap, sign, jitter, drawn, step, breaks, reset`,
		"full:1s:30s,open":           `backoff: modifier is "open", expected KEY=VALUE with one of attempts, first, floor, cap, sign, jitter, drawn, step, breaks, reset`,
		"full:1s:30s,floor=31s":      `backoff: floor is 31s, expected at most the cap (30s)`,
		"full:1s:30s,sign=+":         `backoff: spread is 0, expected none, unless the jitter is prop`,
		"full:1s:30s,cap=never":      `backoff: cap is "never", expected one of before, after, both, exact`,
		"full:1s:none,cap=after":     `backoff: cap is none, expected a duration, since it applies after`,
		"full:1s:30s,reset=maybe":    `backoff: reset is "maybe", expected open, message, or how long a connection must have lasted, such as 5s`,
		"full:1s:30s,jitter=0.5":     `backoff: jitter is "0.5", expected a policy of fixed, linear or table`,
		"table:":                     `backoff: table[0] is "", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"table:1s,x":                 `backoff: table[1] is "x", expected a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`,
		"window:5s,floor=1s":         `backoff: growth is window, expected no first, floor or drawn=once: they would undo what the window does`,
		"additive:1s:30s:2:5s..1s":   `backoff: extra is "5s..1s", expected a duration, or a rising range such as -500ms..500ms`,
		"lib:nonesuch":               `backoff: unknown library: "nonesuch", expected a name that the catalogue holds, such as socket.io-client or grpc-go`,
		`{"policy":"full"}`:          `backoff: base is 0s, expected between 1ns and 2400h`,
		`{"base_ms":1}`:              `backoff: policy is missing, expected a word or a SPEC in it, such as {"policy":"full","base_ms":1000,"cap_ms":30000}`,
		`{"family":"full"}`:          `backoff: unknown key: family, expected one of policy, base_ms, cap_ms, factor, spread, extra_ms, table_ms, attempts, first_ms, floor_ms, floor, cap, sign, jitter, drawn, step_ms, breaks, reset`,
		`{"policy":"full","base":1}`: `backoff: unknown key: base, expected one of policy, base_ms, cap_ms, factor, spread, extra_ms, table_ms, attempts, first_ms, floor_ms, floor, cap, sign, jitter, drawn, step_ms, breaks, reset`,
		`{"policy":"full","base_ms":"1000","cap_ms":3000}`:                   `backoff: base_ms is "1000", expected a number of milliseconds, at most 8640000000`,
		`{"policy":"full","base_ms":1000,"cap_ms":0}`:                        `backoff: cap_ms is 0, expected at least the base, or absent for none`,
		`{"policy":"full","base_ms":-1000,"cap_ms":10}`:                      `backoff: base is -1s, expected between 1ns and 2400h`,
		`{"policy":"exp","base_ms":1000,"cap_ms":10000,"factor":0}`:          `backoff: factor is 0, expected between 1 and 1000`,
		`{"policy":"full","base_ms":1000,"cap_ms":10000,"first_ms":[1,2,3]}`: `backoff: first_ms is [1,2,3], expected a number of milliseconds, or a pair of them`,
		`{"policy":"full"`: `jsonscan: JSON text ends too early, at byte 16`,
	} {
		_, err := backoff.Parse(spec)
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got  %v\n want %s", spec, err, want)
		}
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Errorf("%s: %T is not a fault", spec, err)
		}
	}
	var zero backoff.Policy
	if zero.Validate() == nil || zero.String() != "invalid" {
		t.Error("the zero policy must be invalid")
	}
	if _, err := zero.Compile(); err == nil {
		t.Error("the zero policy must not compile")
	}
	if d, _ := zero.Delay(backoff.State{Attempt: 1}, 1<<63); d != 0 {
		t.Error("an invalid policy must wait 0")
	}
}

func TestCanonical(t *testing.T) {
	for spec, want := range map[string]string{
		"full:1s:30s:2": "full:1s:30s", " exp : 1000ms : 0.5m : 1.50 , attempts=3": "exp:1s:30s:1.5,attempts=3", "fixed:10ms": "immediate:10ms",
		"decorrelated:1s:30s:3": "decorrelated:1s:30s", "exp:1s:30s:3": "exp:1s:30s:3", "full:1s:30s,cap=before": "full:1s:30s",
		"table:10ms, 1.5s ,1m": "table:10ms,1.5s,60s", "full:1500us:none,first=U5s": "full:1.5ms:none,first=U5s", "full:1s:30s,first=1s..2s": "full:1s:30s,first=1s..2s",
		`{"policy":"prop","base_ms":1000,"cap_ms":120000,"factor":1.6,"spread":0.2,"first_ms":[0,5000],"reset":5000}`: "prop:1s:120s:1.6:0.2,first=U5s,reset=5s",
		`{"policy":"full:1s:30s","attempts":5}`: "full:1s:30s,attempts=5",
	} {
		if got := policy(t, spec).String(); got != want {
			t.Errorf("%s prints as %s, want %s", spec, got, want)
		}
	}
}

// What is read and valid prints, in both forms, to something that reads back to the same policy.
func FuzzParse(f *testing.F) {
	for _, s := range specs {
		f.Add(s)
		p := policy(f, s)
		f.Add(string(p.AppendJSON(nil)))
	}
	for _, s := range []string{"full:1e3s:30s", "full:1s:30s:1e1", "additive:1s:2s:1:1ns..2ns", "lib:@a/b@1", "table:,", "full:..s:1s", `{"policy":"lib:"}`, "prop:1s:2s:1:1e-320"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := backoff.Parse(text)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) {
				t.Fatalf("%T is not a fault", err)
			}
			return
		}
		same := func(text string) {
			q, err := backoff.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if q.String() != p.String() || string(q.AppendJSON(nil)) != string(p.AppendJSON(nil)) {
				t.Fatalf("%s\nreads as %s\nnot      %s", text, q, p)
			}
			for _, attempt := range []int{1, 2, 5, 1 << 31} {
				s := backoff.State{Attempt: attempt, Previous: time.Second}
				for _, u := range []uint64{0, 1 << 62, 1<<64 - 1} {
					d, ok := p.Delay(s, u)
					e, ok2 := q.Delay(s, u)
					if d != e || ok != ok2 || d < 0 {
						t.Fatalf("%s: attempt %d waits %v, and %v read back", text, attempt, d, e)
					}
				}
			}
		}
		same(p.String())
		same(string(p.AppendJSON(nil)))
	})
}

func BenchmarkDelay(b *testing.B) {
	p := policy(b, "full:1s:30s")
	s, _ := p.Compile()
	var sum time.Duration
	for i := range b.N {
		d, _ := s.Delay(backoff.State{Attempt: 1 + i&7}, stat.Draw(1, uint64(i), 1))
		sum += d
	}
	_ = sum
}

func BenchmarkDraw(b *testing.B) {
	var sum uint64
	for i := range b.N {
		sum += stat.Draw(1, uint64(i), 1)
	}
	_ = sum
}
