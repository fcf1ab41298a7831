package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Nginx reads the access log of nginx in its stock layouts and in what people make of them:
//
//	192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 101 4 "-" "wsprobe/1.2.3"
//	… the same … "203.0.113.9, 198.51.100.7" rt=1.531 urt=1.530 ut=101
//
// One line a request, written at the CLOSE of a WebSocket: the stamp of a 101 is its end. $request_time (rt=, or a bare
// number with three decimals) is the whole life of the socket, so attempt = stamp - duration. The stock `combined` has no
// duration: then only closes and failures are told, and when a socket was opened is not invented. A 101 says nothing of
// how the socket ended; a client that left before the answer is 499. `"\x88\x82..." 400` is a client's close frame on a
// connection that was never upgraded, not an attempt.
type Nginx struct {
	setup *connlog.Setup
	stock bool // no line has a duration
}

// Name is "nginx".
func (f Nginx) Name() string { return "nginx" }

// Traits: written at the close, stamped with the end.
func (f Nginx) Traits() connlog.Traits {
	return connlog.Traits{Title: "nginx access log", Written: connlog.AtClose, Stamped: connlog.StampEnd, Duration: !f.stock, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e9}
}

// Learn says "stock" if none of the records has a duration.
func (f Nginx) Learn(records [][]byte) string {
	seen := false
	for _, rec := range records {
		var c clf
		if !c.cut(rec, 0, false) || !c.ident(rec) {
			continue
		}
		seen = true
		var t fields
		t.columns(rec, c.rest)
		for i := 2; i < t.n; i++ {
			if v := t.at[i].of(rec); !t.isQuoted(i) && (timed(rec, t.at[i]) || bytes.HasPrefix(v, []byte("rt=")) || bytes.HasPrefix(v, []byte("request_time="))) {
				return ""
			}
		}
	}
	if seen {
		return stock
	}
	return ""
}

// stock is the learned layout of a log without durations.
const stock = "stock"

// Configure keeps the setup; a layout is read as Template does, with this server's stamps.
func (f Nginx) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout != "" && s.Layout != stock {
		return layout(s, '$', "nginx", endAtClose)
	}
	return Nginx{s, s.Layout == stock}, nil
}

// Match knows the family's layout; a size that is a number, and what follows the user agent, speak for nginx.
func (f Nginx) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) || !dashed(rec, c) {
		return 0
	}
	if _, ok := status(c.status.of(rec)); !ok {
		return 0
	}
	var t fields
	t.columns(rec, c.rest)
	if !t.isQuoted(0) || !t.isQuoted(1) {
		return 20
	}
	if _, ok := number(c.size.of(rec)); !ok || t.at[0].empty() {
		return 30 // 101 with the size "-", or an empty referer: a Java server or Apache
	}
	if t.n == 2 || t.isQuoted(2) {
		return 60
	}
	if timed(rec, t.at[2]) || bytes.IndexByte(t.at[2].of(rec), '=') > 0 {
		return 70
	}
	return 40
}

// dashed reports whether two columns, the ident and the user, stand between host and stamp.
func dashed(rec []byte, c clf) bool {
	between := rec[c.host.to : c.time.from-1]
	return len(between) >= 5 && between[len(between)-1] == ' ' && bytes.Count(between, []byte{' '}) >= 3
}

// timed reports whether a column is a number of seconds with three decimals.
func timed(rec []byte, p piece) bool {
	b := p.of(rec)
	return len(b) >= 5 && b[len(b)-4] == '.' && b[0]-'0' <= 9
}

// Telltale is the status of a handshake that succeeded, behind the request's quote.
func (f Nginx) Telltale() []byte { return switched }

// Read reads one line.
func (f Nginx) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var c clf
	if c.quick(b.Text(r.Span)); c.ordinary() {
		return connlog.Ignored
	}
	return f.line(b, r, &c)
}

// line reads a line that is no ordinary request's.
func (f Nginx) line(b *connlog.Batch, r connlog.Record, c *clf) connlog.Reason {
	var l common
	if reason, done := l.read(b, r, f.setup, false, c); done {
		return reason
	}
	rec, x, t := l.rec, &l.exchange, &l.fields
	if t.isQuoted(1) {
		x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	}
	upstream := false
	for i := 2; i < t.n; i++ {
		p := t.at[i]
		if t.isQuoted(i) {
			if i == 2 || x.Forwarded.Len == 0 {
				if looksForwarded(p.of(rec)) {
					x.Forwarded = p.span(rec, r.Span)
				}
			}
			continue
		}
		if eq := bytes.IndexByte(p.of(rec), '='); eq > 0 {
			keyed(rec, piece{p.from, p.from + eq}, piece{p.from + eq + 1, p.to}, r.Span, x, &upstream)
		} else if x.Duration == connlog.None && timed(rec, p) {
			if d, ok := decimal(p.of(rec), 1e9); ok {
				x.Duration = d
			}
		}
	}
	x.limiter = upstream && x.Status == 503 // nobody was asked: limit_req or limit_conn with its stock status
	return endAtClose.settle(b, f.setup, r, x)
}

// keyed reads the column name=value, as people add them to combined.
func keyed(rec []byte, name, value piece, s connlog.Span, x *exchange, unasked *bool) {
	v := value.of(rec)
	for len(v) > 0 && (v[0] == '"') {
		v = v[1:]
	}
	for len(v) > 0 && (v[len(v)-1] == '"' || v[len(v)-1] == ',' || v[len(v)-1] == ';') {
		v = v[:len(v)-1]
	}
	switch string(name.of(rec)) {
	case "rt", "request_time", "req_time", "duration", "time", "rtime":
		if d, ok := decimal(v, 1e9); ok {
			x.Duration = d
		}
	case "urt", "upstream_response_time", "uct", "ua", "upstream_addr", "us", "ut", "upstream_status":
		*unasked = string(v) == "-"
	case "host", "server_name", "vhost", "h":
		x.Host = value.span(rec, s)
	case "xff", "x_forwarded_for", "http_x_forwarded_for", "forwarded_for":
		x.Forwarded = value.span(rec, s)
	case "upgrade", "http_upgrade":
		if bytes.EqualFold(v, []byte("websocket")) {
			x.upgrade = asked
		} else if len(v) == 0 || string(v) == "-" {
			x.upgrade = plain
		}
	case "request_id", "rid", "req_id", "id":
		x.ID = hash(v)
	}
}

// looksForwarded reports whether a quoted column after the user agent can be an X-Forwarded-For list.
func looksForwarded(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	dots := 0
	for _, c := range b {
		switch {
		case c == '.' || c == ':':
			dots++
		case c == ',' || c == ' ' || c == '[' || c == ']' || c == '%':
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return dots >= 2
}

// aside says what a line that does not fit the family is: a dated message of the server's or the application's own (such
// as nginx's error log, which repeats attempts that the access log counts already), or a fault.
func aside(rec []byte) connlog.Reason {
	if _, n := stamp.ISO(bytes.TrimPrefix(rec, []byte{'['})); n > 0 {
		return connlog.Ignored
	}
	return connlog.BadLayout
}

// hash is the id that tells duplicates apart, never 0.
func hash(b []byte) uint64 { return max(connlog.Hash(0, b), 1) }
