package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// SocketIO reads what socket.io and engine.io print under DEBUG=engine*,socket.io*:
//
//	2026-11-30T19:19:23.223Z engine handshaking client "FJx2bmPri7BinQ1RAAAA"
//	2026-11-30T19:19:25.327Z engine:socket readyState updated from open to closed
//
// There is no address and no user agent, so that only the fleet as a whole can be seen. "handshaking client" is one new
// session, over polling or WebSocket, and its later upgrade is the same session. The end has no id: closes can be counted
// and not joined. "unknown sid" is an old session that polls after a restart, not a new attempt; a WebSocket that
// allowRequest refuses prints nothing at all.
type SocketIO struct{ setup *connlog.Setup }

// Name is "socketio-debug".
func (f SocketIO) Name() string { return "socketio-debug" }

// Traits: both ends, nobody's name.
func (f SocketIO) Traits() connlog.Traits {
	return connlog.Traits{Title: "socket.io debug output", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true,
		Zone: true, Resolution: 1e6, Blind: []string{"closes carry no session id: lifetimes are unknown.", "a refused WebSocket prints nothing."}}
}

// Configure keeps the setup.
func (f SocketIO) Configure(s *connlog.Setup) (connlog.Format, error) {
	return SocketIO{s}, noLayout(f, s)
}

// Match wants a stamp and one of the namespaces.
func (f SocketIO) Match(rec []byte) int {
	_, at := f.line(rec)
	if rest := rec[at:]; bytes.HasPrefix(rest, []byte("engine")) || bytes.HasPrefix(rest, []byte("socket.io")) {
		return 95
	}
	return 0
}

// line reads the stamp, which a wrapper may have taken already.
func (f SocketIO) line(rec []byte) (t stamp.Time, at int) {
	t, n := clock(f.setup).ISO(rec)
	if n > 0 && n+1 < len(rec) && rec[n] == ' ' {
		return t, n + 1
	}
	return t, 0
}

// Read reads one line.
func (f SocketIO) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, at := f.line(rec)
	rest := rec[at:]
	if at == 0 && r.Written == connlog.None {
		return connlog.NoTime
	}
	add := func() *connlog.Event {
		e := b.Add()
		e.Time, e.Resolution, e.TimeSource = r.Written, r.Resolution, connlog.FromWrapper
		if at > 0 {
			e.Time, e.Resolution, e.TimeSource = t.In(f.setup.Zone), t.Resolution, connlog.PrintedEnd
		}
		return e
	}
	switch {
	case bytes.HasPrefix(rest, []byte("engine handshaking client ")):
		q := at + len("engine handshaking client ")
		id, ok := quoted(rec, q)
		if !ok {
			return connlog.BadLayout
		}
		e := add()
		e.Outcome, e.Conn = connlog.OK, id.in(r.Span)
		return connlog.Used
	case bytes.HasPrefix(rest, []byte("engine:socket readyState updated from ")) && bytes.HasSuffix(rest, []byte(" to closed")):
		add().Kind = connlog.Close
		return connlog.Used
	case bytes.HasPrefix(rest, []byte("engine unsupported protocol version")):
		e := add()
		e.Outcome, e.Status = connlog.Refused, 400
		return connlog.Used
	}
	return connlog.Ignored
}
