//go:build envoy

package envoy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// backend is a server that says what it hears.
type backend struct {
	*httptest.Server
	mu    sync.Mutex
	conns map[*websocket.Conn]bool
	asked atomic.Int64
}

func serve(t testing.TB) *backend {
	b := &backend{conns: map[*websocket.Conn]bool{}}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			fmt.Fprintln(w, "hello")
			return
		}
		b.asked.Add(1)
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.conns[c] = true
		b.mu.Unlock()
		for {
			kind, data, err := c.Read(context.Background())
			if err != nil {
				return
			}
			c.Write(context.Background(), kind, data)
		}
	}))
	t.Cleanup(func() { b.drop(); b.Close() })
	return b
}

func (b *backend) port() string { return b.URL[strings.LastIndexByte(b.URL, ':')+1:] }

// drop cuts all sessions off.
func (b *backend) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		c.CloseNow()
	}
	clear(b.conns)
}

// dial opens a WebSocket from a loopback address; status is the answer's.
func (d *door) dial(t testing.TB, from string, header http.Header) (c *websocket.Conn, status int, answer http.Header) {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	if header == nil {
		header = http.Header{}
	}
	header.Set("User-Agent", "tester/1")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, r, err := websocket.Dial(ctx, "ws://"+d.address()+"/ws?token=secret", &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if r == nil {
		t.Errorf("no answer: %v", err)
		return nil, 0, nil
	}
	return c, r.StatusCode, r.Header
}

// echoes reports that a tunnel still carries both ways.
func echoes(t testing.TB, c *websocket.Conn) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := c.Write(ctx, websocket.MessageText, []byte("are you there?")); err != nil {
		return false
	}
	_, data, err := c.Read(ctx)
	return err == nil && string(data) == "are you there?"
}
