package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Sanic reads Sanic's access log:
//
//	Main |2026-11-30 19:07:57 +0000 INFO: 127.0.0.11:59723  🔌 ws://ws.example.com/ws
//	Main |2026-11-30 19:08:01 +0000 INFO: 127.0.0.11:59723  🔌 ws://ws.example.com/ws 1000 'bye' from client
//	Main |2026-11-30 19:07:59 +0000 INFO: 127.0.0.14:35287 GET ws://ws.example.com/deny403 403 3  0.2ms
//
// Written at both ends: the plug with nothing after the URL is an accept, with a code and a side it is the close. The
// scheme ws marks refusals as handshakes. Joined by ip:port. The reason is the application's text and is not kept.
type Sanic struct{ setup *connlog.Setup }

var (
	plug     = []byte("\U0001F50C ")
	sanicBar = []byte(" |")
	sanicLvl = []byte(" INFO: ")
)

// Name is "sanic".
func (f Sanic) Name() string { return "sanic" }

// Traits: written at both ends, joined by the peer.
func (f Sanic) Traits() connlog.Traits {
	return connlog.Traits{Title: "Sanic access log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true, Client: true,
		Zone: true, Joined: true, Resolution: 1e9}
}

// Configure keeps the setup.
func (f Sanic) Configure(s *connlog.Setup) (connlog.Format, error) { return Sanic{s}, noLayout(f, s) }

// Match wants the bar, the stamp and the level.
func (f Sanic) Match(rec []byte) int {
	if _, _, ok := f.head(rec); ok {
		return 96
	}
	if n := bytes.IndexByte(rec, ' '); n > 0 {
		for n < len(rec) && rec[n] == ' ' {
			n++
		}
		if t, k := clock(f.setup).ISO(rec[n:]); k > 0 && t.Zoned && n+k < len(rec) && rec[n+k] == ' ' {
			return 40
		}
	}
	return 0
}

func (f Sanic) head(rec []byte) (t stamp.Time, at int, ok bool) {
	n := bytes.Index(rec, sanicBar)
	if n < 0 || n > 40 {
		return t, 0, false
	}
	t, k := clock(f.setup).ISO(rec[n+2:])
	at = n + 2 + k
	if k == 0 || !bytes.HasPrefix(rec[at:], sanicLvl) {
		return t, 0, false
	}
	return t, at + len(sanicLvl), true
}

// Read reads one line.
func (f Sanic) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, at, ok := f.head(rec)
	if !ok {
		if f.Match(rec) > 0 {
			return connlog.Ignored // messages without an address repeat what the access lines say
		}
		return connlog.BadLayout
	}
	host := word(rec, at)
	var x exchange
	x.fresh()
	x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	h, port := peer(rec, host)
	x.Client, x.Port, x.ClientSource, x.Conn = h.in(r.Span), port, connlog.Peer, host.in(r.Span)
	x.Transport = connlog.WebSocket
	at = host.to
	for at < len(rec) && rec[at] == ' ' {
		at++
	}
	if !bytes.HasPrefix(rec[at:], plug) {
		method := word(rec, at)
		target := word(rec, method.to+1)
		if !bytes.HasPrefix(target.of(rec), []byte("ws")) || !url(rec, target, r.Span, &x) {
			return connlog.Ignored
		}
		if x.Status, ok = status(word(rec, target.to+1).of(rec)); !ok {
			return connlog.BadStatus
		}
		return endAtHandshake.settle(b, f.setup, r, &x)
	}
	target := word(rec, at+len(plug))
	if !url(rec, target, r.Span, &x) {
		return connlog.BadLayout
	}
	e := push(b, &x.Event)
	rest := bytes.TrimSpace(rec[target.to:])
	if len(rest) == 0 {
		e.Outcome, e.Status, e.TimeSource = connlog.OK, 101, connlog.PrintedEnd
		return connlog.Used
	}
	e.Kind, e.TimeSource = connlog.Close, connlog.PrintedEnd
	if v, ok := number(rest[:min(4, len(rest))]); ok {
		e.CloseCode = uint16(v)
	}
	switch {
	case bytes.HasSuffix(rest, []byte("from client")):
		e.ClosedBy = connlog.ByClient
	case bytes.HasSuffix(rest, []byte("from server")):
		e.ClosedBy = connlog.ByServer
	}
	return connlog.Used
}
