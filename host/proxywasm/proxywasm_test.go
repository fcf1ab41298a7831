package proxywasm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/tetratelabs/wazero"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/module/moduletest"
)

// clock is told to the VMs.
type clock struct{ wall, steady atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.wall.Store(1_800_000_000e9)
	c.steady.Store(100e9)
	return c
}

func (c *clock) now() (int64, int64) { return c.wall.Load(), c.steady.Load() }

func (c *clock) pass(d time.Duration) {
	c.wall.Add(int64(d))
	c.steady.Add(int64(d))
}

// said gathers what the filter says.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) log(level int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, strconv.Itoa(level)+" "+text)
}

func (s *said) count(part string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if strings.Contains(l, part) {
			n++
		}
	}
	return n
}

var cache = wazero.NewCompilationCache()

func host(t testing.TB, tags string, o Options) (*Host, *said) {
	t.Helper()
	words := new(said)
	o.Cache = cache
	if o.Log == nil {
		o.Log = words.log
	}
	h, err := New(t.Context(), moduletest.Filter(t, tags), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h, words
}

// door is the filter before a handler that answers 204.
func door(h *Host) http.Handler {
	return h.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
}

func upgrade(from string, header ...string) *http.Request {
	r := httptest.NewRequest("GET", "/ws?token=secret", nil)
	r.RemoteAddr = from
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

func ask(d http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

// Four VMs in parallel let exactly the burst in.
func TestWorkersShareOneLimit(t *testing.T) {
	const burst, asked = 500, 4000
	h, _ := host(t, "", Options{Configuration: fmt.Sprintf(`{"mode":"enforce","key":"header:x-client","rate":1,"burst":%d,"log":0}`, burst), VMs: 4, Clock: newClock().now})
	d := door(h)
	var in, out atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range asked / 8 {
				switch ask(d, upgrade("192.0.2.1:1", "X-Client", "one")).Code {
				case 204:
					in.Add(1)
				case 429:
					out.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if in.Load() != burst || out.Load() != asked-burst {
		t.Errorf("%d in, %d out", in.Load(), out.Load())
	}
	if got := h.Metric("stormlint.handshakes.outcome=admitted.limit=open"); got != burst {
		t.Errorf("counted %d", got)
	}
	t.Logf("%d compare-and-sets were beaten", h.Metric("stormlint.shared.event=retry"))
	// Each worker alone: four times as many.
	h, _ = host(t, "", Options{Configuration: `{"mode":"enforce","key":"ip","burst":10,"scope":"worker","log":0}`, VMs: 4, Clock: newClock().now})
	d = door(h)
	n := 0
	for range 100 {
		if ask(d, upgrade("192.0.2.1:1")).Code == 204 {
			n++
		}
	}
	if n != 40 {
		t.Errorf("limits of workers: %d in", n)
	}
}

// The fleet's limit is one too, and whoever it refuses keeps its own tokens.
func TestFleet(t *testing.T) {
	c := newClock()
	h, _ := host(t, "", Options{Configuration: `{"mode":"enforce","key":"ip","rate":1,"burst":3,"fleet_rate":50,"fleet_burst":50,"log":0}`, VMs: 4, Clock: c.now})
	d := door(h)
	codes := map[int]int{}
	hints := map[string]bool{}
	for i := range 200 {
		w := ask(d, upgrade(fmt.Sprintf("192.0.2.%d:1", i)))
		codes[w.Code]++
		if w.Code == 503 {
			hints[w.Header().Get("Retry-After-Ms")] = true
		}
	}
	if codes[204] != 50 || codes[503] != 150 {
		t.Errorf("%v", codes)
	}
	if len(hints) < 148 {
		t.Errorf("150 refused were told only %d different moments", len(hints))
	}
	c.pass(10 * time.Second)
	for range 3 { // refused before, it has its whole burst
		if w := ask(d, upgrade("192.0.2.150:1")); w.Code != 204 {
			t.Errorf("status %d", w.Code)
		}
	}
}

// Real WebSockets through a reverse proxy: a refusal, a session, its lines.
func TestReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		kind, data, _ := c.Read(r.Context())
		c.Write(r.Context(), kind, data)
		c.Close(websocket.StatusNormalClosure, "")
	}))
	defer backend.Close()
	to, _ := url.Parse(backend.URL)
	h, words := host(t, "", Options{Configuration: `{"mode":"enforce","key":"ip","rate":0.001,"burst":20}`, VMs: 2})
	server := httptest.NewServer(h.Wrap(httputil.NewSingleHostReverseProxy(to)))
	defer server.Close()
	var in, out atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 10 {
				c, r, err := websocket.Dial(t.Context(), "ws"+server.URL[4:]+"/ws", nil)
				if err != nil {
					if after, _ := strconv.Atoi(r.Header.Get("Retry-After")); r.StatusCode != 429 || after < 300 || after > 301 {
						t.Errorf("%v %v", r.StatusCode, r.Header)
					}
					out.Add(1)
					continue
				}
				in.Add(1)
				c.Write(t.Context(), websocket.MessageText, []byte("hi"))
				if _, data, err := c.Read(t.Context()); err != nil || string(data) != "hi" {
					t.Errorf("%q %v", data, err)
				}
				c.CloseNow()
			}
		})
	}
	wait.Wait()
	if in.Load() != 20 || out.Load() != 60 {
		t.Errorf("%d in, %d out", in.Load(), out.Load())
	}
	server.Close() // waits for the tunnels' ends
	if a, b, c := words.count(`"event_type":"connect"`), words.count(`"event_type":"retry","outcome":"limited"`), words.count(`"event_type":"disconnect"`); a != 20 || b != 60 || c != 20 {
		t.Errorf("lines: %d connects, %d refusals, %d ends", a, b, c)
	}
	if words.count("secret") > 0 {
		t.Error("a query was logged")
	}
}

func TestRefusedConfiguration(t *testing.T) {
	_, err := New(t.Context(), moduletest.Filter(t, ""), Options{Configuration: `{"mode":"enforce"}`, VMs: 1})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.BadValue || !strings.Contains(f.Error(), "key is not set, expected ip, direct, header:NAME or none before the filter may refuse anybody") {
		t.Errorf("%v", err)
	}
	for _, bad := range [][]byte{nil, []byte("\x00asm\x01\x00\x00\x00"), []byte("not wasm")} {
		if _, err := New(t.Context(), bad, Options{}); !errors.As(err, &f) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, o := range []Options{{VMs: -1}, {VMs: 257}, {MemoryPages: 3}} {
		if _, err := New(t.Context(), nil, o); !errors.As(err, &f) || f.Code != fault.BadValue {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
