package storm_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// Both kinds of lines see the same: sessions that end, pings that are answered, messages, close codes.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, dialed := range []bool{false, true} {
		g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: 500, Backlog: 5, Reject: gateway.TryAgainLater})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		policy, err := backoff.Parse("full:300ms:3s")
		if err != nil {
			t.Fatal(err)
		}
		o := storm.Options{URI: g.URI(), Clients: 100, Policy: policy, Bursts: 2, Interval: 100 * time.Millisecond, Ramp: 400, Drop: g.Drop}
		r, err := storm.Run(t.Context(), o.Dialed(dialed))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Bursts) != 2 || r.Open != 100 {
			t.Fatalf("dialed %v: %s", dialed, r.AppendJSON(nil))
		}
		for _, b := range r.Bursts {
			if b.Dropped != 100 || b.Back != 100 || len(b.Errors) > 1 || b.Errors["1013"] != b.Failed {
				t.Errorf("dialed %v: %d dropped, %d back, %v", dialed, b.Dropped, b.Back, b.Errors)
			}
		}
		// The clients end their sessions themselves where nobody else does.
		o.Drop = nil
		if r, err = storm.Run(t.Context(), o.Dialed(dialed)); err != nil {
			t.Fatal(err)
		}
		if len(r.Bursts) != 2 || r.Bursts[1].Dropped != 100 || r.Bursts[1].Back != 100 {
			t.Errorf("dialed %v, released: %s", dialed, r.AppendJSON(nil))
		}
	}
}

// A session is kept over TLS as well, and a ping is answered.
func TestTLS(t *testing.T) {
	t.Parallel()
	pongs := make(chan bool, 10)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, _, err := ws.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		defer c.Close()
		ws.WriteFrame(c, ws.NewPingFrame([]byte("there?")))
		for {
			f, err := ws.ReadFrame(c)
			if err != nil {
				return
			}
			pongs <- f.Header.OpCode == ws.OpPong && f.Header.Masked && string(ws.UnmaskFrame(f).Payload) == "there?"
		}
	}))
	defer server.Close()
	r, err := storm.Run(t.Context(), storm.Options{URI: "wss" + strings.TrimPrefix(server.URL, "https"), Clients: 3, Interval: 50 * time.Millisecond, Patience: 5 * time.Second}.Trusting())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Bursts) != 1 || r.Bursts[0].Back != 3 || r.Bursts[0].Failed != 0 || !<-pongs {
		t.Errorf("%s", r.AppendJSON(nil))
	}
}

// A server that speaks in the packet of its answer, and byte by byte, is understood.
func TestPing(t *testing.T) {
	t.Parallel()
	for _, dialed := range []bool{false, true} {
		pongs := make(chan bool, 10)
		uri := serve(t, func(c net.Conn) {
			b, _ := ws.CompileFrame(ws.NewPingFrame([]byte("still there?")))
			for i := range b {
				c.Write(b[i : i+1])
			}
			f, err := ws.ReadFrame(c)
			pongs <- err == nil && f.Header.OpCode == ws.OpPong && string(ws.UnmaskFrame(f).Payload) == "still there?"
			ws.ReadFrame(c)
		})
		if _, err := storm.Run(t.Context(), storm.Options{URI: uri, Clients: 1, Interval: 50 * time.Millisecond, Patience: 5 * time.Second}.Dialed(dialed)); err != nil {
			t.Fatal(err)
		}
		if !<-pongs {
			t.Errorf("dialed %v: no pong", dialed)
		}
	}
}

// What an interrupt breaks off is no failure.
func TestInterruptIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, dialed := range []bool{false, true} {
		g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: 1000, Outages: []gateway.Outage{{At: 500 * time.Millisecond, For: time.Hour, Hang: true}}})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		drop := func() int {
			time.AfterFunc(200*time.Millisecond, cancel) // the clients wait for their answers by then
			return g.Drop()
		}
		o := storm.Options{URI: g.URI(), Clients: 20, Interval: 600 * time.Millisecond, Drop: drop}
		r, err := storm.Run(ctx, o.Dialed(dialed))
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != "interrupted" || len(r.Bursts) != 1 || r.Bursts[0].Dropped != 20 || r.Bursts[0].Failed != 0 || len(r.Bursts[0].Errors) != 0 {
			t.Errorf("dialed %v: %s", dialed, r.AppendJSON(nil))
		}
	}
}
