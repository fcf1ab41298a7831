package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Caddy reads Caddy's JSON access log:
//
//	{"ts":1796066153.878009,"logger":"http.log.access.log0","request":{"client_ip":"127.0.0.12","method":"GET","uri":"/ws",
//	 "headers":{"Upgrade":["websocket"],"User-Agent":["wsprobe/2.0"]}},"duration":1.20329497,"status":101,"resp_headers":{…}}
//
// Written at the close; ts is the END, duration the whole life in seconds; whole
// numbers there come from another duration_format, and count only if --map duration_ms=duration says which. The request's headers are in the line, so that
// what asked for a WebSocket is certain, refusals too. Up to 2.6 the status of an established one is 0 and the response's
// Upgrade header tells; over HTTP/2 it is CONNECT with :protocol websocket and status 200. A failed proxy attempt is also
// logged by http.log.error: only http.log.access counts. At a stop the lines of open sockets may be lost; a reload closes
// every tunnel at once.
type Caddy struct {
	setup *connlog.Setup
	names *names
}

// Name is "caddy".
func (f Caddy) Name() string { return "caddy" }

// Traits: written at the close, stamped with the end.
func (f Caddy) Traits() connlog.Traits {
	return connlog.Traits{Title: "Caddy access log", Written: connlog.AtClose, Stamped: connlog.StampEnd, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e3,
		Blind: []string{"at a stop the lines of open sockets may be lost."}}
}

func caddyNames() *names {
	return newNames(false).
		add(asTime, "ts").
		add(asKind, "logger").
		add(asDuration, "duration@s").
		add(asStatus, "status").
		add(asClient, "request.client_ip request.remote_ip request.remote_addr").
		add(asPort, "request.remote_port").
		add(asForwarded, "request.headers.X-Forwarded-For").
		add(asHost, "request.host").
		add(asURL, "request.uri").
		add(asMethod, "request.method").
		add(asProtocol, "request.proto").
		add(asUpgrade, "request.headers.Upgrade request.headers.:protocol").
		add(asAgent, "request.headers.User-Agent").
		add(asID, "uuid").
		add(asAccepted, "resp_headers.Upgrade resp_headers.Sec-Websocket-Accept resp_headers.Sec-WebSocket-Accept").
		add(asRetryAfter, "resp_headers.Retry-After")
}

// Match wants a request, a status and a duration beside ts.
func (f Caddy) Match(rec []byte) int {
	switch m := keys(rec, "ts", "request", "status", "duration", "logger"); {
	case m&15 == 15:
		return 98
	case m&17 == 17 && bytes.Contains(rec, []byte(`"logger":"http.log.`)):
		return 70
	}
	return 0
}

// Configure prepares the names.
func (f Caddy) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Caddy{s, withMap(caddyNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f Caddy) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var buf [64]byte
	if k := d.text(asKind, buf[:]); len(k) > 0 && !bytes.HasPrefix(k, []byte("http.log.access")) || !d.has(asStatus) {
		return connlog.Ignored // http.log.error repeats; the rest is Caddy's own
	}
	var x exchange
	x.fresh()
	var ok bool
	if x.Status, ok = d.status(); !ok {
		return connlog.BadStatus
	}
	if !d.has(asUpgrade) {
		return connlog.Ignored // the line has all headers of the request
	}
	d.upgrade(&x)
	if x.upgrade != asked || !d.request(b, r.Span, &x) {
		return connlog.Ignored
	}
	x.established = x.Status == 101 || x.Status == 0 && d.has(asAccepted) || x.Status == 200 && x.Transport == connlog.WebSocketH2
	if !d.has(asTime) {
		return connlog.NoTime
	}
	if x.Time, x.Resolution, ok = d.instant(asTime, f.setup); !ok {
		return connlog.BadTime
	}
	x.Resolution = min(x.Resolution, 1e3) // a float: trailing zeros are not printed
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			return connlog.BadDuration
		}
		if v := d.at(asDuration).of(d.rec); d.rank[asDuration] > 1 && bytes.IndexAny(v, `.eE"`) < 0 {
			x.Duration = connlog.None // duration_format ms or ns: whole numbers, and nothing tells which
		}
	}
	d.peer(b, r.Span, &x)
	d.hint(&x)
	x.UserAgent = d.span(b, r.Span, asAgent)
	x.Group = d.span(b, r.Span, asGroup)
	if d.has(asID) {
		x.ID = hash(b.Text(d.span(b, r.Span, asID)))
	}
	return endAtClose.settle(b, f.setup, r, &x)
}
