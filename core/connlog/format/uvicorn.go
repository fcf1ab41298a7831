package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Uvicorn reads uvicorn's own lines (logger uvicorn.error, also under gunicorn):
//
//	INFO:     127.0.0.11:50559 - "WebSocket /ws?v=4" [accepted]
//	INFO:     ('192.0.2.10', 36202) - "WebSocket /deny" 403
//	2026-11-30 19:02:59,095 INFO:     127.0.0.22:50251 - "WebSocket /deny429" 429
//
// Written at the handshake's answer. By default there is NO time in the line: then the wrapper's is taken, and without
// one the attempt cannot be placed. "connection open" and "connection rejected" repeat the attempt; "connection closed"
// names nobody and follows refusals too, so that closes cannot be told. An attempt whose application raised before
// accepting has no line with an address.
type Uvicorn struct{ setup *connlog.Setup }

// Name is "uvicorn".
func (f Uvicorn) Name() string { return "uvicorn" }

// Traits: written at the handshake, no closes, usually no time.
func (f Uvicorn) Traits() connlog.Traits {
	return connlog.Traits{Title: "uvicorn log", Written: connlog.AtHandshake, Stamped: connlog.StampEnd, Refusals: true, Client: true,
		Resolution: 1e6, Blind: []string{"an attempt that made the application raise has no address."}}
}

// Configure keeps the setup.
func (f Uvicorn) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Uvicorn{s}, noLayout(f, s)
}

// Match knows the WebSocket line, and the lines around it by their level.
func (f Uvicorn) Match(rec []byte) int {
	at := f.level(rec)
	switch {
	case bytes.Contains(rec[at:], []byte(` - "WebSocket /`)):
		return 98
	case at == 0, rec[0] == '[' && prefix(rec) == at:
		return 0 // under gunicorn the other lines are anybody's
	case bytes.HasPrefix(rec[at:], []byte("connection ")):
		return 80
	case bytes.Contains(rec[at:], []byte(` HTTP/1.1" `)):
		return 70
	}
	return 30
}

// level is the offset after the date, the level and the blanks: where uvicorn's own text begins; 0 without a level.
func (f Uvicorn) level(rec []byte) int {
	at := 0
	if len(rec) > 18 && rec[0]-'0' <= 9 {
		if _, n := clock(f.setup).ISO(rec); n > 0 && n < len(rec) {
			at = n + 1
		}
	}
	if at == 0 {
		if n := prefix(rec); n > 0 {
			return n
		}
	}
	w := word(rec, at)
	lv := w.of(rec)
	if len(lv) > 0 && lv[len(lv)-1] == ':' {
		lv = lv[:len(lv)-1]
	}
	switch string(lv) {
	case "INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL", "TRACE":
		at = w.to
		for at < len(rec) && (rec[at] == ' ' || rec[at] == '-') {
			at++
		}
		return at
	}
	return 0
}

// Read reads one line.
func (f Uvicorn) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	n := bytes.Index(rec, []byte(` - "WebSocket `))
	if n < 0 {
		// HTTP requests, repetitions, complaints and tracebacks, all but the only line of an attempt that made the
		// application raise.
		if at := bytes.Index(rec, []byte(" (500 ")); at > 0 && (bytes.HasSuffix(rec[:at], []byte(" connection rejected")) || bytes.HasSuffix(rec[:at], []byte(" connection failed"))) {
			var x exchange
			x.fresh()
			x.upgrade, x.Status = asked, 500
			if !f.time(rec, r, &x) {
				return connlog.NoTime
			}
			return endAtHandshake.settle(b, f.setup, r, &x)
		}
		return connlog.Ignored
	}
	path, ok := quoted(rec, n+3)
	if !ok || path.to+2 > len(rec) {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	x.upgrade = asked
	path.from += len("WebSocket ")
	if !url(rec, path, r.Span, &x) {
		return connlog.BadLayout
	}
	switch answer := word(rec, path.to+2).of(rec); {
	case string(answer) == "[accepted]":
		x.established, x.Status = true, 101
	default:
		if x.Status, ok = status(answer); !ok {
			return connlog.BadStatus
		}
	}
	f.client(rec, piece{f.level(rec), n}, r.Span, &x)
	if !f.time(rec, r, &x) {
		return connlog.NoTime
	}
	return endAtHandshake.settle(b, f.setup, r, &x)
}

// time takes the line's own stamp, else the wrapper's.
func (f Uvicorn) time(rec []byte, r connlog.Record, x *exchange) bool {
	at := 0
	if len(rec) > 0 && rec[0] == '[' {
		at = 1
	}
	if len(rec) > at && rec[at]-'0' <= 9 {
		if t, n := clock(f.setup).ISO(rec[at:]); n > 0 {
			x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
			return true
		}
	}
	x.Time, x.Resolution = r.Written, r.Resolution
	return r.Written != connlog.None
}

// client reads ip:port, with IPv6 unbracketed, or Python's tuple ('ip', port). Port 0 says that the address came from
// X-Forwarded-For.
func (f Uvicorn) client(rec []byte, p piece, s connlog.Span, x *exchange) {
	if bytes.HasPrefix(p.of(rec), []byte("('")) {
		if n := bytes.IndexByte(rec[p.from+2:p.to], '\''); n > 0 {
			host := piece{p.from + 2, p.from + 2 + n}
			v, _ := number(bytes.Trim(rec[host.to:p.to], "', )"))
			x.Client, x.Port = host.in(s), uint16(v)
		}
	} else {
		host, port := peer(rec, p)
		x.Client, x.Port = host.in(s), port
	}
	x.ClientSource = connlog.Peer
	if x.Port == 0 {
		x.ClientSource = connlog.Forwarded
	}
}
