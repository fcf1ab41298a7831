package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/stormlint/stormlint/host/gateway"
)

// seen are the sightings of a gateway, in their order.
type seen chan gateway.Sighting

func (s seen) see(what gateway.Sighting) { s <- what }

// next waits for the next sighting of a kind.
func (s seen) next(t *testing.T, what gateway.Sight) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case got := <-s:
			if got.Sight == what {
				return
			}
		case <-limit:
			t.Fatalf("never: sight %d", what)
		}
	}
}

// waiting waits until somebody waits for a turn, of which nobody is told.
func waiting(t *testing.T, g *gateway.Server) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); g.Stats().Waiting == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody waits")
		}
	}
}

func listen(t *testing.T, o gateway.Options) *gateway.Server {
	t.Helper()
	g, err := gateway.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	return g
}

func dial(t *testing.T, g *gateway.Server) (net.Conn, ws.StatusError, error) {
	t.Helper()
	conn, early, _, err := ws.Dial(t.Context(), g.URI())
	status, _ := err.(ws.StatusError)
	if early != nil {
		conn = &spoken{conn, early}
	}
	return conn, status, err
}

// spoken is a connection whose server spoke together with the handshake.
type spoken struct {
	net.Conn
	early io.Reader
}

func (s *spoken) Read(b []byte) (int, error) { return s.early.Read(b) }

func TestEcho(t *testing.T) {
	g := listen(t, gateway.Options{})
	conn, _, err := dial(t, g)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	wsutil.WriteClientText(conn, []byte("hello"))
	if answer, err := wsutil.ReadServerText(conn); err != nil || string(answer) != "ACK: hello" {
		t.Errorf("answer %q, %v", answer, err)
	}
}

// One handshake a second and room for one: of three at once the first is served, the second waits, the third is told
// to come back later, in the form that was asked for.
func TestOverload(t *testing.T) {
	for _, c := range []struct {
		reject gateway.Rejection
		status ws.StatusError
	}{{gateway.Unavailable, 503}, {gateway.TooManyRequests, 429}, {gateway.TryAgainLater, 0}} {
		g := listen(t, gateway.Options{Capacity: 1, Backlog: 1, Reject: c.reject, RetryAfter: 1500 * time.Millisecond})
		go func() { // takes the only place
			if conn, _, _, err := ws.Dial(context.Background(), g.URI()); err == nil {
				conn.Close()
			}
		}()
		waiting(t, g)
		conn, status, err := dial(t, g)
		if status != c.status {
			t.Errorf("status %d (%v), want %d", status, err, c.status)
		}
		if c.status == 0 {
			frame, err := ws.ReadFrame(conn)
			if err != nil {
				t.Fatal(err)
			}
			if code, reason := ws.ParseCloseFrameData(frame.Payload); code != 1013 || reason != "retry-after=2" {
				t.Errorf("closed with %d %q, want 1013 retry-after=2", code, reason)
			}
			conn.Close()
		}
		if s := g.Stats(); s.Rejected != 1 || s.Deepest != 1 {
			t.Errorf("%d rejected, %d deep, want 1 and 1", s.Rejected, s.Deepest)
		}
	}
}

func TestDescriptorLimit(t *testing.T) {
	sights := make(seen, 8)
	g := listen(t, gateway.Options{FDLimit: 1, Watch: sights.see})
	conn, _, err := dial(t, g)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sights.next(t, gateway.Opened) // the client has its answer a moment before the server has noted it
	if _, status, err := dial(t, g); err == nil || status != 0 {
		t.Errorf("a second socket beyond the limit: status %d, %v", status, err)
	}
	if s := g.Stats(); s.Silenced != 1 || s.Open != 1 {
		t.Errorf("%d silenced, %d open", s.Silenced, s.Open)
	}
}

func TestOutageRefusesAndEnds(t *testing.T) {
	g := listen(t, gateway.Options{Outages: []gateway.Outage{{At: 0, For: 200 * time.Millisecond}}})
	refused := false
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		conn, _, err := dial(t, g)
		if err != nil {
			refused = true
			continue
		}
		conn.Close()
		if refused {
			return
		}
	}
	t.Errorf("refused %v, and never served again", refused)
}

func TestDropAndDrain(t *testing.T) {
	sights := make(seen, 8)
	g := listen(t, gateway.Options{Watch: sights.see})
	open := func() net.Conn {
		conn, _, err := dial(t, g)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	a := open()
	sights.next(t, gateway.Opened)
	if n := g.Drop(); n != 1 {
		t.Errorf("dropped %d, want 1", n)
	}
	if _, err := ws.ReadFrame(a); err != io.EOF && err != io.ErrUnexpectedEOF {
		t.Errorf("a dropped session reads %v, want its end", err)
	}
	b := open()
	sights.next(t, gateway.Opened)
	if err := g.Drain(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	frame, err := ws.ReadFrame(b)
	if err != nil {
		t.Fatal(err)
	}
	if code, _ := ws.ParseCloseFrameData(frame.Payload); code != 1001 {
		t.Errorf("drained with %d, want 1001", code)
	}
}

// A request is written down in each form, without its query, and cannot break the line.
func TestAccessLogs(t *testing.T) {
	for _, c := range []struct {
		form gateway.LogFormat
		want []string
	}{
		{gateway.OwnJSON, []string{`"event_type":"connect"`, `"event_type":"disconnect"`, `"path":"/live"`}},
		{gateway.Nginx, []string{`"GET /live HTTP/1.1" 101 0 "-" "agent\x22x" `}},
		{gateway.Envoy, []string{`"GET /live HTTP/1.1" 101 - 0 0 `, `"127.0.0.1" "agent\x22x"`}},
	} {
		var log bytes.Buffer
		sights := make(seen, 8)
		g, err := gateway.Listen("127.0.0.1:0", gateway.Options{AccessLog: &log, LogFormat: c.form, Watch: sights.see})
		if err != nil {
			t.Fatal(err)
		}
		d := ws.Dialer{Header: ws.HandshakeHeaderString("User-Agent: agent\"x\r\n")}
		conn, _, _, err := d.Dial(t.Context(), g.URI()+"live?token=secret")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		sights.next(t, gateway.Closed)
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(log.String(), want) {
				t.Errorf("form %d: no %s in\n%s", c.form, want, log.String())
			}
		}
		if strings.Contains(log.String(), "secret") {
			t.Errorf("form %d keeps the query:\n%s", c.form, log.String())
		}
	}
}

func TestMetrics(t *testing.T) {
	sights := make(seen, 8)
	g := listen(t, gateway.Options{Watch: sights.see})
	conn, _, err := dial(t, g)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sights.next(t, gateway.Opened) // the client has its answer a moment before the server has noted it
	w := httptest.NewRecorder()
	g.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{"stormlint_gateway_attempts_total 1", "stormlint_gateway_sessions_total 1", "stormlint_gateway_open 1"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]gateway.Options{
		"capacity": {Capacity: -1}, "backlog": {Backlog: -1}, "reject cost": {RejectCost: 2}, "connect delay": {ConnectDelay: -1},
		"fd limit": {FDLimit: -1}, "drain": {DrainOver: -1}, "retry after": {RetryAfter: -1}, "reject": {Reject: 9}, "drop at": {DropAt: []time.Duration{-1}},
		"outage": {Outages: []gateway.Outage{{At: 0, For: time.Second}, {At: time.Second / 2, For: time.Second}}},
	} {
		if _, err := gateway.Listen("127.0.0.1:0", o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "5s", "5s+", "+5s", "-1s+5s", "5s+0s", "5s+30s,hung"} {
		if _, err := gateway.ParseOutage(text); err == nil {
			t.Errorf("outage %q: accepted", text)
		}
	}
	if o, err := gateway.ParseOutage("5s+30s,hang"); err != nil || !o.Hang || o.At != 5*time.Second || o.For != 30*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
}

// Close does not wait for an outage to end, nor for clients that never send their request.
func TestCloseInAnOutage(t *testing.T) {
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: 10, Outages: []gateway.Outage{{For: time.Hour, Hang: true}}})
	if err != nil {
		t.Fatal(err)
	}
	mute, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(g.URI(), "ws://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		if conn, _, _, err := ws.Dial(context.Background(), g.URI()); err == nil {
			conn.Close()
		}
	}()
	waiting(t, g) // whoever was first to connect is there as well
	begin := time.Now()
	if err := g.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
}
