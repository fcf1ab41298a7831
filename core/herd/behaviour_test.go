package herd

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/stat"
)

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %.3f, on paper %.3f", what, got, want)
	}
}

// The closed forms agree with the simulation within a tenth, where they say that they hold.
func TestClosedForms(t *testing.T) {
	// In step, free refusals: waves of a queue each.
	for _, spec := range []string{"fixed:1s", "exp:1s:30s", "fixed:3s", "table:10ms,50ms,100ms,150ms,200ms,250ms,500ms,1s,2s,5s"} {
		r := finish(t, fleet(t, spec, 10_000)).Result()
		within(t, "waves of "+spec, r.Recovery.Last.Seconds(), r.Form.WavesEnd.Seconds(), 0.1)
	}
	// Dear refusals: rN/(Cτ) below 1, waits of a constant ceiling from the start.
	for _, clients := range []int{50_000, 100_000} {
		s := fleet(t, "full:30s:30s", clients)
		s.Server.FreeRejects = false
		r := finish(t, s).Result()
		within(t, "collapse, 99 %", r.Recovery.P99.Seconds(), r.Form.CollapseEnd.Seconds(), 0.1)
	}
	// And above it nobody gets in.
	s := fleet(t, "fixed:1s", 40_000)
	s.Server.FreeRejects = false
	s.Horizon = 2 * time.Minute
	if r := finish(t, s).Result(); r.Form.Collapse < 1 || r.Reason.Code != "reject-collapse" {
		t.Errorf("collapse %.2f, reason %+v, %d back", r.Form.Collapse, r.Reason, r.Recovered)
	}
	// A queue longer than the timeout: N/(C(T+τ)) decides.
	for _, c := range []struct {
		clients int
		code    string
	}{{10_000, ""}, {60_000, "stale-queue"}} {
		s := fleet(t, "full:1s:30s", c.clients)
		s.Server.Backlog = 20_000
		s.Horizon = 5 * time.Minute
		r := finish(t, s).Result()
		if (r.Form.Stale >= 1) != (c.code != "") || r.Reason.Code != c.code {
			t.Errorf("%d clients: stale %.2f, reason %+v", c.clients, r.Form.Stale, r.Reason)
		}
	}
	// A window as wide as needed: back after it, and a queue as long as the form says in 99 of 100 runs.
	loads := []float64{0.9, 1, 0.8, 0.5}
	if testing.Short() {
		loads = loads[:1]
	}
	for _, load := range loads {
		const n = 2000
		longest := []float64{}
		for seed := range uint64(300) {
			longest = append(longest, longestQueue(n, load, seed))
		}
		slices.Sort(longest)
		got, want := longest[297], QueueP99(n, load)
		// Below load 1 the form is a bound that may be half as large again (near 0.95).
		if got > 1.15*want || got < 0.6*want {
			t.Errorf("load %.1f: 99th percentile of the longest queue %.0f, on paper %.0f", load, got, want)
		}
	}
}

// longestQueue lets n clients arrive evenly spread over n/load services and gives the longest queue.
func longestQueue(n int, load float64, seed uint64) float64 {
	d := stat.Seeded(seed)
	at := make([]float64, n)
	for i := range at {
		at[i] = stat.Unit(d.Draw(uint64(i), 1)) * float64(n) / load
	}
	slices.Sort(at)
	free, most := 0.0, 0.0
	for _, a := range at {
		free = max(free, a) + 1
		most = max(most, free-a)
	}
	return most
}

// Arrivals of full jitter's first window are Poisson-like: the variance of counts in 10 ms bins over their mean is 1, but
// for the fixed total.
func TestDispersion(t *testing.T) {
	s := fleet(t, "full:10s:10s", 200_000)
	s.Server.Capacity = 1e6
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for !r.Step(1 << 20) {
	}
	counts := r.arrivals[1:99] // 100 ms each, without the edges that trips blur
	mean, square := 0.0, 0.0
	for _, n := range counts {
		mean += float64(n) / float64(len(counts))
	}
	for _, n := range counts {
		square += (float64(n) - mean) * (float64(n) - mean)
	}
	x2 := square / mean // χ² with 97 degrees: 1 % lies above 132, 1 % below 67
	if x2 < 60 || x2 > 140 {
		t.Errorf("dispersion of %d bins: χ² %.1f of 97 degrees of freedom", len(counts), x2)
	}
}

// Results depend on the seed and on nothing else: not on the size of steps, not on the order within a millisecond.
func TestDetermined(t *testing.T) {
	s := fleet(t, "full:1s:30s", 5000)
	s.Drops = []Drop{{}, {At: 8 * time.Second, Share: 0.5}}
	answer := func(s Scenario, budget int64) []byte {
		r, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for !r.Step(budget) {
			if p := r.Progress(); p < 0 || p > 1 {
				t.Fatalf("progress %v", p)
			} else {
				last = max(last, p)
			}
		}
		if r.Progress() != 1 {
			t.Fatalf("progress %v at the end", r.Progress())
		}
		res := r.Result()
		return res.AppendJSON(nil)
	}
	whole := answer(s, 1<<40)
	for _, budget := range []int64{1, 7, 1000} {
		if !bytes.Equal(whole, answer(s, budget)) {
			t.Errorf("steps of %d give another result", budget)
		}
	}
	s.Seed = 1
	if bytes.Equal(whole, answer(s, 1<<40)) {
		t.Error("two seeds give the same run")
	}
}

// Turning every millisecond's list round changes nothing.
func TestOrderWithinMillisecond(t *testing.T) {
	s := fleet(t, "fixed:1s", 3000)
	a := finish(t, s)
	b, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for !b.Step(1) {
		q := b.queue
		if b.drop == 0 || !q.reach(b.ms) {
			continue
		}
		i := b.ms & (1<<blockBits - 1)
		from := 0
		if i > 0 {
			from = q.ends[i-1]
		}
		slices.Reverse(q.sorted[from:q.ends[i]])
		turned += q.ends[i] - from
	}
	if turned < 1000 || !slices.Equal(a.at, b.at) {
		t.Errorf("%d events turned round; who came back when is the same: %v", turned, slices.Equal(a.at, b.at))
	}
}

func TestOccasions(t *testing.T) {
	// SYNs that are dropped come again after 1, 3 and 7 s, and nobody is refused.
	s := fleet(t, "fixed:1s", 2000)
	s.Server.Backlog, s.Server.DropSYN, s.Net.Timeout = 100, true, 10*time.Second
	r := finish(t, s).Result()
	if r.Refused != 0 || r.Silent == 0 || r.Recovered != 2000 || r.TimedOut == 0 {
		t.Errorf("dropped SYNs: %d refused, %d silent, %d timed out, %d back", r.Refused, r.Silent, r.TimedOut, r.Recovered)
	}
	if at := peaks(&r, 1); !slices.Contains(at, 2) || !slices.Contains(at, 4) || !slices.Contains(at, 8) {
		t.Errorf("dropped SYNs: attempts at %v s", at)
	}
	// A server that looks whether the client is still there does not lock.
	s = fleet(t, "full:1s:30s", 60_000)
	s.Server.Backlog, s.Horizon = 20_000, 5*time.Minute
	locked := finish(t, s).Result()
	s.Server.SkipDeparted = true
	free := finish(t, s).Result()
	if locked.Recovered == locked.Clients || free.Recovered != free.Clients || free.Work.Departed != 0 {
		t.Errorf("departed clients: %d back with their work done, %d without", locked.Recovered, free.Recovered)
	}
	// Descriptors: as many as clients are enough, and held by those that left while the server works for them.
	s = fleet(t, "full:1s:10s", 2000)
	s.Server.Descriptors, s.Server.Backlog, s.Net.Timeout = 2000, 2000, 500*time.Millisecond
	r = finish(t, s).Result()
	if r.Recovered != 2000 || r.Descriptors > 2000 {
		t.Errorf("descriptors: %d back, %d held", r.Recovered, r.Descriptors)
	}
	// The door: no more than its rate gets in; a hint that is the same for all brings them back in step.
	s = fleet(t, "full:1s:2s", 5000)
	s.Door = Door{Rate: 200, Burst: 20}
	r = finish(t, s).Result()
	if r.TurnedAway == 0 || r.Refused != 0 || r.Recovered != 5000 || r.Recovery.Last < 24*time.Second {
		t.Errorf("door: %d turned away, %d refused, last %v", r.TurnedAway, r.Refused, r.Recovery.Last)
	}
	s.Door.RetryAfter = 10 * time.Second
	same := finish(t, s)
	s.Door.Jitter = 20 * time.Second
	spread := finish(t, s)
	if a, b := same.clumped(12_000, 60_000), spread.clumped(12_000, 60_000); a > b/2 {
		t.Errorf("a constant Retry-After leaves %.2f of the time busy, a jittered one %.2f", a, b)
	}
	// A drain at 0.8 C is no storm, whatever the policy; the same drain in ten batches is a little one.
	s = fleet(t, "fixed:1s", 10_000)
	s.Drops = []Drop{{Over: 12500 * time.Millisecond}}
	r = finish(t, s).Result()
	if r.Waste > 0.01 || r.Wait.P99 > 1500*time.Millisecond || r.Peak > 1000 {
		t.Errorf("drain: waste %.3f, 99 %% wait %v, peak %.0f", r.Waste, r.Wait.P99, r.Peak)
	}
	s.Drops[0].Batches = 10
	if b := finish(t, s).Result(); b.Peak < 5*r.Peak || b.Recovered != b.Clients {
		t.Errorf("batches: peak %.0f, drained evenly %.0f", b.Peak, r.Peak)
	}
	// A rolling restart: clients land on the nodes that are up, so the last one restarted stays empty.
	s = fleet(t, "full:1s:30s", 4000)
	s.Restart = Restart{Nodes: 4, Every: 30 * time.Second, Down: 10 * time.Second, Drain: 5 * time.Second}
	r = finish(t, s).Result()
	if r.Nodes[3] != 0 || r.Nodes[0] < 1500 || r.Recovered != 4000 {
		t.Errorf("rolling restart: sessions %v", r.Nodes)
	}
	// Growing work: the last handshake costs twice the first.
	s = fleet(t, "window:10s", 5000)
	plain := finish(t, s).Result()
	s.Server.Growth = 1
	if g := finish(t, s).Result(); g.Work.Useful < 1.3*plain.Work.Useful {
		t.Errorf("growth: useful work %.2f, without %.2f", g.Work.Useful, plain.Work.Useful)
	}
	// A policy that gives up leaves clients outside, and the result says so.
	s = fleet(t, "fixed:1s,attempts=3", 10_000)
	r = finish(t, s).Result()
	if r.Reason.Code != "gave-up" || r.GaveUp == 0 || r.GaveUp+r.Recovered != 10_000 || r.Recovery.Last != Never {
		t.Errorf("giving up: %+v, %d gave up, %d back", r.Reason, r.GaveUp, r.Recovered)
	}
	// A later drop counts from the client's own drop in Wait, and recovery from the first.
	s = fleet(t, "window:2s", 1000)
	s.Drops = []Drop{{}, {At: time.Minute, Share: 0.5}}
	r = finish(t, s).Result()
	if r.Recovery.Last < time.Minute || r.Wait.Last > 3*time.Second {
		t.Errorf("second drop: last back %v, longest wait %v", r.Recovery.Last, r.Wait.Last)
	}
	// What would run for ever stops, and says so.
	s = fleet(t, "immediate:10ms", 20_000)
	s.Server.FreeRejects, s.MaxEvents = false, 1_000_000
	if r = finish(t, s).Result(); r.Stopped != "max-events" || r.Recovered == r.Clients {
		t.Errorf("stopped %q after %d", r.Stopped, r.Arrivals)
	}
	s.Horizon, s.MaxEvents = 5*time.Second, 0
	if r = finish(t, s).Result(); r.Stopped != "horizon" || r.StoppedAt != 5*time.Second {
		t.Errorf("stopped %q at %v", r.Stopped, r.StoppedAt)
	}
}

// peaks are the whole seconds in which at least a tenth of all attempts, over a hundred, fall.
func peaks(r *Result, least int64) (at []int) {
	per := int(time.Second / r.Series.Bin)
	sums := map[int]int64{}
	for i, n := range r.Series.Arrivals {
		sums[i/per] += n
	}
	for s := range 100 {
		if sums[s] > max(least, r.Arrivals/100) {
			at = append(at, s)
		}
	}
	return at
}

// Straight lines are the policy: for every kind, at every attempt, within a tick.
func TestLines(t *testing.T) {
	for _, spec := range []string{"immediate:10ms", "fixed:1s", "linear:1s:30s", "exp:1s:30s", "full:1s:30s", "equal:1s:30s", "prop:1s:120s:1.6:0.2", "prop:1s:5s:2:0.5,cap=after",
		"additive:1s:30s:2:1s", "additive:1s:32s:2:1s,cap=after", "table:10ms,50ms,1s", "window:25s", "full:1s:30s,floor=500ms", "full:1s:30s,floor=500ms:after", "full:1s:30s,first=U5s",
		"full:16s:16s,step=1s", "prop:1s:30s:2:0.5,sign=comb", "exp:1s:30s,attempts=5"} {
		p := policy(t, spec)
		k := &schedule{policy: p}
		for _, outcome := range []backoff.Outcome{backoff.Dropped, backoff.Refused, backoff.TimedOut} {
			for timeouts := range uint64(4) {
				for attempt := uint64(1); attempt < 12; attempt++ {
					l := k.at(outcome, timeouts, attempt)
					for i := range uint64(50) {
						u := stat.Mix(attempt<<32 + i)
						d, ok := p.Delay(backoff.State{Attempt: int(attempt), Outcome: outcome, Timeouts: int(timeouts)}, u)
						if (l.mode == stops) == ok {
							t.Fatalf("%s, attempt %d: stops %v, the policy %v", spec, attempt, l.mode == stops, !ok)
						}
						if l.mode == straight || l.mode == cut {
							if off := l.delay(u) - ticks(d); off < -2 || off > 2 {
								t.Fatalf("%s, attempt %d, outcome %d: %d ticks, the policy %d (%v)", spec, attempt, outcome, l.delay(u), ticks(d), d)
							}
						}
					}
				}
			}
		}
	}
}

// Plain decorrelated jitter walks as the policy does.
func TestWalk(t *testing.T) {
	p := policy(t, "decorrelated:1s:30s")
	k := &schedule{policy: p}
	k.prepare()
	previous, before := uint32(0), time.Duration(0)
	for i := 1; i < 1000; i++ {
		u := stat.Mix(uint64(i))
		d, _ := p.Delay(backoff.State{Attempt: i, Previous: before}, u)
		if off := k.walk(&previous, u) - ticks(d); off < -4 || off > 4 {
			t.Fatalf("step %d: %d ticks away from %v", i, off, d)
		}
		before = d
		previous = uint32(ticks(d))
	}
}

// Every bad value is refused with the name of its field, before anything runs.
func TestBadInput(t *testing.T) {
	for _, c := range []struct{ request, field string }{
		{`{"clients":0,"capacity":10,"policy":"fixed:1s"}`, "clients"},
		{`{"clients":-3,"capacity":10,"policy":"fixed:1s"}`, "clients"},
		{`{"clients":5000000,"capacity":10,"policy":"fixed:1s"}`, "clients"},
		{`{"clients":1.5,"capacity":10,"policy":"fixed:1s"}`, "clients"},
		{`{"clients":10,"policy":"fixed:1s"}`, "capacity"},
		{`{"clients":10,"capacity":0,"policy":"fixed:1s"}`, "capacity"},
		{`{"clients":10,"capacity":-1,"policy":"fixed:1s"}`, "capacity"},
		{`{"clients":10,"capacity":1e9,"policy":"fixed:1s"}`, "capacity"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","backlog":0}`, "backlog"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","backlog":-1}`, "backlog"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","timeout_ms":0}`, "timeout_ms"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","timeout_ms":-1}`, "timeout_ms"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","timeout_ms":2147483648}`, "timeout"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","reject_cost":-0.1}`, "reject-cost"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","reject_cost":2}`, "reject-cost"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","fd_limit":0}`, "fd_limit"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","fd_limit":9}`, "fd-limit"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","rtt_ms":100000}`, "rtt"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","outage_ms":1e10}`, "outage"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","horizon_ms":0}`, "horizon_ms"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","horizon_ms":1e10}`, "horizon"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","max_events":-1}`, "max_events"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","others":["0%:fixed:1s"]}`, "others"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","others":["120%:fixed:1s"]}`, "others"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","others":["60%:fixed:1s","60%:fixed:2s"]}`, "others"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","drops":[{"at_ms":5}]}`, "drop-at"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","drops":[{},{"at_ms":5,"share":2}]}`, "drop-share"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","drops":[{"over_ms":10},{"at_ms":5}]}`, "drop-at"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","restart":{"nodes":1,"every_ms":1000}}`, "restart"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","restart":{"nodes":0,"every_ms":1000,"down_ms":1}}`, "restart.nodes"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","restart":{}}`, "restart.nodes"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","door":{"rate":0}}`, "door.rate"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","door":{"rate":5,"burst":0}}`, "door.burst"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","batches":0}`, "batches"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","max_events":0}`, "max_events"},
		{`{"clients":10,"capacity":10,"nodes":0}`, "nodes"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","restart":{"nodes":4,"every_ms":1000,"down_ms":2000}}`, "restart-down"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","door":{"rate":-1}}`, "door.rate"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","growth":-1}`, "growth"},
		{`{"clients":10,"capacity":10,"policy":"fixed:1s","intake":-1}`, "intake"},
		{`{"clients":10,"capacity":10,"policy":"nonsense:1s"}`, "policy"},
		{`{"clients":10,"capacity":10,"policy":[]}`, ""},
		{`{"clients":10,"capacity":10,"polici":"fixed:1s"}`, ""},
		{`{"clients":10`, ""},
	} {
		q, err := ParseRequest([]byte(c.request))
		if err == nil {
			_, err = NewStudy(q)
		}
		var f *fault.Error
		if !errors.As(err, &f) || c.field != "" && !strings.HasPrefix(f.Field, c.field) || c.field != "" && f.Expected == "" {
			t.Errorf("%s: %v", c.request, err)
		}
	}
	for _, c := range []struct {
		request string
		code    fault.Code
	}{
		{`{"clients":100000,"capacity":1000,"others":["20%:fixed:1s"]}`, fault.Infeasible},
		{`{"clients":2000,"capacity":1000,"fd_limit":1024}`, fault.Infeasible},
		{`{"clients":50000,"capacity":2000,"max_wait_ms":20000}`, fault.Infeasible},
		{`{"clients":4000000,"capacity":0.01}`, fault.Infeasible},
		{`{"clients":100000,"capacity":1000,"clients_fixed":"fixed:1s","tight":true}`, fault.BadUsage},
		{`{"clients":10,"max_wait_ms":50}`, fault.BadValue},
		{`{"clients":10}`, fault.BadValue},
	} {
		q, err := ParseRequest([]byte(c.request))
		if err == nil {
			_, err = NewPlan(q)
		}
		if !errors.Is(err, c.code) {
			t.Errorf("%s: %v, not %s", c.request, err, c.code)
		}
	}
}

// The refusal of foreign clients is no guess: simulated, nobody of the others comes back either.
func TestForeignClients(t *testing.T) {
	q, err := ParseRequest([]byte(`{"clients":100000,"capacity":1000,"policy":"window:200s","others":["20%:fixed:1s"],"horizon_ms":600000,"max_events":20000000}`))
	if err != nil {
		t.Fatal(err)
	}
	st, err := NewStudy(q)
	if err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = st.Step(1 << 30); err != nil {
			t.Fatal(err)
		}
	}
	r := &st.Results[0]
	if r.Recovered > r.Clients/20 || r.Reason.Code != "reject-collapse" {
		t.Errorf("%d of %d back; %+v", r.Recovered, r.Clients, r.Reason)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"clients":100,"capacity":10,"policy":["full:1s:30s",{"policy":"fixed","base_ms":1000}],"others":["20%:fixed:1s",{"share":0.1,"policy":"exp:1s:30s"}]}`))
	f.Add([]byte(`{"clients":50,"capacity":10,"policy":"window:5s","outage_ms":1000,"outage_hangs":true,"drop_syn":true,"drops":[{"at_ms":0},{"at_ms":3000,"share":0.5,"over_ms":100,"batches":3}]}`))
	f.Add([]byte(`{"clients":50,"capacity":10,"policy":"full:1s:2s","restart":{"nodes":3,"every_ms":2000,"down_ms":500,"drain_ms":100},"door":{"rate":5,"burst":2,"retry_after_ms":100,"jitter_ms":50,"cost":0.1}}`))
	f.Add([]byte(`{"report":{"schema":"stormlint/report/1","totals":{"clients":20},"fleet":{"capacity_seen":5},"groups":[{"clients":20,"schedule":{"policy":"fixed:1s"}}]}}`))
	f.Add([]byte(`{"clients":50,"max_wait_ms":3000,"tight":true,"nodes":3,"seed":18446744073709551615,"growth":2,"intake":40,"skip_departed":true,"rtt_ms":0,"rtt_sigma":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := ParseRequest(data)
		if err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatalf("an error that is no fault: %v", err)
			}
			return
		}
		if q.Clients > 2000 {
			return
		}
		q.MaxEvents = 20_000
		q.Horizon = min(max(q.Horizon, time.Millisecond), time.Minute)
		if st, err := NewStudy(q); err == nil {
			for done := false; !done; {
				if done, err = st.Step(5000); err != nil {
					t.Fatal(err)
				}
			}
			st.AppendJSON(nil)
			for _, r := range st.Results {
				if r.Recovered+r.GaveUp > r.Clients {
					t.Fatalf("%d back and %d gone of %d", r.Recovered, r.GaveUp, r.Clients)
				}
			}
		}
	})
}
