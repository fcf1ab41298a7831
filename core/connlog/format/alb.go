package format

import (
	"github.com/stormlint/stormlint/core/connlog"
)

// ALB reads the access log of AWS's application load balancer:
//
//	wss 2018-07-02T22:23:00.186641Z app/lb/50dc6c495c0c9188 192.0.2.140:44244 198.51.100.171:8010 0.000 0.001 0.000 101 101 218 786
//	"GET https://ws.example.com:443/ws HTTP/1.1" "agent" cipher protocol group "trace" "domain" "cert" 1 2018-07-02T22:22:48.364000Z …
//
// One line a connection, written at the close: the second column is the CLOSE, the 22nd the creation of the request, and
// the life is their difference (the three processing times are not). ws and wss are the proof of a session. A handshake
// that failed is an ordinary http or https line: only its path tells. 460 means that the client left. Files come every five
// minutes from each node, on best effort, out of order.
type ALB struct{ setup *connlog.Setup }

// Name is "alb".
func (f ALB) Name() string { return "alb" }

// Traits: both ends are in the line.
func (f ALB) Traits() connlog.Traits {
	return connlog.Traits{Title: "AWS ALB access log", Written: connlog.AtClose, Stamped: connlog.StampEnd, Duration: true, Closes: true, Unordered: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e3,
		Blind: []string{"delivery is best effort: lines may be missing.", "TLS failures are in the connection log, not here."}}
}

// Configure keeps the setup.
func (f ALB) Configure(s *connlog.Setup) (connlog.Format, error) { return ALB{s}, noLayout(f, s) }

// Match wants a type and an ISO stamp in UTC.
func (f ALB) Match(rec []byte) int {
	w := word(rec, 0)
	switch string(w.of(rec)) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
	default:
		return 0
	}
	if w.to+1 >= len(rec) {
		return 0
	}
	if t, n := clock(f.setup).ISO(rec[w.to+1:]); n == 0 || !t.Zoned {
		return 0
	}
	return 97
}

// Read reads one line.
func (f ALB) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	// The first twelve columns are bare.
	var col [12]piece
	at := 0
	for i := range col {
		col[i] = word(rec, at)
		if col[i].empty() {
			return connlog.BadLayout
		}
		at = col[i].to + 1
	}
	ws := rec[0] == 'w'
	st, ok := status(col[8].of(rec))
	if !ok {
		if string(col[8].of(rec)) != "-" {
			return connlog.BadStatus
		}
		st = 460
	}
	if !ws && boring(st) {
		return connlog.Ignored
	}
	var t fields
	t.columns(rec, at)
	if t.n < 10 || !t.isQuoted(0) || !t.isQuoted(1) {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	x.Status, x.established = st, ws && st == 101
	if ws {
		x.upgrade = asked
	}
	if !request(rec, t.at[0], r.Span, &x) {
		return connlog.Ignored
	}
	x.upgrade = untold
	if ws {
		x.upgrade = asked
	}
	if !ws && x.endpoint(b, f.setup) == connlog.NotKnown {
		return connlog.Ignored
	}
	end, n := clock(f.setup).ISO(col[1].of(rec))
	if n == 0 {
		return connlog.BadTime
	}
	x.Time, x.Resolution = end.In(f.setup.Zone), end.Resolution
	if start, n := clock(f.setup).ISO(t.at[9].of(rec)); n > 0 {
		if d := x.Time - start.In(f.setup.Zone); d >= 0 {
			x.Duration = d
		}
	}
	host, port := peer(rec, col[3])
	x.Client, x.Port, x.ClientSource = host.in(r.Span), port, connlog.Peer
	x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	if trace := t.at[5]; !trace.absent(rec) {
		x.ID = hash(trace.of(rec))
	}
	if t.isQuoted(6) && x.Host.Len == 0 {
		x.Host = t.at[6].span(rec, r.Span)
	}
	return endAtClose.settle(b, f.setup, r, &x)
}
