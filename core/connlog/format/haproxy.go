package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// HAProxy reads `option httplog` and `option tcplog`:
//
//	192.0.2.10:43000 [30/Nov/2026:16:46:05.590] fe be/s1 0/0/0/1/1541 101 202 - - ---- 3/1/2/2/0 0/0 {agent|xff} "GET /ws HTTP/1.1"
//
// The stamp is the START, in the host's LOCAL time without a zone (say it with --tz); the fifth timer is the whole life in
// ms. "+6" for it (`option logasap`) is written at the handshake: no close is known. The peer is cut at the LAST colon,
// since IPv6 is not bracketed. Captured headers stand in braces: what looks like addresses is the forwarded list, what
// does not is the user agent. Bytes that cannot be printed are #22.
//
// The termination state says who ended it and when: -- nobody, CD the client's reset, cD `timeout tunnel`, sD the
// server's side silent, SD the server (but also plain ends over HTTP/2), SC refused by the server, sH no answer, PR denied
// by a rule, C? the client gone before the answer, K D U killed by an admin or a change of the server's state. A tcplog
// line cannot tell a WebSocket from any other connection and is no event here; --format haproxy-tcp makes it one.
type HAProxy struct {
	setup *connlog.Setup
	tcp   bool // all lines seen are tcplog's
}

// Name is "haproxy".
func (f HAProxy) Name() string { return "haproxy" }

// Traits: written at the close, stamped with the start, no zone.
func (f HAProxy) Traits() connlog.Traits {
	t := connlog.Traits{Title: "HAProxy httplog", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Resolution: 1e6}
	if f.tcp {
		t.Blind = []string{"lines of option tcplog cannot tell a WebSocket from another connection; where all connections are WebSockets, say --format haproxy-tcp."}
	}
	return t
}

// Learn says "tcplog" if all of the records are.
func (f HAProxy) Learn(records [][]byte) string {
	seen := false
	for _, rec := range records {
		if f.Match(rec) > 0 {
			if !tcplog(rec) {
				return ""
			}
			seen = true
		}
	}
	if seen {
		return tcplogLayout
	}
	return ""
}

// tcplogLayout is the learned layout of a log of connections.
const tcplogLayout = "tcplog"

// Configure keeps the setup.
func (f HAProxy) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout == tcplogLayout {
		return HAProxy{s, true}, nil
	}
	return HAProxy{setup: s}, noLayout(f, s)
}

// Match wants ip:port, a stamp with ms and timers.
func (f HAProxy) Match(rec []byte) int {
	host := word(rec, 0)
	if host.to+28 > len(rec) || rec[host.to+1] != '[' || bytes.LastIndexByte(host.of(rec), ':') < 1 {
		return 0
	}
	if t, n := clock(f.setup).CLF(rec[host.to+2:]); n == 0 || t.Resolution > 1e6 || rec[host.to+2+n] != ']' {
		return 0
	}
	return 97
}

// Read reads one line.
func (f HAProxy) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	host := word(rec, 0)
	if host.to+28 > len(rec) || rec[host.to+1] != '[' {
		return connlog.BadLayout
	}
	t, n := clock(f.setup).CLF(rec[host.to+2:])
	at := host.to + 2 + n
	if n == 0 || at >= len(rec) || rec[at] != ']' {
		return connlog.BadTime
	}
	front := word(rec, at+2)
	back := word(rec, front.to+1)
	timers := word(rec, back.to+1)
	code := word(rec, timers.to+1)
	sent := word(rec, code.to+1)
	// Two cookies, then the state of four letters.
	c1 := word(rec, sent.to+1)
	c2 := word(rec, c1.to+1)
	state := word(rec, c2.to+1)
	tm := timers.of(rec)
	slashes, lastSlash := 0, 0
	for i, c := range tm {
		if c == '/' {
			slashes++
			lastSlash = i
		}
	}
	if slashes == 2 { // tcplog: Tw/Tc/Tt bytes state
		return connlog.Ignored
	}
	if slashes != 4 || state.to-state.from != 4 {
		if bytes.HasSuffix(rec, []byte("SSL handshake failure")) || bytes.Contains(rec, []byte(": SSL handshake failure")) {
			return f.tls(b, rec, r.Span, host, t)
		}
		return connlog.BadLayout
	}
	st, ok := status(code.of(rec))
	if !ok {
		if string(code.of(rec)) == "-1" {
			st = 0
		} else {
			return connlog.BadStatus
		}
	}
	if boring(st) {
		return connlog.Ignored
	}
	// The request is the last quoted column; its own quotes are escaped as #22.
	end := len(rec)
	for end > 0 && (rec[end-1] == ' ' || rec[end-1] == '\r') {
		end--
	}
	if end < 2 || rec[end-1] != '"' {
		return connlog.BadLayout
	}
	q := bytes.LastIndexByte(rec[:end-1], '"')
	if q < state.to {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	x.Status, x.established = st, st == 101
	if !request(rec, piece{q + 1, end - 1}, r.Span, &x) {
		return connlog.Ignored // <BADREQ>
	}
	last := tm[lastSlash+1:]
	early := len(last) > 0 && last[0] == '+'
	if early {
		last = last[1:]
	}
	if d, ok := decimal(last, 1e6); ok && !(early && x.established) {
		x.Duration = d
	}
	x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	h, port := peer(rec, host)
	x.Client, x.Port, x.ClientSource = h.in(r.Span), port, connlog.Peer
	x.Cause = state.in(r.Span)
	f.state(rec[state.from:state.to], &x)
	if open := bytes.IndexByte(rec[state.to:q], '{'); open >= 0 {
		f.captured(b, rec, piece{state.to + open, q}, r.Span, &x)
	}
	return startAtClose.settle(b, f.setup, r, &x)
}

// state reads who ended it.
func (f HAProxy) state(s []byte, x *exchange) {
	if len(s) == 0 {
		return
	}
	if x.established {
		switch s[0] {
		case 'C':
			x.ClosedBy = connlog.ByClient
		case 'S':
			x.ClosedBy = connlog.ByServer
		case 'c', 's':
			x.ClosedBy = connlog.ByProxyTimeout
		case 'K', 'D', 'U', 'P', 'I', 'R':
			x.ClosedBy = connlog.ByProxy
		}
		return
	}
	if s[0] == 'C' || s[0] == 'c' {
		x.Outcome = connlog.Aborted
	}
}

// captured reads the header groups: {a|b} {c}.
func (f HAProxy) captured(b *connlog.Batch, rec []byte, p piece, s connlog.Span, x *exchange) {
	end := bytes.LastIndexByte(p.of(rec), '}')
	if end < 0 {
		return
	}
	from := p.from + 1
	for i := from; i <= p.from+end; i++ {
		if c := rec[i]; c != '|' && c != '}' {
			continue
		}
		v := piece{from, i}
		from = i + 1
		if rec[i] == '}' {
			from = i + 3
		}
		f.capture(b, rec, v, s, x)
	}
}

// capture takes a captured header for what it looks like.
func (f HAProxy) capture(b *connlog.Batch, rec []byte, v piece, s connlog.Span, x *exchange) {
	switch {
	case v.absent(rec):
	case looksForwarded(v.of(rec)):
		x.Forwarded = v.in(s)
	case x.UserAgent.Len == 0 && bytes.IndexAny(v.of(rec), "/ ") >= 0:
		x.UserAgent = hashEscaped(b, rec, v, s)
	case x.Host.Len == 0 && bytes.IndexByte(v.of(rec), '.') > 0:
		x.Host = v.in(s)
	}
}

// hashEscaped undoes #NN.
func hashEscaped(b *connlog.Batch, rec []byte, p piece, s connlog.Span) connlog.Span {
	in := p.of(rec)
	if bytes.IndexByte(in, '#') < 0 {
		return p.in(s)
	}
	var buf [256]byte
	out := buf[:0]
	for i := 0; i < len(in); i++ {
		if in[i] == '#' {
			if v, ok := hex(in, i+1, 2); ok {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, in[i])
	}
	return b.Keep(out)
}

// tls reads `ip:port [stamp] fe/1: SSL handshake failure`.
func (f HAProxy) tls(b *connlog.Batch, rec []byte, s connlog.Span, host piece, t stamp.Time) connlog.Reason {
	h, port := peer(rec, host)
	e := b.Add()
	e.Time, e.Resolution, e.TimeSource = t.In(f.setup.Zone), t.Resolution, connlog.PrintedStart
	e.Outcome, e.Client, e.Port, e.ClientSource = connlog.TLS, h.in(s), port, connlog.Peer
	return connlog.Used
}
