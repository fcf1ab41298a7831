package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Fastify reads the log of fastify with @fastify/websocket (pino):
//
//	{"level":30,"time":1796066392804,"reqId":"req-1","req":{"method":"GET","url":"/ws","remoteAddress":"::ffff:127.0.0.11",…},"msg":"incoming request"}
//	{"level":30,"time":1796066394505,"reqId":"req-5","res":{"statusCode":403},"responseTime":1.976,"msg":"request completed"}
//
// "incoming request" is written for every upgrade, at its START; "request completed" only for requests that were NOT
// upgraded. So an endpoint's incoming request without a completion succeeded. Only the path says that it was a WebSocket.
// A completion names neither path nor client and stands for any request, so that it is no event: which attempts were
// refused is not told, and outcomes are unknown. No closes.
type Fastify struct {
	setup *connlog.Setup
	names *names
}

// Name is "fastify".
func (f Fastify) Name() string { return "fastify" }

// Traits: written at the handshake, no closes.
func (f Fastify) Traits() connlog.Traits {
	return connlog.Traits{Title: "fastify log", Written: connlog.AtHandshake, Stamped: connlog.StampStart, Client: true, Zone: true,
		Resolution: 1e6, Blind: []string{"which handshakes were refused is not told with the attempt: outcomes are unknown."}}
}

func fastifyNames() *names {
	return newNames(false).
		add(asTime, "time").
		add(asMessage, "msg").
		add(asMethod, "req.method").
		add(asURL, "req.url").
		add(asHost, "req.host req.hostname").
		add(asClient, "req.remoteAddress").
		add(asPort, "req.remotePort")
}

// Match wants a reqId and one of the two messages.
func (f Fastify) Match(rec []byte) int {
	if m := keys(rec, "reqId", "time", "msg"); m != 7 {
		return 0
	}
	if bytes.Contains(rec, []byte(`"incoming request"`)) || bytes.Contains(rec, []byte(`"request completed"`)) {
		return 96
	}
	return 60
}

// Configure prepares the names.
func (f Fastify) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Fastify{s, withMap(fastifyNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f Fastify) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var buf [64]byte
	if string(d.text(asMessage, buf[:])) != "incoming request" {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	var ok bool
	if !d.has(asTime) {
		return connlog.NoTime
	}
	if x.Time, x.Resolution, ok = d.instant(asTime, f.setup); !ok {
		return connlog.BadTime
	}
	if !d.request(b, r.Span, &x) || !x.get || x.endpoint(b, f.setup) == connlog.NotKnown {
		return connlog.Ignored
	}
	d.peer(b, r.Span, &x)
	e := push(b, &x.Event)
	e.TimeSource, e.Transport, e.Group = connlog.PrintedStart, connlog.WebSocket, d.span(b, r.Span, asGroup)
	return connlog.Used
}
