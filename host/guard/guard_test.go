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
	g := tell(t, Options{Fleet: bucket.Limit{Rate: 1, Burst: 7}})
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
			if p := w.Header().Get("RateLimit-Policy"); p != `"fleet";q=10;w=1;scope=process` {
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

func TestKeys(t *testing.T) {
	behind := []string{"10.0.0.0/8", "fd00::/8"}
	big := strings.Repeat("6.6.6.6, ", 120_000) + "198.51.100.9"
	for _, c := range []struct {
		name   string
		o      Options
		r      *http.Request
		want   string
		prefix bool
	}{
		{"peer", Options{}, knock("203.0.113.9:50000"), "203.0.113.9", false},
		{"a stranger's list is not believed", Options{}, knock("203.0.113.9:1", "X-Forwarded-For", "1.1.1.1"), "203.0.113.9", false},
		{"one proxy", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "198.51.100.9"), "198.51.100.9", false},
		{"forged in front", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "127.0.0.1, 10.9.9.9, 198.51.100.9, 10.0.0.2"), "198.51.100.9", false},
		{"two headers", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "198.51.100.9"), "198.51.100.9", false},
		{"a megabyte", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", big), "198.51.100.9", false},
		{"a megabyte without an address", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", strings.Repeat("x", 1<<20)), "10.0.0.1", false},
		{"rubbish", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", ",,;=\x00\xff"), "10.0.0.1", false},
		{"empty", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", ""), "10.0.0.1", false},
		{"another header", Options{TrustedProxies: behind, Forwarded: "forwarded"}, knock("10.0.0.1:1", "Forwarded", `for="[2001:db8:1:2:3::9]:7";proto=https`, "X-Forwarded-For", "1.1.1.1"), "2001:db8:1:2::", false},
		{"a customer's /64", Options{}, knock("[2001:db8:1:2:ffff::1]:443"), "2001:db8:1:2::", false},
		{"v4 in v6", Options{}, knock("[::ffff:203.0.113.9]:443"), "203.0.113.9", false},
		{"a zone", Options{}, knock("[fe80::1%eth0]:443"), "fe80::", false},
		{"no address", Options{}, knock("@"), "peer @", false},
		{"a header", Options{Key: "header:x-device"}, knock("203.0.113.9:1", "X-Device", "secret"), "header 2bb80d537b1da3e38bd30361", false},
		{"a header of a megabyte", Options{Key: "header:X-Device"}, knock("203.0.113.9:1", "X-Device", strings.Repeat("s", 1<<20)), "header ", true},
		{"without the header", Options{Key: "header:X-Device"}, knock("203.0.113.9:1"), "203.0.113.9", false},
		{"an empty header", Options{Key: "header:X-Device"}, knock("203.0.113.9:1", "X-Device", ""), "203.0.113.9", false},
		{"none", Options{Key: "none"}, knock("203.0.113.9:1"), "203.0.113.9", false},
	} {
		s, err := c.o.compile()
		if err != nil {
			t.Fatal(c.name, err)
		}
		before := c.r.Header.Clone()
		got := s.identify(c.r)
		if got.key != c.want && !(c.prefix && strings.HasPrefix(got.key, c.want)) || len(got.key) > 64 {
			t.Errorf("%s: key %q, want %q", c.name, got.key, c.want)
		}
		if fmt.Sprint(before) != fmt.Sprint(c.r.Header) {
			t.Errorf("%s: the request's headers were changed", c.name)
		}
	}
}

func TestAllow(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip", Allow: []string{"10.1.2.3"}, Client: bucket.Limit{Rate: 1, Burst: 1}, Fleet: bucket.Limit{Rate: 1, Burst: 1}})
	for range 50 {
		if w := g.do(knock("10.1.2.3:80")); w.Code != http.StatusTeapot {
			t.Fatal("a health check was refused")
		}
	}
	if w := g.do(knock("10.1.2.4:80")); w.Code != http.StatusTeapot {
		t.Error("health checks used up the fleet's tokens")
	}
}

// TestUndeclaredProxy: all clients come through one address that nobody declared, each forwarded as another: a limit for
// "each client" would be one for all, so it is suspended and said. The fleet's limit holds.
func TestUndeclaredProxy(t *testing.T) {
	run := func(o Options, request func(i int) *http.Request) (g *told, codes map[int]int) {
		o.Mode, o.Hold = Enforce, -1
		g, codes = tell(t, o), map[int]int{}
		for i := range 1000 {
			g.now = int64(i) * 10 * int64(time.Millisecond)
			codes[g.do(request(i)).Code]++
		}
		return
	}
	many := func(i int) *http.Request {
		return knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
	}
	g, codes := run(Options{Key: "ip"}, many)
	if codes[http.StatusTooManyRequests] > 15 || !strings.Contains(g.log.String(), "proxy that was not declared") || strings.Count(g.log.String(), "proxy that was not declared") != 1 {
		t.Errorf("an undeclared proxy: %v\n%s", codes, g.log.String())
	}
	if l := g.suspects.list(); len(l) != 1 || l[0] != "192.0.2.1" {
		t.Errorf("suspended: %v", l)
	}
	if _, codes = run(Options{Key: "ip", Fleet: bucket.Limit{Rate: 10, Burst: 1}}, many); codes[http.StatusTeapot] > 102 {
		t.Errorf("the fleet's limit did not hold for an undeclared proxy: %v", codes)
	}
	for name, c := range map[string]struct {
		o Options
		f func(int) *http.Request
	}{
		"a single hammering client": {Options{Key: "ip"}, func(int) *http.Request { return knock("192.0.2.1:1") }},
		"with one forwarded address": {Options{Key: "ip"}, func(int) *http.Request {
			return knock("192.0.2.1:1", "X-Forwarded-For", "6.6.6.6")
		}},
		"declared direct": {Options{Key: "direct"}, many},
		"key from a header": {Options{Key: "header:X-Device"}, func(i int) *http.Request {
			r := many(i)
			r.Header.Set("X-Device", "one")
			return r
		}},
		"declared": {Options{Key: "ip", TrustedProxies: []string{"192.0.2.1"}}, func(i int) *http.Request {
			return knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("7.7.7.%d, 6.6.6.6", i%250))
		}},
		"too small a share": {Options{Key: "ip"}, func(i int) *http.Request {
			if i%8 == 0 {
				return many(i)
			}
			return knock(fmt.Sprintf("203.%d.%d.7:1", i/250, i%7))
		}},
	} {
		g, codes := run(c.o, c.f)
		if len(g.suspects.list()) > 0 || strings.Contains(g.log.String(), "not declared") {
			t.Errorf("%s: suspended, %v", name, codes)
		}
		if name != "too small a share" && codes[http.StatusTooManyRequests] < 950 {
			t.Errorf("%s: %v", name, codes)
		}
	}
}

func TestSuspicionFades(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip"})
	for i := range 40 {
		g.do(knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i)))
	}
	if len(g.suspects.list()) != 1 {
		t.Fatal("not suspended")
	}
	for range 3 {
		g.now += window
		g.do(knock("192.0.2.1:1"))
	}
	if l := g.suspects.list(); len(l) != 0 {
		t.Error("still suspended after minutes without forwarded addresses:", l)
	}
}

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

func TestHandshake(t *testing.T) {
	r := httptest.NewRequest("CONNECT", "/ws", nil)
	r.Header[":protocol"] = []string{"websocket"}
	if !handshake(r) {
		t.Error("extended CONNECT is not seen")
	}
	for _, c := range []struct {
		method, connection, upgrade string
		want                        bool
	}{{"GET", "upgrade", "websocket", true}, {"GET", "Upgrade, keep-alive", "h2c, WebSocket", true}, {"GET", "keep-alive", "websocket", false},
		{"POST", "upgrade", "websocket", false}, {"GET", "upgrade", "h2c", false}, {"GET", "", "", false}, {"CONNECT", "upgrade", "websocket", false}} {
		r := httptest.NewRequest(c.method, "/ws", nil)
		r.Header.Set("Connection", c.connection)
		r.Header.Set("Upgrade", c.upgrade)
		if handshake(r) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("10.0.0.1:1", "1.1.1.1, 198.51.100.9", "x", "ip")
	f.Add("[2001:db8::1%z]:99", `for="[::1]:9";by=_x`, "", "header:X-Device")
	f.Add("@", ",,,", "\x00", "none")
	f.Add("", strings.Repeat(",", 5000), strings.Repeat("é", 100), "direct")
	f.Fuzz(func(t *testing.T, remote, list, device, rule string) {
		o := Options{Key: rule, TrustedProxies: []string{"10.0.0.0/8"}}
		s, err := o.compile()
		if err != nil {
			if o.TrustedProxies = nil; rule != "direct" {
				return
			}
			if s, err = o.compile(); err != nil {
				t.Fatal(err)
			}
		}
		r := &http.Request{Method: "GET", RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {list}, "X-Device": {device}}}
		c := s.identify(r)
		if len(c.key) > 64 || c.key == "" {
			t.Fatalf("key %q", c.key)
		}
		for _, b := range []byte(c.key) {
			if b < ' ' || b > '~' {
				t.Fatalf("key %q", c.key)
			}
		}
		if again := s.identify(r); again.key != c.key {
			t.Fatal("two keys for one request")
		}
	})
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
