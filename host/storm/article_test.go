package storm_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// The four runs that were made with the original's code against real servers, and what it counted.
func TestArticle(t *testing.T) {
	t.Parallel()
	t.Run("healthy echo server", func(t *testing.T) {
		t.Parallel()
		g, err := gateway.Listen("127.0.0.1:0", gateway.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		every(t, article(t, g.URI(), 50), storm.ArticleMetrics{Successes: 3}, storm.ArticleMetrics{Successes: 3})
	})
	t.Run("a server that speaks every 0.4 s", func(t *testing.T) {
		t.Parallel()
		uri := serve(t, func(c net.Conn) {
			for ws.WriteFrame(c, ws.NewTextFrame([]byte("tick"))) == nil {
				time.Sleep(400 * time.Millisecond)
			}
		})
		every(t, article(t, uri, 10), storm.ArticleMetrics{Successes: 1}, storm.ArticleMetrics{Successes: 1})
	})
	t.Run("a server that closes after 0.3 s", func(t *testing.T) {
		t.Parallel()
		uri := serve(t, func(c net.Conn) { time.Sleep(300 * time.Millisecond) })
		every(t, article(t, uri, 10), storm.ArticleMetrics{Successes: 9}, storm.ArticleMetrics{Successes: 10})
	})
	t.Run("no server", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		r := article(t, "ws://"+l.Addr().String(), 10)
		every(t, r, storm.ArticleMetrics{Attempts: 150, Failures: 150}, storm.ArticleMetrics{Attempts: 300, Failures: 300})
		for i, m := range r.Metrics {
			if m.Failures != m.Attempts {
				t.Errorf("client %d: %d failures, %d attempts, want as many", i, m.Failures, m.Attempts)
			}
		}
	})
}

func article(t *testing.T, uri string, clients int) *storm.ArticleReport {
	t.Helper()
	r, err := storm.Article(t.Context(), storm.ArticleOptions{URI: uri, Clients: clients, Interval: time.Second, Iterations: 3})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func every(t *testing.T, r *storm.ArticleReport, low, high storm.ArticleMetrics) {
	t.Helper()
	for i, m := range r.Metrics {
		if m.Attempts < low.Attempts || m.Attempts > high.Attempts || m.Successes < low.Successes || m.Successes > high.Successes ||
			m.Failures < low.Failures || m.Failures > high.Failures {
			t.Errorf("client %d: %+v, want %+v to %+v", i, m, low, high)
		}
	}
}

// serve starts a server that does something with each session and then closes it.
func serve(t *testing.T, session func(net.Conn)) (uri string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := ws.Upgrade(c); err == nil {
					session(c)
				}
			}()
		}
	})
	t.Cleanup(func() { l.Close(); wait.Wait() })
	return "ws://" + l.Addr().String() + "/"
}

// answer starts a server that answers every connection with some bytes.
func answer(t *testing.T, reply string) (uri string) {
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
			go func() {
				defer c.Close()
				buf := make([]byte, 4096)
				c.Read(buf)
				io.WriteString(c, reply)
			}()
		}
	}()
	t.Cleanup(func() { l.Close() })
	return "ws://" + l.Addr().String() + "/"
}

// Whatever a server does instead of a handshake is counted under its kind, and the run ends.
func TestKinds(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	plain := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go plain.Serve(l)
	t.Cleanup(func() { plain.Close() })
	for _, c := range []struct {
		uri, kind string
	}{
		{"ws://" + silent.Addr().String(), "timeout"},
		{"ws://" + gone.Addr().String(), "refused"},
		{"ws://" + l.Addr().String(), "200"},
		{"wss://" + l.Addr().String(), "tls"},
		{answer(t, ""), "closed in handshake"},
		{answer(t, "SSH-2.0-OpenSSH\r\n"), "no HTTP answer"},
		{answer(t, "HTTP/1.1 503 Service Unavailable\r\n\r\n"), "503"},
		{answer(t, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\n\r\n"), "429"},
		{answer(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmU9PQ==\r\n\r\n"), "wrong Sec-WebSocket-Accept"},
	} {
		for _, dialed := range []bool{false, true} {
			t.Run(c.kind, func(t *testing.T) {
				t.Parallel()
				o := storm.Options{URI: c.uri, Clients: 3, Timeout: 200 * time.Millisecond, Patience: 300 * time.Millisecond, Interval: 10 * time.Millisecond}
				r, err := storm.Run(t.Context(), o.Dialed(dialed))
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Bursts) != 1 || len(r.Bursts[0].Kinds()) == 0 || string(r.Bursts[0].Kinds()[0]) != c.kind {
					t.Errorf("dialed %v: kinds %v, want %s first", dialed, r.Bursts[0].Errors, c.kind)
				}
			})
		}
	}
}
