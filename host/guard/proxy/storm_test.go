package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/guard"
	"github.com/stormlint/stormlint/host/storm"
)

var (
	stormClients = flag.Int("storm", 0, "clients of the long storm, in three processes; 0 leaves it out")
	stormRate    = flag.Float64("storm-rate", 225, "capacity of the gateway in the long storm, handshakes a second")
	stormBare    = flag.Bool("storm-bare", false, "the long storm without the guard")
)

// figures is what the server's side of a storm showed.
type figures struct {
	Busiest int64 // handshakes that reached the gateway in the busiest second, at any offset of 100 ms
	Open    int
	Arrived []int32 // per 100 ms
}

func busiest(bins []int32) (most int64) {
	for i := range bins {
		var sum int64
		for _, n := range bins[i:min(i+10, len(bins))] {
			sum += int64(n)
		}
		most = max(most, sum)
	}
	return
}

// limited is a guard that lets at most C = rate into a backend in any second.
func limited(to string, rate float64) (*Proxy, error) {
	g, err := guard.New(guard.Options{Mode: guard.Enforce, Key: "direct", Fleet: bucket.Limit{Rate: rate}, Logger: quiet})
	if err != nil {
		return nil, err
	}
	return New(Options{To: to, Guard: g, Logger: quiet})
}

// TestStorm: clients that come back at once, ten milliseconds after each refusal, before a gateway of 200 a second: it
// never sees more than that in a second, and all are in within three times N/C.
func TestStorm(t *testing.T) {
	const clients, rate = 200, 200
	back, err := gateway.Listen("127.0.0.1:0", gateway.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close(context.Background())
	p, err := limited(strings.TrimPrefix(strings.TrimSuffix(back.URI(), "/"), "ws://"), rate)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: p}
	go front.Serve(l)
	defer front.Close()
	r, err := storm.Run(t.Context(), storm.Options{URI: "ws://" + l.Addr().String() + "/", Clients: clients, Rate: 2000, Interval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	b := r.Bursts[0]
	most := busiest(back.Stats().Arrivals)
	t.Logf("%d of %d back after %v at the latest, %d refusals, busiest second %d", b.Back, b.Dropped, b.Last.Round(time.Millisecond), b.Failed, most)
	if b.Back != clients || b.Last > 3*time.Second*clients/rate {
		t.Errorf("%d of %d back, the last after %v", b.Back, clients, b.Last)
	}
	if most > rate {
		t.Errorf("%d reached the gateway in a second", most)
	}
}

// TestLongStorm is the same at the size that counts, in three processes with 20,000 descriptors each; -storm 9000 runs it.
func TestLongStorm(t *testing.T) {
	if *stormClients == 0 {
		return // a benchmark: -storm 9000
	}
	gate := role(t, "gateway", "")
	front := gate
	if !*stormBare {
		front = role(t, "guard", gate.address)
	}
	n := time.Duration(float64(*stormClients) / *stormRate * float64(time.Second))
	r, err := storm.Run(t.Context(), storm.Options{URI: "ws://" + front.address + "/", Clients: *stormClients, Ramp: *stormRate * 0.9, Patience: 4 * n, Interval: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	b := r.Bursts[0]
	var server figures
	if err := json.Unmarshal([]byte(gate.ask(t)), &server); err != nil {
		t.Fatal(err)
	}
	t.Logf("N = %d, C = %g/s, N/C = %v", *stormClients, *stormRate, n)
	t.Logf("dropped %d, back %d; p50 %v, p99 %v, last %v = %.2f N/C", b.Dropped, b.Back, b.P50.Round(time.Millisecond), b.P99.Round(time.Millisecond), b.Last.Round(time.Millisecond), b.Last.Seconds()/n.Seconds())
	t.Logf("attempts %d/s at the peak, %d refused (%.1f a client), errors %v, held by the machine %d", int(b.Peak), b.Failed, b.Waste, b.Errors, r.Held)
	t.Logf("the gateway's busiest second since the start: %d handshakes, open at the end %d", server.Busiest, server.Open)
	if !*stormBare {
		t.Logf("guard: %s", front.ask(t))
	}
	s := render.NewSheet(render.Options{Width: 120})
	s.Bars("attempts", squeeze(b.Arrivals), 5, 10)
	from := int(float64(len(server.Arrived)) - float64(len(b.Arrivals)))
	arrived := make([]int, 0, len(b.Arrivals))
	for _, v := range server.Arrived[max(from, 0):] {
		arrived = append(arrived, int(v))
	}
	s.Bars("reached", squeeze(arrived), 5, 10)
	t.Logf("each column %v\n%s", (time.Duration(len(b.Arrivals)) * 100 * time.Millisecond / 100).Round(time.Millisecond), s.Bytes())
	if !*stormBare && (b.Back < b.Dropped || b.Last > 3*n || float64(server.Busiest) > *stormRate) {
		t.Error("not as it must be")
	}
}

// memory is a series of what a process holds.
type memory struct {
	mu     sync.Mutex
	series []string
}

var resident memory

func (m *memory) watch() {
	for range time.Tick(5 * time.Second) {
		var pages, held int
		text, _ := os.ReadFile("/proc/self/statm")
		fmt.Sscan(string(text), &pages, &held)
		m.mu.Lock()
		m.series = append(m.series, fmt.Sprintf(" %d", held*os.Getpagesize()>>20))
		m.mu.Unlock()
	}
}

func (m *memory) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.series, "")
}

// squeeze sums to at most 100 columns.
func squeeze(list []int) []int64 {
	per := max(1, (len(list)+99)/100)
	out := make([]int64, 0, 100)
	for i := 0; i < len(list); i += per {
		var sum int64
		for _, v := range list[i:min(i+per, len(list))] {
			sum += int64(v)
		}
		out = append(out, sum)
	}
	return out
}

// child is this test binary in another role.
type child struct {
	address string
	in      *bufio.Writer
	out     *bufio.Scanner
}

func role(t *testing.T, name, to string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "PROXY_TEST_ROLE="+name, "PROXY_TEST_TO="+to, fmt.Sprint("PROXY_TEST_RATE=", *stormRate))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	c := &child{in: bufio.NewWriter(in), out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 1<<24)
	c.out.Scan()
	c.address = c.out.Text()
	return c
}

func (c *child) ask(t *testing.T) string {
	t.Helper()
	c.in.WriteString("?\n")
	c.in.Flush()
	if !c.out.Scan() {
		t.Fatal("a child has died")
	}
	return c.out.Text()
}

func TestMain(m *testing.M) {
	var rate float64
	fmt.Sscan(os.Getenv("PROXY_TEST_RATE"), &rate)
	var answer func() string
	switch os.Getenv("PROXY_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "gateway":
		g, err := gateway.Listen("127.0.0.1:0", gateway.Options{})
		fail(err)
		fmt.Println(strings.Trim(g.URI(), "ws:/"))
		answer = func() string {
			s := g.Stats()
			b, _ := json.Marshal(figures{busiest(s.Arrivals), s.Open, s.Arrivals})
			return string(b)
		}
	case "guard":
		p, err := limited(os.Getenv("PROXY_TEST_TO"), rate)
		fail(err)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		fail(err)
		go (&http.Server{Handler: p, ErrorLog: log.New(io.Discard, "", 0)}).Serve(l)
		go resident.watch()
		fmt.Println(l.Addr())
		answer = func() string {
			return fmt.Sprintf("%d tunnels, %d goroutines, %d turned away behind the backend; resident memory each 5 s:%s MiB",
				p.Tunnels(), runtime.NumGoroutine(), p.Behind(), resident.String())
		}
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(answer())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
