package linttest

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stormlint/stormlint/core/lint"
)

// Client runs a client against every scenario, each Options.Runs times in a bubble of testing/synctest, and fails the test
// on what the linter finds. client is called once a run and must dial through n; it returns when the client has given up,
// or, if it only starts one in the background, at once. Everything it started must end when n.Context() ends.
//
//	linttest.Client(t, func(n *linttest.Net) {
//		c := mine.NewClient(mine.WithDialer(n.Dial))
//		c.Run(n.Context())
//	})
//
// It returns the linter's result, for tests that want to look further.
func Client(t *testing.T, client func(n *Net), options ...Options) *lint.Result {
	t.Helper()
	o, limit := settle(t, options)
	return judge(t, runs(t, client, o), o, limit, "client")
}

// runs runs a client through the scenarios.
func runs(t *testing.T, client func(n *Net), o Options) (all []lint.Runs) {
	t.Helper()
	for _, s := range scenarios() {
		if o.Scenarios != nil && !slices.Contains(o.Scenarios, s.name) {
			continue
		}
		waits, clients := s.waits, s.runs
		if waits == 0 {
			waits = o.Delays
		}
		if clients == 0 {
			clients = o.Runs
		}
		runs := lint.Runs{Scenario: s.name, Resolution: time.Microsecond}
		dials := 0
		for i := range clients {
			seen := watch(t, &s, waits, client, o.Seed, uint64(i))
			if seen.fault != "" {
				t.Fatalf("linttest: scenario %s, client %d: %s", s.name, i, seen.fault)
			}
			runs.Delays = append(runs.Delays, seen.waits)
			runs.Held = append(runs.Held, seen.held)
			runs.Endings = append(runs.Endings, seen.ending)
			if s.name != lint.Hang { // http.Transport leaves a dial behind whose request has ended
				runs.Parallel = max(runs.Parallel, seen.parallel)
			}
			dials += seen.dials
		}
		if dials == 0 && s.name == lint.Hang && len(o.Scenarios) != 1 {
			continue // nothing hung: the other scenarios say that nothing was seen
		}
		all = append(all, runs)
	}
	return all
}

// observed is what one client did.
type observed struct {
	waits, held []time.Duration
	ending      string
	parallel    int
	dials       int
	fault       string
}

// watch runs one client in a bubble.
func watch(t *testing.T, s *scenario, waits int, client func(n *Net), seed, i uint64) (seen observed) {
	defer func() {
		if v := recover(); v != nil {
			seen.fault = fmt.Sprintf("it does not end with its context: %v", v)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		n := newNet(s, waits, seed, i)
		returned := make(chan time.Time, 1)
		go func() {
			defer func() { returned <- time.Now() }()
			client(n)
		}()
		n.wait(s.quiet)
		synctest.Wait()
		var back time.Time // zero: the client is still at it
		select {
		case back = <-returned:
			returned <- back
		default:
		}
		seen = n.observed(back)
		n.stop()
		<-returned
		// The bubble's clock stops when this goroutine ends: what sleeps in the background gets time to wake up, and find the
		// network gone.
		rest := time.Hour
		for _, w := range seen.waits {
			rest = max(rest, min(4*w, patience))
		}
		time.Sleep(rest)
	})
	return seen
}

// wait returns when enough attempts have begun, or none for as long as quiet.
func (n *Net) wait(quiet time.Duration) {
	for {
		n.mu.Lock()
		enough, moved := len(n.dials) >= n.enough, n.moved
		n.mu.Unlock()
		if enough {
			return
		}
		timer := time.NewTimer(quiet)
		select {
		case <-moved:
			timer.Stop()
		case <-timer.C:
			return
		}
	}
}

// observed reads the waits off the attempts: from the end of one to the begin of the next, negative where they overlap. A
// client that came back from its function after its last attempt has given up.
func (n *Net) observed(back time.Time) (seen observed) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, a := range n.dials {
		if i > 0 {
			switch before := n.dials[i-1]; {
			case before.ended:
				seen.waits = append(seen.waits, a.begin.Sub(before.end))
			case n.fate(i-1) != hang:
				seen.waits = append(seen.waits, -time.Nanosecond)
			}
		}
		if !a.open && a.ended && a.byClient {
			seen.held = append(seen.held, a.end.Sub(a.begin))
		}
		seen.parallel = max(seen.parallel, a.parallel)
	}
	seen.ending, seen.dials = "not-observed", len(n.dials)
	switch {
	case len(n.dials) >= n.enough:
		seen.ending = "observed"
	case len(n.dials) > 0 && !back.IsZero():
		if last := n.dials[len(n.dials)-1]; last.ended && !back.Before(last.end) {
			seen.ending = "gave-up"
		}
	}
	return seen
}
