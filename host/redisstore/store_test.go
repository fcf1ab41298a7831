package redisstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/guard"
)

func TestMain(m *testing.M) {
	logging.Disable() // go-redis prints each failed attempt to connect
	m.Run()
}

var quiet = slog.New(slog.DiscardHandler)

func compile(t testing.TB, rate float64, burst int64) *bucket.Rule {
	t.Helper()
	r, err := bucket.Limit{Rate: rate, Burst: burst}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

func open(t testing.TB, o Options, l guard.Limits) *Store {
	t.Helper()
	o.Logger = quiet
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Set(l); err != nil {
		t.Fatal(err)
	}
	return s
}

var epoch = time.Now()

func (s *Store) knock(key string) guard.Ruling {
	return s.Take(context.Background(), guard.Key{Text: key, ID: bucket.Hash(1, key)}, int64(time.Since(epoch)))
}

// TestShared: several instances under concurrent callers share a client's limit and the fleet's exactly: within the
// test's time the buckets do not grow by a token.
func TestShared(t *testing.T) {
	server := startServer(t)
	limits := guard.Limits{Client: compile(t, 0.001, 5), Fleet: compile(t, 0.001, 40), Instances: 4}
	var stores []*Store
	for range 4 {
		stores = append(stores, open(t, Options{URL: server.url(), Timeout: 5 * time.Second}, limits))
	}
	var mu sync.Mutex
	in, gates := map[string]int{}, map[bucket.Gate]int{}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 40 {
				key := fmt.Sprintf("198.51.100.%d", (i+j)%10)
				r := stores[(i+j)%4].knock(key)
				mu.Lock()
				if r.Source != "redis" || r.Scope != guard.Cluster {
					t.Errorf("decided by %s, scope %s", r.Source, r.Scope)
				}
				gates[r.Gate]++
				if r.Allowed {
					in[key]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	sum := 0
	for key, n := range in {
		if sum += n; n > 5 {
			t.Errorf("%s: %d in, its limit is 5", key, n)
		}
	}
	if sum != 40 {
		t.Errorf("%d in, the fleet's limit is 40", sum)
	}
	if gates[bucket.Client]+gates[bucket.Fleet] != 600 {
		t.Errorf("gates: %v", gates)
	}
}

// TestSameAsMemory: step by step Redis decides as the bucket in memory does; it cannot be told the time, so the steps lie
// within a token's growth.
func TestSameAsMemory(t *testing.T) {
	server := startServer(t)
	limits := guard.Limits{Client: compile(t, 0.01, 3), Fleet: compile(t, 0.02, 7)}
	s := open(t, Options{URL: server.url(), Timeout: 5 * time.Second}, limits)
	var m guard.Memory
	if err := m.Set(limits); err != nil {
		t.Fatal(err)
	}
	for i, key := range strings.Split("a a a a b b b b c c c d", " ") {
		k := guard.Key{Text: key, ID: bucket.Hash(1, key)}
		got, want := s.Take(t.Context(), k, 0), m.Take(t.Context(), k, 0)
		near := func(a, b time.Duration) bool { return a <= b && b-a < 5*time.Second }
		if got.Allowed != want.Allowed || got.Gate != want.Gate || got.Remaining != want.Remaining || !near(got.RetryAfter, want.RetryAfter) {
			t.Errorf("step %d, %s: redis %+v, memory %+v", i, key, got, want)
		}
	}
}

// TestLeaseNeverExceeds: four instances with leases under full demand for a second; by each instant no more than burst +
// rate·t have been let in, and nearly as many.
func TestLeaseNeverExceeds(t *testing.T) {
	server := startServer(t)
	const rate, burst = 2000, 400
	limits := guard.Limits{Fleet: compile(t, rate, burst), Instances: 4}
	var mu sync.Mutex
	var admitted []time.Time
	begin := time.Now()
	var wg sync.WaitGroup
	sources := map[string]int{}
	for i := range 4 {
		s := open(t, Options{URL: server.url(), Lease: 50 * time.Millisecond, Timeout: 5 * time.Second}, limits)
		for range 2 {
			wg.Go(func() {
				for n := 0; time.Since(begin) < time.Second; n++ {
					before := time.Now() // the instant that counts lies before the decision's end
					r := s.knock(fmt.Sprint(i))
					mu.Lock()
					sources[r.Source]++
					if r.Allowed {
						admitted = append(admitted, before)
					}
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	slices.SortFunc(admitted, time.Time.Compare)
	elapsed := admitted[len(admitted)-1].Sub(admitted[0]).Seconds()
	most := burst + rate*(elapsed+0.005)
	t.Logf("%d let in within %.3f s, at most %.0f allowed; decided by %v", len(admitted), elapsed, most, sources)
	if float64(len(admitted)) > most {
		t.Errorf("%d let in, at most %.0f", len(admitted), most)
	}
	if float64(len(admitted)) < 0.7*rate {
		t.Errorf("only %d let in", len(admitted))
	}
	if sources["lease"] < sources["redis"] {
		t.Errorf("leases decide less than trips: %v", sources)
	}
}

func TestLeaseKeepsClientsApart(t *testing.T) {
	server := startServer(t)
	s := open(t, Options{URL: server.url(), Lease: 50 * time.Millisecond, Timeout: 5 * time.Second}, guard.Limits{Client: compile(t, 0.01, 2), Fleet: compile(t, 1000, 200)})
	for i, want := range []bool{true, true, false} {
		r := s.knock("one")
		if r.Allowed != want || r.Scope != guard.Process {
			t.Errorf("attempt %d: %+v", i, r)
		}
	}
	if r := s.knock("two"); !r.Allowed {
		t.Errorf("another client: %+v", r)
	}
}

// fault is one way in which Redis fails: what decisions cost meanwhile, who takes them, and that sharing comes back.
type failure struct {
	name       string
	down, back func(*server)
}

var failures = []failure{
	{"refused (killed)", func(s *server) { s.kill() }, func(s *server) { s.start() }},
	{"frozen (SIGSTOP)", func(s *server) { s.signal(syscall.SIGSTOP) }, func(s *server) { s.signal(syscall.SIGCONT) }},
}

// TestDown: with Redis killed or frozen no decision takes long, none is unlimited, and sharing returns by itself.
func TestDown(t *testing.T) {
	for _, lease := range []time.Duration{0, 50 * time.Millisecond} {
		for _, f := range failures {
			t.Run(fmt.Sprintf("%s, lease %v", f.name, lease), func(t *testing.T) {
				server := startServer(t)
				s := open(t, Options{URL: server.url(), Lease: lease}, guard.Limits{Client: compile(t, 1000, 1000), Fleet: compile(t, 400, 80), Instances: 4})
				s.breaker.probeEvery = 20 * time.Millisecond
				if !returns(s) {
					t.Fatal("not shared at the start")
				}
				f.down(server)
				first, after := measure(s, 300*time.Millisecond)
				t.Logf("until the breaker opened %v at most; open: %v at most, %d let in of %d by %v", first.worst, after.worst, after.in, after.n, after.by)
				if first.worst > 200*time.Millisecond { // 25 ms on a quiet machine: BenchmarkFaults prints the figures
					t.Errorf("a decision took %v", first.worst)
				}
				if after.by["local"] != after.n || after.n == 0 {
					t.Errorf("decided by %v", after.by)
				}
				if most := 20 + int(100*after.took.Seconds()) + 1; after.in > most { // a quarter of the limit
					t.Errorf("%d let in, at most %d", after.in, most)
				}
				f.back(server)
				if !returns(s) {
					t.Fatal("sharing did not come back")
				}
			})
		}
	}
}

type spell struct {
	n, in int
	worst time.Duration
	took  time.Duration
	by    map[string]int
}

// measure knocks without pause: until the breaker is open, and then for a time.
func measure(s *Store, open time.Duration) (first, after spell) {
	knock := func(p *spell) {
		if p.by == nil {
			p.by = map[string]int{}
		}
		start := time.Now()
		r := s.knock("a")
		p.worst = max(p.worst, time.Since(start))
		p.n++
		p.by[r.Source]++
		if r.Allowed {
			p.in++
		}
	}
	for begin := time.Now(); s.breaker.closed() && time.Since(begin) < 5*time.Second; {
		knock(&first)
	}
	begin := time.Now()
	for time.Since(begin) < open {
		knock(&after)
	}
	after.took = time.Since(begin)
	return
}

// returns waits until Redis decides again.
func returns(s *Store) bool {
	for begin := time.Now(); time.Since(begin) < 10*time.Second; {
		if r := s.knock("b"); r.Source == "redis" || r.Source == "lease" {
			return true
		}
		<-time.After(5 * time.Millisecond)
	}
	return false
}

// TestRestartedEmpty: a Redis that comes back without its keys is no occasion for a burst on top of the local one.
func TestRestartedEmpty(t *testing.T) {
	server := startServer(t)
	s := open(t, Options{URL: server.url()}, guard.Limits{Fleet: compile(t, 20, 40), Instances: 2})
	s.breaker.probeEvery = 20 * time.Millisecond
	for range 60 {
		s.knock("a")
	}
	server.kill()
	for s.breaker.closed() {
		s.knock("a")
	}
	for range 60 {
		s.knock("a")
	}
	server.start()
	for !s.breaker.closed() {
		<-time.After(time.Millisecond)
	}
	start, in := time.Now(), 0
	for time.Since(start) < 300*time.Millisecond {
		if s.knock("a").Allowed {
			in++
		}
	}
	if in > 10 { // local: 10 a second, and what grew while Redis started; without agreement 40 at once
		t.Errorf("%d let in at once after a restart", in)
	}
}

func TestChoicesWhenDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens there
	for down, allowed := range map[Down]bool{Open: true, Closed: false, Local: true, "": true} {
		s := open(t, Options{URL: "redis://" + l.Addr().String(), Down: down}, guard.Limits{Fleet: compile(t, 0.01, 1)})
		want := down
		if want == "" {
			want = Local
		}
		if r := s.knock("a"); r.Allowed != allowed || r.Source != string(want) {
			t.Errorf("%q: %+v", down, r)
		}
		if r := s.knock("a"); r.Allowed != (down == Open) {
			t.Errorf("%q, the second: %+v", down, r)
		}
	}
}

// TestSilent: a server that accepts and never answers, and one that talks nonsense.
func TestSilent(t *testing.T) {
	for name, answer := range map[string]func(net.Conn){
		"says nothing": func(c net.Conn) { io.Copy(io.Discard, c) },
		"talks HTTP":   func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); io.Copy(io.Discard, c) },
		"hangs up":     func(c net.Conn) {},
		"another shape": func(c net.Conn) {
			b := make([]byte, 4096)
			for {
				if _, err := c.Read(b); err != nil {
					return
				}
				io.WriteString(c, "*1\r\n:7\r\n")
			}
		},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { defer c.Close(); answer(c) }()
			}
		}()
		s := open(t, Options{URL: "redis://" + l.Addr().String()}, guard.Limits{Fleet: compile(t, 0.01, 2)})
		in := 0
		for range 6 {
			if s.knock("a").Allowed {
				in++
			}
		}
		if in != 2 || s.breaker.closed() {
			t.Errorf("%s: %d let in, breaker closed: %v", name, in, s.breaker.closed())
		}
		l.Close()
	}
}

func TestClockStepsBack(t *testing.T) {
	server := startServer(t)
	s := open(t, Options{URL: server.url(), Timeout: 5 * time.Second}, guard.Limits{Fleet: compile(t, 1000, 10)})
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + server.port})
	defer c.Close()
	// What a bucket looks like after Redis's clock was set back by an hour: its TAT lies an hour ahead.
	c.Set(t.Context(), s.fleetKey, fmt.Sprint(time.Now().Add(time.Hour).UnixMicro()), 0)
	if r := s.knock("a"); r.Allowed || r.RetryAfter > time.Millisecond {
		t.Errorf("after a step back: %+v", r)
	}
	<-time.After(3 * time.Millisecond)
	if r := s.knock("a"); !r.Allowed {
		t.Errorf("after a step back nothing grows: %+v", r)
	}
	c.Set(t.Context(), s.fleetKey, "not a number", 0)
	if r := s.knock("a"); !r.Allowed {
		t.Errorf("a foreign value: %+v", r)
	}
}

func TestNewRefuses(t *testing.T) {
	for field, list := range map[string][]Options{
		"url":     {{}, {URL: "http://x"}, {URL: "redis://user:secret@:x:y"}, {URL: "redis://h/notanumber"}},
		"timeout": {{URL: "redis://h", Timeout: -1}, {URL: "redis://h", Timeout: time.Minute}},
		"lease":   {{URL: "redis://h", Lease: -1}, {URL: "redis://h", Lease: time.Minute}},
		"down":    {{URL: "redis://h", Down: "Open"}},
	} {
		for _, o := range list {
			_, err := New(o)
			var f *fault.Error
			if !errors.As(err, &f) || f.Field != field || strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	s := open(t, Options{URL: "redis://127.0.0.1:1"}, guard.Limits{})
	if err := s.Set(guard.Limits{Fleet: compile(t, 1e9, 1<<60)}); !errors.Is(err, fault.BadValue) {
		t.Errorf("a burst beyond Redis's numbers: %v", err)
	}
}
