package linttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/lint"
)

// recorder is a test that notes what would have been reported.
type recorder struct {
	testing.TB
	text string
	bad  bool
}

type stopped struct{}

func (r *recorder) Helper()         {}
func (r *recorder) Log(args ...any) { r.text += fmt.Sprintln(args...) }
func (r *recorder) Errorf(format string, args ...any) {
	r.text, r.bad = r.text+fmt.Sprintf(format, args...)+"\n", true
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stopped{})
}
func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// reported runs f with a recorder.
func reported(t *testing.T, f func(t testing.TB)) (r *recorder) {
	r = &recorder{TB: t}
	defer func() {
		if v := recover(); v != nil && v != any(stopped{}) {
			panic(v)
		}
	}()
	f(r)
	return r
}

func full(attempt int, random *rand.Rand) time.Duration {
	ceiling := 30 * time.Second
	if attempt < 6 {
		ceiling = time.Second << (attempt - 1)
	}
	return time.Duration(random.Float64() * float64(ceiling))
}

func TestSchedule(t *testing.T) {
	r := Schedule(t, full)
	if c := r.Runs[0].Conformity; c.P < lint.Alpha || c.N != 49*12 {
		t.Errorf("full jitter is not recognised: %+v", c)
	}
	for name, c := range map[string]struct {
		run  func(t testing.TB)
		want []string // in the report; none: no failure
	}{
		"locked": {func(t testing.TB) {
			Schedule(t, func(attempt int) time.Duration { return min(30*time.Second, time.Second<<min(attempt-1, 20)) })
		}, []string{"schedule: high growth-locked", "every client waits 1 s, 2 s, 4 s, 8 s", "to do: keep the growth", "linttest.Options{Seed: 1, Runs: 50}"}},
		"overflow": {func(t testing.TB) {
			Schedule(t, func(attempt int) time.Duration { return min(time.Second<<(attempt-1), 30*time.Second) })
		}, []string{"growth-locked", "critical overflow", "attempt 35 gives"}},
		"panic far out": {func(t testing.TB) {
			Schedule(t, func(attempt int, random *rand.Rand) time.Duration {
				if attempt > 1000 {
					panic("math range")
				}
				return full(attempt, random)
			})
		}, []string{"overflow", "attempt 1,001 gives a panic: math range"}},
		"panic at once": {func(t testing.TB) { Schedule(t, func(attempt int) time.Duration { panic("no") }) }, []string{"attempt 1 of run 1: a panic: no"}},
		"negative":      {func(t testing.TB) { Schedule(t, func(attempt int) time.Duration { return -5 * time.Second }) }, []string{"a negative wait (5 s)"}},
		"gives up after three": {func(t testing.TB) {
			Schedule(t, func(attempt int, random *rand.Rand) time.Duration {
				if attempt > 3 {
					return Stop
				}
				return full(attempt, random)
			})
		}, nil},
		"shared seed": {func(t testing.TB) {
			var random *rand.Rand
			Schedule(t, func(attempt int) time.Duration {
				if attempt == 1 {
					random = rand.New(rand.NewPCG(7, 7))
				}
				return time.Duration(random.Float64() * 1e10)
			})
		}, []string{"high shared-seed"}},
		"accepted": {func(t testing.TB) {
			Schedule(t, func(attempt int) time.Duration { return 5 * time.Second }, Options{Accept: []string{"fixed-locked"}})
		}, nil},
		"stricter": {func(t testing.TB) { Schedule(t, full, Options{FailAt: "info"}) }, []string{"info narrow-first-delay"}},
		"looser": {func(t testing.TB) {
			Schedule(t, func(int) time.Duration { return 5 * time.Second }, Options{FailAt: "critical"})
		}, nil},
		"capacity":    {func(t testing.TB) { Schedule(t, full, Options{Clients: 100_000, Capacity: 1000}) }, []string{"high narrow-first-delay", "100,000 clients at 1,000 handshakes a second need 100 s"}},
		"bad level":   {func(t testing.TB) { Schedule(t, full, Options{FailAt: "bad"}) }, []string{`Options.FailAt is "bad", expected one of info, low, medium, high, critical`}},
		"bad runs":    {func(t testing.TB) { Schedule(t, full, Options{Runs: -1}) }, []string{"Options.Runs is -1"}},
		"bad rule":    {func(t testing.TB) { Schedule(t, full, Options{Accept: []string{"locked"}}) }, []string{`"locked", which is no rule`}},
		"two options": {func(t testing.TB) { Schedule(t, full, Options{}, Options{}) }, []string{"at most one Options"}},
	} {
		r := reported(t, c.run)
		if r.bad != (c.want != nil) {
			t.Errorf("%s: failed %v\n%s", name, r.bad, r.text)
		}
		for _, w := range c.want {
			if !strings.Contains(r.text, w) {
				t.Errorf("%s: the report lacks %q:\n%s", name, w, r.text)
			}
		}
	}
}

// client is a loop as many write it.
type client struct {
	wait    func(attempt int, random *rand.Rand) time.Duration
	timeout time.Duration // 0: none
	stable  time.Duration // the count starts again after a session of this length
	most    int           // attempts; 0: no end
	twice   bool          // two loops
}

func (c client) run(n *Net) {
	if c.twice {
		go client{wait: c.wait, timeout: c.timeout}.run(n)
	}
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithCancel(n.Context())
		if c.timeout > 0 {
			ctx, cancel = context.WithTimeout(n.Context(), c.timeout)
		}
		s, err := n.Connect(ctx)
		if err == nil {
			begin := time.Now()
			<-s.Done()
			if time.Since(begin) >= c.stable {
				attempt = 1
			}
		}
		cancel()
		if c.most > 0 && attempt > c.most {
			return
		}
		time.Sleep(c.wait(attempt, n.Rand()))
	}
}

func good() client { return client{wait: full, timeout: 10 * time.Second, stable: 5 * time.Second} }

func TestClient(t *testing.T) {
	few := Options{Runs: 20}
	Client(t, func(n *Net) { good().run(n) }, few)
	for name, c := range map[string]struct {
		client func(n *Net)
		want   []string // rules that fail the test
	}{
		"good": {func(n *Net) { good().run(n) }, nil},
		"gives up by itself": {func(n *Net) {
			c := good()
			c.most = 3
			c.run(n)
		}, nil},
		"hot loop": {func(n *Net) {
			client{wait: func(int, *rand.Rand) time.Duration { return 0 }, timeout: time.Second}.run(n)
		}, []string{"fixed-locked", "immediate-retry", "zero-delay"}},
		"fixed": {func(n *Net) {
			client{wait: func(int, *rand.Rand) time.Duration { return time.Second }, timeout: time.Second}.run(n)
		}, []string{"fixed-locked"}},
		"no timeout":                   {func(n *Net) { client{wait: full, stable: time.Second}.run(n) }, []string{"bad-timeout"}},
		"early reset":                  {func(n *Net) { client{wait: full, timeout: time.Minute}.run(n) }, []string{"early-reset"}},
		"two loops":                    {func(n *Net) { c := good(); c.twice = true; c.run(n) }, []string{"parallel-loops"}},
		"never dials":                  {func(n *Net) { <-n.Context().Done() }, []string{"not-observed"}},
		"dials once":                   {func(n *Net) { n.Connect(n.Context()); <-n.Context().Done() }, []string{"bad-timeout", "not-observed"}},
		"background":                   {func(n *Net) { go good().run(n) }, nil},
		"in the background, elsewhere": {func(n *Net) { go n.Connect(n.Context()) }, []string{"bad-timeout", "not-observed"}},
		"overflows": {func(n *Net) {
			c := good()
			c.wait = func(attempt int, random *rand.Rand) time.Duration {
				if attempt > 1015 {
					return 0
				}
				return full(attempt, random)
			}
			c.run(n)
		}, []string{"overflow"}},
	} {
		o, limit := settle(t, []Options{few})
		var result *lint.Result
		r := reported(t, func(tb testing.TB) { result = judge(tb, runs(t, c.client, o), o, limit, "client") })
		var got []string
		for _, f := range result.Findings {
			if f.Severity >= limit {
				got = append(got, f.Rule)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || r.bad != (c.want != nil) {
			t.Errorf("%s: %v, want %v\n%s", name, got, c.want, r.text)
		}
	}
}

// A dial that is left behind, as http.Transport does, is no second loop; a session is.
func TestLeftBehind(t *testing.T) {
	Client(t, func(n *Net) {
		for attempt := 1; n.Context().Err() == nil; attempt++ {
			done := make(chan struct{})
			go func() {
				defer close(done)
				if s, err := n.Connect(n.Context()); err == nil {
					<-s.Done()
				}
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
			}
			time.Sleep(full(attempt, n.Rand()))
		}
	}, Options{Runs: 10, Scenarios: []string{lint.Hang}})
}

// A client that outlives its context is named, not waited for.
func TestEndless(t *testing.T) {
	o, limit := settle(t, []Options{{Runs: 1, Scenarios: []string{lint.Refused}}})
	r := reported(t, func(tb testing.TB) {
		seen := watch(t, &scenarios()[0], 5, func(n *Net) { select {} }, 1, 0)
		if seen.fault == "" {
			tb.Errorf("not noticed")
		}
		tb.Log(seen.fault)
	})
	_, _ = o, limit
	if r.bad || !strings.Contains(r.text, "does not end with its context") {
		t.Error(r.text)
	}
}
