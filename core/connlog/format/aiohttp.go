package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Aiohttp reads aiohttp's default access log, with or without logging's prefix:
//
//	INFO:aiohttp.access:127.0.0.12 [30/Nov/2026:19:06:55 +0000] "GET /ws HTTP/1.1" 101 0 "-" "wsprobe/2.0"
//
// Written at the CLOSE and stamped with the START; without a duration (%Tf, %D in a custom format) the end is unknown.
// The user agent is not escaped.
type Aiohttp struct{ setup *connlog.Setup }

// Name is "aiohttp".
func (f Aiohttp) Name() string { return "aiohttp" }

// Traits: stamped with the start, no closes.
func (f Aiohttp) Traits() connlog.Traits {
	return connlog.Traits{Title: "aiohttp access log", Written: connlog.AtClose, Stamped: connlog.StampStart, Refusals: true, Client: true,
		UserAgent: true, Zone: true, Resolution: 1e9}
}

// Configure keeps the setup; a layout is read as Template does, with this server's stamps.
func (f Aiohttp) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout != "" {
		return layout(s, '%', "aiohttp", startAtClose)
	}
	return Aiohttp{s}, nil
}

var aiohttpPrefix = []byte("INFO:aiohttp.access:")

// Match wants a stamp right after the peer.
func (f Aiohttp) Match(rec []byte) int {
	from := 0
	if bytes.HasPrefix(rec, aiohttpPrefix) {
		from = len(aiohttpPrefix)
	}
	var c clf
	if !c.cut(rec, from, true) || c.time.from != c.host.to+2 {
		return 0
	}
	if from > 0 {
		return 98
	}
	var t fields
	t.columns(rec, c.rest)
	if t.n == 2 && t.isQuoted(0) && t.isQuoted(1) {
		return 75
	}
	return 0
}

// Read reads one line.
func (f Aiohttp) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	from := 0
	if bytes.HasPrefix(rec, aiohttpPrefix) {
		from = len(aiohttpPrefix)
	} else if n := bytes.IndexByte(rec, ':'); n > 0 && bytes.HasPrefix(rec[n:], []byte(":aiohttp.")) {
		return connlog.Ignored
	}
	var c clf
	if !c.cut(rec, from, true) {
		return connlog.BadLayout
	}
	var x exchange
	if reason, done := c.begin(b, rec, r, f.setup, &x); done {
		return reason
	}
	tail := bytes.TrimRight(rec[c.rest:], " \r")
	if n := bytes.Index(tail, []byte(`" "`)); n >= 0 && tail[len(tail)-1] == '"' && n+3 < len(tail) {
		x.UserAgent = piece{c.rest + n + 3, c.rest + len(tail) - 1}.span(rec, r.Span)
	}
	return startAtClose.settle(b, f.setup, r, &x)
}
