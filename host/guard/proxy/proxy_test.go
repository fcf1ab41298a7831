package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/guard"
)

var quiet = slog.New(slog.DiscardHandler)

// echo is a backend that sends back what comes, and answers plain requests with the forwarded list it saw.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		fmt.Fprintf(w, "%s|%s|%s", r.Host, r.Header.Get("X-Forwarded-For"), r.URL.Path)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	for {
		kind, b, err := c.Read(r.Context())
		if err != nil {
			return
		}
		if c.Write(r.Context(), kind, b) != nil {
			return
		}
	}
})

func start(t *testing.T, o guard.Options, trusted ...string) (p *Proxy, url string) {
	t.Helper()
	backend := httptest.NewServer(echo)
	t.Cleanup(backend.Close)
	o.Logger, o.TrustedProxies = quiet, trusted
	g, err := guard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = New(Options{To: backend.URL, Guard: g, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	return p, front.URL
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestThrough(t *testing.T) {
	p, url := start(t, guard.Options{Mode: guard.Enforce, Key: "direct", Client: bucket.Limit{Rate: 0.001, Burst: 2}})
	ctx := within(t)
	for i := range 2 {
		c, _, err := websocket.Dial(ctx, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		c.SetReadLimit(1 << 20)
		for _, n := range []int{0, 1, 125, 126, 65535, 65536, 200_000} {
			sent := strings.Repeat("x", n)
			if err := c.Write(ctx, websocket.MessageText, []byte(sent)); err != nil {
				t.Fatal(err)
			}
			if _, b, err := c.Read(ctx); err != nil || string(b) != sent {
				t.Fatalf("%d bytes came back as %d: %v", n, len(b), err)
			}
		}
		if p.Tunnels() != i+1 {
			t.Errorf("%d tunnels", p.Tunnels())
		}
	}
	_, resp, err := websocket.Dial(ctx, url, nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %v %v", resp, err)
	}
	for range 5 { // what is no handshake is not limited
		if body := get(t, url+"/plain"); !strings.HasSuffix(body, "|127.0.0.1|/plain") {
			t.Error(body)
		}
	}
}

func get(t *testing.T, url string, header ...string) string {
	t.Helper()
	r, _ := http.NewRequest("GET", url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

func TestForwarded(t *testing.T) {
	_, url := start(t, guard.Options{})
	if body := get(t, url, "X-Forwarded-For", "6.6.6.6"); !strings.Contains(body, "|127.0.0.1|") {
		t.Error("a stranger's list was handed on:", body)
	}
	_, url = start(t, guard.Options{}, "127.0.0.0/8")
	if body := get(t, url, "X-Forwarded-For", "198.51.100.9"); !strings.Contains(body, "|198.51.100.9, 127.0.0.1|") {
		t.Error("a declared proxy's list was lost:", body)
	}
}

// TestDrain: forty clients, some of them in the middle of long messages, get 1012 between two frames, spread over the
// time; new ones are told to wait.
func TestDrain(t *testing.T) {
	p, url := start(t, guard.Options{})
	ctx := within(t)
	const clients = 40
	over := 400 * time.Millisecond
	ends := make(chan time.Duration, clients)
	var ready, wg sync.WaitGroup
	var begin time.Time
	message := make([]byte, 70_000)
	for i := range clients {
		c, _, err := websocket.Dial(ctx, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.SetReadLimit(1 << 20)
		ready.Add(1)
		wg.Go(func() {
			defer c.CloseNow()
			ready.Done()
			for {
				if i < 3 {
					c.Write(ctx, websocket.MessageBinary, message)
				}
				_, b, err := c.Read(ctx)
				if err == nil {
					if len(b) != len(message) {
						t.Errorf("a message of %d bytes", len(b))
					}
					continue
				}
				var ce websocket.CloseError
				if !errors.As(err, &ce) || ce.Code != serviceRestart {
					t.Errorf("client %d: %v", i, err)
				}
				ends <- time.Since(begin)
				return
			}
		})
	}
	begin = time.Now()
	ready.Wait()
	done := make(chan struct{})
	go func() { p.Drain(ctx, over); close(done) }()
	for p.Ready() {
		<-time.After(time.Millisecond)
	}
	if _, resp, err := websocket.Dial(ctx, url, nil); err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a new client while draining: %v, %v", resp, err)
	}
	wg.Wait()
	<-done
	close(ends)
	early := 0
	for d := range ends {
		if d < over/2 {
			early++
		}
	}
	if early == 0 || early == clients {
		t.Errorf("%d of %d ended in the first half", early, clients)
	}
	if p.Tunnels() != 0 {
		t.Errorf("%d tunnels left", p.Tunnels())
	}
}

// TestDrainCutsTheSilent: a client that answers nothing is cut, and a context that ends cuts all.
func TestDrainCutsTheSilent(t *testing.T) {
	p, url := start(t, guard.Options{})
	for range 3 {
		if _, _, err := websocket.Dial(within(t), url, nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Drain(ctx, time.Hour)
	if n := p.Tunnels(); n != 0 {
		t.Errorf("%d tunnels left", n)
	}
}

func TestBackendDown(t *testing.T) {
	g, _ := guard.New(guard.Options{Logger: quiet})
	p, err := New(Options{To: "127.0.0.1:1", Guard: g, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusBadGateway || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestTargetRefused(t *testing.T) {
	for _, to := range []string{"", "ftp://x", "http://", "http://a b", "http://x?y", "user@x", ":8080"} {
		_, err := New(Options{To: to})
		if !errors.Is(err, fault.BadValue) {
			t.Errorf("%q: %v", to, err)
		}
	}
}
