package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
)

// told is a guard whose clock is the test's.
type told struct {
	*Guard
	now   int64
	stall int64 // nobody wakes before
	slept []time.Duration
	log   strings.Builder
}

func tell(t *testing.T, o Options) *told {
	t.Helper()
	g := &told{}
	o.Now = func() int64 { return g.now }
	o.Logger = slog.New(slog.NewTextHandler(&g.log, nil))
	var err error
	if g.Guard, err = New(o); err != nil {
		t.Fatal(err)
	}
	g.Guard.sleep = func(_ context.Context, d time.Duration) {
		g.slept = append(g.slept, d)
		g.now = max(g.now+int64(d), g.stall)
	}
	return g
}

func knock(from string, headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/ws", nil)
	r.RemoteAddr = from
	r.Header.Set("Connection", "keep-alive, Upgrade")
	r.Header.Set("Upgrade", "WebSocket")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

var inside = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })

// do sends one request; those that follow are sent at the same instant, whatever this one slept.
func (g *told) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	start := g.now
	g.Wrap(inside).ServeHTTP(w, r)
	g.now = start
	return w
}

func TestShadowIsTheDefault(t *testing.T) {
	g := tell(t, Options{Fleet: bucket.Limit{Rate: 10, Burst: 7}})
	for range 20 {
		if w := g.do(knock("203.0.113.9:1")); w.Code != http.StatusTeapot {
			t.Fatalf("shadow answered %d", w.Code)
		}
	}
	if n := figure(t, g, "stormlint_guard_handshakes_total", "client would_refuse process memory"); n != 15 {
		t.Errorf("%g would be refused, want 15", n)
	}
	if !strings.Contains(g.log.String(), "would have been refused (shadow)") {
		t.Error("shadow says nothing:", g.log.String())
	}
	if len(g.slept) > 0 {
		t.Error("shadow held an admission")
	}
}

func TestEnforce(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip"})
	for i := range 5 {
		if w := g.do(knock("203.0.113.9:1")); w.Code != http.StatusTeapot {
			t.Fatalf("attempt %d answered %d", i, w.Code)
		}
	}
	w := g.do(knock("203.0.113.9:2"))
	if w.Code != http.StatusTooManyRequests {
		t.Fatalf("the sixth answered %d", w.Code)
	}
	h := w.Header()
	if h.Get("RateLimit") != `"client";r=0;t=1` || h.Get("RateLimit-Policy") != `"client";q=5;w=3;scope=process` || h.Get("Connection") != "close" {
		t.Errorf("headers: %v", h)
	}
	var body struct {
		Error, Limit, Scope string
		RetryAfterMs        int64 `json:"retry_after_ms"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Limit != "client" || body.Scope != "process" {
		t.Errorf("body %s: %v", w.Body, err)
	}
	ms, _ := strconv.ParseInt(h.Get("Retry-After-Ms"), 10, 64)
	if s := h.Get("Retry-After"); ms < 500 || ms > 1500 || ms != body.RetryAfterMs || s != strconv.FormatInt((ms+999)/1000, 10) {
		t.Errorf("Retry-After %s, %d ms", s, ms)
	}
	if w := g.do(knock("203.0.113.10:2")); w.Code != http.StatusTeapot {
		t.Error("another client was refused")
	}
	r := knock("203.0.113.9:3")
	r.Header.Del("Upgrade")
	if w := g.do(r); w.Code != http.StatusTeapot {
		t.Error("a request that is no handshake was refused")
	}
	g.now += int64(500 * time.Millisecond)
	if w := g.do(knock("203.0.113.9:3")); w.Code != http.StatusTeapot {
		t.Error("refused after its wait")
	}
}

func TestFleetSpreadsItsHints(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "direct", Fleet: bucket.Limit{Rate: 100, Burst: 10}, Hold: -1})
	seen := map[string]int{}
	for i := range 1000 {
		w := g.do(knock(fmt.Sprintf("10.0.%d.%d:9", i/250, i%250)))
		switch {
		case i < 10 && w.Code != http.StatusTeapot:
			t.Fatalf("client %d answered %d", i, w.Code)
		case i >= 10 && w.Code != http.StatusServiceUnavailable:
			t.Fatalf("client %d answered %d", i, w.Code)
		case i >= 10:
			seen[w.Header().Get("Retry-After-Ms")]++
			if p := w.Header().Get("RateLimit-Policy"); p != `"fleet";q=100;w=1;scope=process` {
				t.Fatal(p)
			}
		}
	}
	if len(seen) < 900 {
		t.Errorf("990 refusals, %d different waits", len(seen))
	}
	if n := figure(t, g, "stormlint_guard_waiting", ""); n < 900 || n > 1100 {
		t.Errorf("%g waiting", n)
	}
}

// TestHold: with a burst of 1 and Hold of a second, a bunch of 300 at one instant before C = 100/s is let in one by one
// over a second, and the rest is refused.
func TestHold(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "none", Fleet: bucket.Limit{Rate: 100, Burst: 1}})
	in := 0
	for i := range 300 {
		if g.do(knock(fmt.Sprintf("[2001:db8::%x]:9", i))).Code == http.StatusTeapot {
			in++
		}
	}
	if in != 101 {
		t.Fatalf("%d in", in)
	}
}

// TestStall: thirty that wait wake together because the machine stood still for a second; the backend gets them one by one
// all the same. A client that goes away takes no token along, and a full line refuses.
func TestStall(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "none", Fleet: bucket.Limit{Rate: 100, Burst: 1}, Hold: 300 * time.Millisecond})
	awake := make(chan struct{})
	g.Guard.sleep = func(_ context.Context, d time.Duration) {
		<-awake
		g.line.mu.Lock()
		g.now = max(g.now+int64(d), int64(time.Second))
		g.line.mu.Unlock()
	}
	reached := make(chan int64, 100)
	door := g.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		g.line.mu.Lock()
		reached <- g.now
		g.line.mu.Unlock()
	}))
	var wg sync.WaitGroup
	enter := func(ctx context.Context, i int) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		before := g.held.Load()
		wg.Go(func() { door.ServeHTTP(w, knock(fmt.Sprintf("10.0.0.%d:9", i)).WithContext(ctx)) })
		for range 1000 {
			if g.held.Load() > before || len(reached) == 1 && i == 0 {
				break
			}
			<-time.After(time.Millisecond)
		}
		return w
	}
	enter(t.Context(), 0)
	for i := range 29 {
		enter(t.Context(), i+1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	enter(ctx, 30)
	w := httptest.NewRecorder()
	door.ServeHTTP(w, knock("10.0.0.31:9"))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("a full line answered %d", w.Code)
	}
	cancel()
	for g.held.Load() > 29 {
		<-time.After(time.Millisecond)
	}
	close(awake)
	wg.Wait()
	if len(reached) != 30 {
		t.Fatalf("%d of 30 reached the backend", len(reached))
	}
	if first := <-reached; first != 0 {
		t.Errorf("the first at %d", first)
	}
	if last := g.now; last != int64(time.Second)+28*10*ms {
		t.Errorf("29 woke together and the last went at %v, want 1.28s", time.Duration(last))
	}
}

const ms = int64(time.Millisecond)

func TestSet(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip", Client: bucket.Limit{Rate: 1, Burst: 2}})
	for range 3 {
		g.do(knock("203.0.113.9:1"))
	}
	if err := g.Set(Options{Mode: Enforce, Client: bucket.Limit{Rate: 1, Burst: 2}}); !errors.Is(err, fault.BadUsage) {
		t.Errorf("enforcing without a key: %v", err)
	}
	if w := g.do(knock("203.0.113.9:1")); w.Code != http.StatusTooManyRequests {
		t.Error("a bad change of settings was not refused whole")
	}
	if err := g.Set(Options{Mode: Shadow}); err != nil {
		t.Fatal(err)
	}
	if w := g.do(knock("203.0.113.9:1")); w.Code != http.StatusTeapot {
		t.Error("the new mode does not count")
	}
}

func TestOptionsRefused(t *testing.T) {
	inf := math.Inf(1)
	for field, list := range map[string][]Options{
		"mode":             {{Mode: "enforced"}, {Mode: "Shadow"}},
		"key":              {{Mode: Enforce}, {Mode: Close}, {Key: "IP"}, {Key: "header:"}, {Key: "header:a b"}, {Key: "header"}, {Key: strings.Repeat("x", 1000)}, {Key: "direct", TrustedProxies: []string{"10.0.0.1"}}},
		"forwarded header": {{Forwarded: "X Forwarded"}, {Forwarded: "a:b"}},
		"trusted proxy":    {{TrustedProxies: []string{"10.0.0.0/33"}}, {TrustedProxies: []string{""}}, {TrustedProxies: []string{"balancer"}}},
		"allow":            {{Allow: []string{"localhost"}}},
		"rate":             {{Client: bucket.Limit{Burst: 5}}, {Client: bucket.Limit{Rate: -2, Burst: 5}}, {Client: bucket.Limit{Rate: math.NaN(), Burst: 5}}, {Client: bucket.Limit{Rate: 1e-18, Burst: 1}}},
		"burst":            {{Client: bucket.Limit{Rate: 2}}, {Client: bucket.Limit{Rate: 2, Burst: -1}}},
		"fleet rate":       {{Fleet: bucket.Limit{Burst: 5}}, {Fleet: bucket.Limit{Rate: -1}}, {Fleet: bucket.Limit{Rate: inf}}, {Fleet: bucket.Limit{Rate: math.NaN(), Burst: 1}}},
		"fleet burst":      {{Fleet: bucket.Limit{Rate: 2, Burst: -1}}},
		"keys":             {{Keys: -1}, {Keys: 1 << 31}},
		"hold":             {{Hold: time.Hour}},
		"longest wait":     {{Longest: time.Millisecond}, {Longest: 48 * time.Hour}, {Longest: -1}},
		"instances":        {{Instances: -1}, {Instances: 1 << 30}},
	} {
		for _, o := range list {
			o.Logger = slog.New(slog.DiscardHandler)
			_, err := New(o)
			var f *fault.Error
			if !errors.As(err, &f) || f.Expected == "" || f.Value == "" || f.Field != field {
				t.Errorf("%s: %+v: %v", field, o, err)
			}
		}
	}
	for _, o := range []Options{{}, {Client: bucket.Limit{Rate: inf}}, {Fleet: bucket.Limit{Rate: 0.01}}, {Key: "none", Mode: Close}, {Client: bucket.Limit{Rate: 1e300, Burst: 1}}} {
		o.Logger = slog.New(slog.DiscardHandler)
		if _, err := New(o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestCloseMode: a real client sees 1013 and the hint, also when it offers protocols; a client that offers no proper
// handshake does not stay.
func TestCloseMode(t *testing.T) {
	g, err := New(Options{Mode: Close, Key: "direct", Client: bucket.Limit{Rate: 0.001, Burst: 1}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.Write(r.Context(), websocket.MessageText, []byte("hello"))
		c.Close(websocket.StatusNormalClosure, "")
	})))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	read := func(protocols ...string) (string, error) {
		c, _, err := websocket.Dial(ctx, server.URL, &websocket.DialOptions{Subprotocols: protocols})
		if err != nil {
			return "", err
		}
		defer c.CloseNow()
		if len(protocols) > 0 && c.Subprotocol() != protocols[0] {
			t.Errorf("protocol %q", c.Subprotocol())
		}
		_, b, err := c.Read(ctx)
		return string(b), err
	}
	if s, err := read(); s != "hello" {
		t.Fatal(s, err)
	}
	for _, protocols := range [][]string{nil, {"mqtt", "stomp"}} {
		_, err := read(protocols...)
		var ce websocket.CloseError
		if !errors.As(err, &ce) || ce.Code != 1013 || !strings.HasPrefix(ce.Reason, "try again later; retry-after-ms=") {
			t.Errorf("got %v", err)
		}
	}
	req, _ := http.NewRequest("GET", server.URL, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a handshake without a key: %v %v", resp, err)
	}
	for range 1000 {
		if len(g.closing) == 0 {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	if len(g.closing) != 0 {
		t.Error("a close handshake kept its place")
	}
	for range maxClosing { // all places taken: refused by status
		g.closing <- struct{}{}
	}
	_, resp, err = websocket.Dial(ctx, server.URL, nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("with no place left: %v %v", resp, err)
	}
}

func TestMetrics(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip", Client: bucket.Limit{Rate: 1, Burst: 2}})
	for range 3 {
		g.do(knock("203.0.113.9:1"))
	}
	for labels, want := range map[string]float64{"client refused process memory": 1, "open admitted process memory": 2} {
		if n := figure(t, g, "stormlint_guard_handshakes_total", labels); n != want {
			t.Errorf("%s: %g, want %g", labels, n, want)
		}
	}
	for _, name := range []string{"stormlint_guard_suspended_total", "stormlint_guard_suspended_addresses", "stormlint_guard_held", "stormlint_guard_displaced_keys"} {
		if n := figure(t, g, name, ""); n != 0 {
			t.Errorf("%s is %g", name, n)
		}
	}
}

// figure is a counter or gauge of the guard, as a strict registry gathers it; labels are the values in order of their names.
func figure(t *testing.T, g prometheus.Collector, name, labels string) float64 {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(g)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			if strings.Join(values, " ") == labels {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	t.Errorf("no figure %s{%s}", name, labels)
	return 0
}

func ExampleGuard_Wrap() {
	g, err := New(Options{Mode: Enforce, Key: "direct", Client: bucket.Limit{Rate: 1, Burst: 2}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	door := g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "in") }))
	for range 3 {
		w := httptest.NewRecorder()
		door.ServeHTTP(w, knock("203.0.113.9:40000"))
		fmt.Println(w.Code, w.Header()["Ratelimit"])
	}
	// Output:
	// 200 []
	// 200 []
	// 429 ["client";r=0;t=1]
}
