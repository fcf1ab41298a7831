package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Hypercorn reads hypercorn's access log, which is off unless --access-logfile is given:
//
//	[2026-11-30 19:03:49 +0000] [30937] [INFO] 127.0.0.11:60655 - - [30/Nov/2026:19:03:49 +0000] "GET /ws 1.1" 101 - "-" "wsprobe/2.0"
//
// Written at the handshake's ANSWER; closes are never logged. The protocol has no "HTTP/", the peer is ip:port with IPv6
// unbracketed, the path has no query. An attempt whose application raised is printed twice, with the same port.
type Hypercorn struct{ setup *connlog.Setup }

// Name is "hypercorn".
func (f Hypercorn) Name() string { return "hypercorn" }

// Traits: written at the handshake, no closes.
func (f Hypercorn) Traits() connlog.Traits {
	return connlog.Traits{Title: "hypercorn access log", Written: connlog.AtHandshake, Stamped: connlog.StampEnd, Refusals: true, Client: true,
		UserAgent: true, Zone: true, Resolution: 1e9}
}

// Configure keeps the setup; a layout is read as Template does, with this server's stamps.
func (f Hypercorn) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout != "" {
		return layout(s, '%', "hypercorn", endAtHandshake)
	}
	return Hypercorn{s}, nil
}

// Match wants a request that ends in " 1.1" or " 2" without HTTP.
func (f Hypercorn) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, prefix(rec), false) || !hyper(c.request.of(rec)) {
		return 0
	}
	return 92
}

func hyper(req []byte) bool {
	return bytes.HasSuffix(req, []byte(" 1.1")) || bytes.HasSuffix(req, []byte(" 2")) || bytes.HasSuffix(req, []byte(" 1.0"))
}

// prefix is the length of gunicorn's and hypercorn's logging prefix, "[time] [pid] [LEVEL] ", 0 without one.
func prefix(rec []byte) int {
	if len(rec) == 0 || rec[0] != '[' {
		return 0
	}
	at := 0
	for range 3 {
		n := bytes.IndexByte(rec[at:], ']')
		if n < 0 || at+n+2 > len(rec) {
			return at
		}
		at += n + 2
		if at >= len(rec) || rec[at] != '[' {
			break
		}
	}
	return at
}

// Read reads one line.
func (f Hypercorn) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var c clf
	if !c.cut(rec, prefix(rec), false) {
		if prefix(rec) > 0 {
			return connlog.Ignored // the server's own messages
		}
		return connlog.BadLayout
	}
	var x exchange
	if reason, done := c.begin(b, rec, r, f.setup, &x); done {
		return reason
	}
	host, port := peer(rec, c.host)
	x.Client, x.Port = host.in(r.Span), port
	if x.Status >= 500 {
		x.ID = hash(rec[c.host.from:c.request.to]) // one attempt, printed twice
	}
	var t fields
	t.columns(rec, c.rest)
	if t.isQuoted(1) {
		x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	}
	return endAtHandshake.settle(b, f.setup, r, &x)
}
