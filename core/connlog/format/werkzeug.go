package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Werkzeug reads Flask's development server with flask-sock:
//
//	127.0.0.12 - - [30/Nov/2026 19:07:48] "GET /ws HTTP/1.1" 200 -
//
// A WebSocket's line is written at its END, with status 200 (500 if the handler raised), never 101: only the path tells.
// The stamp is local, without a zone; when the socket was opened is unknown. Colour codes stand inside the quotes.
type Werkzeug struct{ setup *connlog.Setup }

// Name is "werkzeug".
func (f Werkzeug) Name() string { return "werkzeug" }

// Traits: written at the close, no durations.
func (f Werkzeug) Traits() connlog.Traits {
	return connlog.Traits{Title: "Werkzeug log", Written: connlog.AtClose, Stamped: connlog.StampEnd, Closes: true, Refusals: true, Client: true,
		Resolution: 1e9, Blind: []string{"sockets still open when the server stops are never logged."}}
}

// Configure keeps the setup.
func (f Werkzeug) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Werkzeug{s}, noLayout(f, s)
}

// Match wants a blank between date and time in the brackets.
func (f Werkzeug) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) || c.time.to-c.time.from != 20 || rec[c.time.from+11] != ' ' {
		return 0
	}
	return 95
}

// Read reads one line.
func (f Werkzeug) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var c clf
	if !c.cut(rec, 0, false) {
		if len(rec) > 0 && rec[0] == '[' {
			return connlog.Ignored // Flask's own messages
		}
		return connlog.BadLayout
	}
	st, ok := status(c.status.of(rec))
	if !ok {
		return connlog.BadStatus
	}
	for c.request.from < c.request.to && rec[c.request.from] == 0x1b { // colour
		n := bytes.IndexByte(c.request.of(rec), 'm')
		if n < 0 {
			break
		}
		c.request.from += n + 1
	}
	var x exchange
	x.fresh()
	x.Status = st
	if !request(rec, c.request, r.Span, &x) {
		return connlog.Ignored
	}
	known := x.endpoint(b, f.setup)
	if known == connlog.NotKnown {
		return connlog.Ignored
	}
	if !c.when(rec, f.setup, &x) {
		return connlog.BadTime
	}
	x.Client, x.ClientSource = c.host.in(r.Span), connlog.Peer
	// 200 at an endpoint is a session's end, and so is a 500 where the endpoint is one by its usual name; at a path that
	// the operator named for its refusals a 500 is a refusal.
	x.established = st == 200 || st == 500 && known != connlog.KnownName
	return endAtClose.settle(b, f.setup, r, &x)
}
