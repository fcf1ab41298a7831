package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Traefik reads Traefik's CLF access log:
//
//	192.0.2.10 - - [30/Nov/2026:16:56:10 +0000] "GET /ws HTTP/1.1" 0 0 "-" "-" 1 "r@file" "http://198.51.100.20:9001" 1503ms
//
// The line is written at the close, the stamp is the START, the last column the whole life in ms. The status of an
// established WebSocket is 0, because the response writer is hijacked before it sees one; a 0 without a service means that
// Traefik answered itself. Quotes in the request are not escaped. Headers are dropped by default: no user agent.
type Traefik struct{ setup *connlog.Setup }

// Name is "traefik".
func (f Traefik) Name() string { return "traefik" }

// Traits: written at the close, stamped with the start.
func (f Traefik) Traits() connlog.Traits {
	return connlog.Traits{Title: "Traefik access log (CLF)", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e9,
		Unopened: "no handshake succeeded in it. Traefik logs an established WebSocket with status 0, which no range of filters.statusCodes holds: if that is configured, it dropped them all.",
		Blind:    []string{"filters.statusCodes or filters.minDuration in the configuration may have dropped lines."}}
}

// Configure keeps the setup.
func (f Traefik) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Traefik{s}, noLayout(f, s)
}

// Match wants the milliseconds at the end, after the service's quote.
func (f Traefik) Match(rec []byte) int {
	var c clf
	if !bytes.HasSuffix(rec, []byte("ms")) || !c.cut(rec, 0, true) {
		return 0
	}
	n := bytes.LastIndexByte(rec, ' ')
	if n < 1 || rec[n-1] != '"' {
		return 0
	}
	if _, ok := number(rec[n+1 : len(rec)-2]); !ok {
		return 0
	}
	return 95
}

// Read reads one line.
func (f Traefik) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var c clf
	if !c.cut(rec, 0, true) || !c.ident(rec) {
		return aside(rec)
	}
	n := bytes.LastIndexByte(rec, ' ')
	if n < c.rest || !bytes.HasSuffix(rec, []byte("ms")) {
		return connlog.BadLayout
	}
	var x exchange
	if reason, done := c.begin(b, rec, r, f.setup, &x); done {
		return reason
	}
	ms, ok := decimal(rec[n+1:len(rec)-2], 1e6)
	if !ok {
		return connlog.BadDuration
	}
	x.Duration = ms
	x.established = x.Status == 101 || x.Status == 0 && !bytes.HasSuffix(rec[:n], []byte(`"-"`))
	// The router and the service are the last two quoted columns; what stands between the referer and the count is the
	// agent, in which Traefik escapes quotes.
	var t fields
	t.columns(rec, c.rest)
	if t.isQuoted(1) {
		x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	}
	return startAtClose.settle(b, f.setup, r, &x)
}
