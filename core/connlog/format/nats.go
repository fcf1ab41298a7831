package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// NATS reads the log of nats-server with -D (debug); without it only refusals are printed:
//
//	[8008] 2026/11/30 19:18:53.520322 [DBG] 127.0.0.61:52103 - wid:5 - Client connection created
//	[8008] 2026/11/30 19:18:55.220042 [ERR] 127.0.0.64:38889 - websocket handshake error: origin not allowed: …
//	[8008] 2026/11/30 19:18:56.822383 [DBG] 127.0.0.61:52103 - wid:5 - "v3.0.0:js:probe" - "$G/user:a" - Client connection closed: Client Closed
//
// wid is a WebSocket's id (cid a plain client's) and joins the two ends. The address is XFF/peer:port when the client sent
// X-Forwarded-For, which anybody may. The stamp is local, without a zone, unless logtime_utc is set. The library's name
// and version stand for the user agent; the user's name is not kept.
type NATS struct{ setup *connlog.Setup }

// Name is "nats".
func (f NATS) Name() string { return "nats" }

// Traits: written at both ends, joined by the id.
func (f NATS) Traits() connlog.Traits {
	return connlog.Traits{Title: "nats-server log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true, Client: true,
		UserAgent: true, Joined: true, Resolution: 1e3, Blind: []string{"without -D only refused handshakes are logged."}}
}

// Configure keeps the setup.
func (f NATS) Configure(s *connlog.Setup) (connlog.Format, error) { return NATS{s}, noLayout(f, s) }

// Match wants [pid] stamp [LVL].
func (f NATS) Match(rec []byte) int {
	if _, at := f.head(rec); at > 0 {
		return 96
	}
	return 0
}

func (f NATS) head(rec []byte) (t stamp.Time, at int) {
	if len(rec) < 30 || rec[0] != '[' {
		return t, 0
	}
	n := bytes.IndexByte(rec[:12], ']')
	if n < 2 {
		return t, 0
	}
	t, k := clock(f.setup).ISO(rec[n+2:])
	at = n + 2 + k
	if k == 0 || at+7 > len(rec) || rec[at+1] != '[' || rec[at+5] != ']' {
		return t, 0
	}
	return t, at + 7
}

var (
	natsCreated = []byte("Client connection created")
	natsClosed  = []byte("Client connection closed: ")
	natsRefused = []byte("websocket handshake error: ")
)

// Read reads one line.
func (f NATS) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, at := f.head(rec)
	if at == 0 {
		return connlog.BadLayout
	}
	host := word(rec, at)
	rest := bytes.TrimPrefix(rec[host.to:], []byte(" - "))
	i := len(rec) - len(rest)
	refused := bytes.HasPrefix(rest, natsRefused)
	if !refused && !bytes.HasPrefix(rest, []byte("wid:")) {
		return connlog.Ignored
	}
	text := bytes.LastIndex(rest, []byte(" - "))
	if refused {
		// A plain GET of the port prints as a handshake error too; the reason tells.
		if bytes.Contains(rest, []byte("'Upgrade'")) {
			return connlog.Ignored
		}
	} else if text < 0 || !bytes.HasPrefix(rest[text+3:], natsCreated) && !bytes.HasPrefix(rest[text+3:], natsClosed) {
		return connlog.Ignored
	}
	e := b.Add()
	e.Time, e.Resolution, e.Transport = t.In(f.setup.Zone), t.Resolution, connlog.WebSocket
	e.TimeSource, e.ClientSource = connlog.PrintedEnd, connlog.Peer
	if slash := bytes.IndexByte(host.of(rec), '/'); slash > 0 {
		e.Forwarded = piece{host.from, host.from + slash}.in(r.Span)
		host.from += slash + 1
	}
	h, port := peer(rec, host)
	e.Client, e.Port = h.in(r.Span), port
	if refused {
		e.Outcome = connlog.Refused
		return connlog.Used
	}
	e.Conn = word(rec, i).in(r.Span)
	msg := rest[text+3:]
	if bytes.HasPrefix(msg, natsCreated) {
		e.Outcome = connlog.OK
		return connlog.Used
	}
	e.Kind = connlog.Close
	cause := piece{i + text + 3 + len(natsClosed), len(rec)}
	e.Cause = cause.in(r.Span)
	switch string(cause.of(rec)) {
	case "Client Closed", "Read Error", "Stale Connection":
		e.ClosedBy = connlog.ByClient
	case "Duplicate Connection", "Duplicate Route", "Duplicate Client ID":
		e.ClosedBy = connlog.ByTakeover
	default:
		e.ClosedBy = connlog.ByServer
	}
	if q := bytes.IndexByte(rest, '"'); q > 0 {
		if lib, ok := quoted(rec, i+q); ok {
			e.UserAgent = lib.in(r.Span)
		}
	}
	return connlog.Used
}
