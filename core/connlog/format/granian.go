package format

import (
	"github.com/stormlint/stormlint/core/connlog"
)

// Granian reads granian's access log (off by default):
//
//	[2026-11-30 19:04:43 +0000] 127.0.0.11 - "- /ws HTTP/1.1" 101 0.048
//
// Written when the handshake ARRIVES, before the application has answered: the status of a WebSocket is always 101 and
// says nothing, so the outcome is unknown. The method "-" is the mark of a WebSocket. No closes.
type Granian struct{ setup *connlog.Setup }

// Name is "granian".
func (f Granian) Name() string { return "granian" }

// Traits: written at the handshake, outcome unknown.
func (f Granian) Traits() connlog.Traits {
	return connlog.Traits{Title: "granian access log", Written: connlog.AtHandshake, Stamped: connlog.StampStart, Client: true, Zone: true,
		Resolution: 1e9, Blind: []string{"refused handshakes print 101 too: which attempts succeeded is unknown."}}
}

// Configure keeps the setup.
func (f Granian) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Granian{s}, noLayout(f, s)
}

// Match wants the bracketed ISO stamp, the peer and " - ".
func (f Granian) Match(rec []byte) int {
	var x exchange
	if _, ok := f.cut(rec, connlog.Span{}, &x); !ok {
		return 0
	}
	return 95
}

func (f Granian) cut(rec []byte, s connlog.Span, x *exchange) (req piece, ok bool) {
	if len(rec) < 30 || rec[0] != '[' {
		return req, false
	}
	t, n := clock(f.setup).ISO(rec[1:])
	if n == 0 || n+3 > len(rec) || rec[n+1] != ']' {
		return req, false
	}
	x.fresh()
	if f.setup != nil {
		x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	}
	host := word(rec, n+3)
	if host.to+4 > len(rec) || string(rec[host.to:host.to+3]) != " - " {
		return req, false
	}
	req, ok = loose(rec, host.to+3)
	if !ok || rec[host.to+3] != '"' {
		return req, false
	}
	x.Client, x.ClientSource = host.in(s), connlog.Peer
	x.Status, ok = status(word(rec, req.to+2).of(rec))
	return req, ok
}

// Read reads one line.
func (f Granian) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var x exchange
	req, ok := f.cut(rec, r.Span, &x)
	if !ok {
		if len(rec) > 0 && rec[0] == '[' {
			return connlog.Ignored // the server's own messages
		}
		return connlog.BadLayout
	}
	if rec[req.from] != '-' || !request(rec, req, r.Span, &x) {
		return connlog.Ignored
	}
	e := push(b, &x.Event)
	e.Transport, e.TimeSource, e.Status = connlog.WebSocket, connlog.PrintedStart, 0
	return connlog.Used
}
