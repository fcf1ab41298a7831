package redisstore

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/host/guard"
)

var faults = flag.Bool("faults", false, "measure decisions with Redis well, refused, frozen, slow, killed and restarted empty")

// delayed stands between a store and Redis and keeps answers back.
type delayed struct {
	l     net.Listener
	delay atomic.Int64
}

func delay(t testing.TB, to string) *delayed {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &delayed{l: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", "127.0.0.1:"+to)
			if err != nil {
				a.Close()
				continue
			}
			go func() { io.Copy(b, a); b.Close() }()
			go func() {
				defer a.Close()
				buf := make([]byte, 4096)
				for {
					n, err := b.Read(buf)
					if err != nil {
						return
					}
					<-time.After(time.Duration(d.delay.Load()))
					if _, err := a.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return d
}

// sample is the time of single decisions.
type sample struct {
	times []time.Duration
	by    map[string]int
	in    int
}

func (s *sample) String() string {
	if len(s.times) == 0 {
		return "none: it was open already"
	}
	slices.Sort(s.times)
	at := func(q float64) time.Duration {
		return s.times[min(int(q*float64(len(s.times))), len(s.times)-1)].Round(100 * time.Nanosecond)
	}
	var sum time.Duration
	for _, d := range s.times {
		sum += d
	}
	mean := (sum / time.Duration(len(s.times))).Round(100 * time.Nanosecond)
	return fmt.Sprintf("n %7d   mean %9v   p50 %9v   p99 %9v   max %9v   by %v", len(s.times), mean, at(0.5), at(0.99), at(1), s.by)
}

func take(s *Store, n int, every time.Duration, until func() bool) *sample {
	r := &sample{by: map[string]int{}}
	for i := 0; i < n && !until(); i++ {
		start := time.Now()
		v := s.knock(fmt.Sprint(i % 1000))
		r.times = append(r.times, time.Since(start))
		r.by[v.Source]++
		if v.Allowed {
			r.in++
		}
		if every > 0 {
			<-time.After(every)
		}
	}
	return r
}

func never() bool { return false }

// TestFaultTable prints the table of the package comment, measured: go test ./host/redisstore -run FaultTable -faults -v
func TestFaultTable(t *testing.T) {
	if !*faults {
		return // a benchmark
	}
	limits := guard.Limits{Client: compile(t, 1000, 1000), Fleet: compile(t, 2_000_000, 200_000), Instances: 4}
	for _, lease := range []time.Duration{0, 50 * time.Millisecond} {
		t.Logf("lease %v", lease)
		server := startServer(t)
		s := open(t, Options{URL: server.url(), Lease: lease}, limits)
		returns(s)
		t.Logf("  well, one caller            %v", take(s, 20_000, 0, never))
		t.Logf("  well, 64 callers            %s", callers(s, 64, 2000))
		returns(s)
		server.signal(syscall.SIGSTOP)
		opening := take(s, 1000, 0, func() bool { return !s.breaker.closed() })
		t.Logf("  frozen, until it opens      %v", opening)
		t.Logf("  frozen, open                %v", take(s, 20_000, 0, never))
		server.signal(syscall.SIGCONT)
		back := time.Now()
		for !s.breaker.closed() {
			<-time.After(time.Millisecond)
		}
		t.Logf("  thawed: shared again after  %v", time.Since(back).Round(time.Millisecond))
		<-time.After(1200 * time.Millisecond)
		go func() { <-time.After(30 * time.Millisecond); server.kill() }()
		t.Logf("  killed midway               %v", take(s, 1_000_000, 0, func() bool { return !s.breaker.closed() }))
		t.Logf("  refused, open               %v", take(s, 20_000, 0, never))
		server.start()
		back = time.Now()
		for !s.breaker.closed() {
			<-time.After(time.Millisecond)
		}
		t.Logf("  restarted empty: after      %v; then %v", time.Since(back).Round(time.Millisecond), take(s, 2000, 0, never))
		d := delay(t, server.port)
		slow := open(t, Options{URL: "redis://" + d.l.Addr().String(), Lease: lease}, limits)
		for _, ms := range []int64{2, 5} {
			d.delay.Store(ms * int64(time.Millisecond))
			returns(slow)
			t.Logf("  slow by %d ms                %v", ms, take(slow, 200, 0, never))
		}
		d.delay.Store(int64(40 * time.Millisecond))
		t.Logf("  slow by 40 ms, until open   %v", take(slow, 1000, 0, func() bool { return !slow.breaker.closed() }))
		t.Logf("  slow by 40 ms, open         %v", take(slow, 20_000, 0, never))
		server.kill()
		dead := open(t, Options{URL: server.url(), Lease: lease}, limits)
		t.Logf("  not there at the start      %v", take(dead, 1000, 0, func() bool { return !dead.breaker.closed() }))
	}
}

// callers is what decisions cost when many ask at once: the time of all of them over their number.
func callers(s *Store, n, each int) string {
	var wg sync.WaitGroup
	var local atomic.Int64
	start := time.Now()
	for i := range n {
		wg.Go(func() {
			for j := range each {
				r := s.Take(context.Background(), guard.Key{Text: fmt.Sprint(i*31 + j%16), ID: bucket.Hash(1, fmt.Sprint(i*31+j%16))}, int64(time.Since(epoch)))
				if r.Source == "local" {
					local.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return fmt.Sprintf("n %7d   %v each, %d of them local", n*each, (time.Since(start) / time.Duration(n*each)).Round(10*time.Nanosecond), local.Load())
}
