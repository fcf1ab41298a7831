package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Java reads the access logs of the Java servers, which write a WebSocket's line at the HANDSHAKE: 101 says that a socket
// has just opened, and of its end nothing is ever printed.
//
//	Tomcat    127.0.0.11 - - [stamp] "GET /ws HTTP/1.1" 101 - "-" "wsprobe/2.0"            stamp = the handshake's end
//	Jetty     [0:0:0:0:0:0:0:1] - - [stamp] "GET /ws HTTP/1.1" 101 0 "" "wsprobe/2.0"      its start, always UTC
//	Undertow  127.0.0.21 - - [stamp] "GET /ws HTTP/1.1" 101 - 67 0.067 "wsprobe/2.0" "-"   its end; nothing is escaped
//
// The layouts are nginx's and Apache's, and the meaning of 101 is the opposite of nginx's: the size "-", the empty
// referer "" and IPv6 in its long form hint at Java, and the reader says what it took a log for. %D is the handshake's
// time (Tomcat: microseconds from 10.1 on; Undertow: milliseconds), never a session's. A plain GET of an endpoint is
// answered 404 by Tomcat: at a path where handshakes succeed such a line is no attempt.
type Java struct {
	server string
	setup  *connlog.Setup
}

// Tomcat, Jetty and Undertow are the three servers that Java reads.
var (
	Tomcat   = Java{server: "tomcat"}
	Jetty    = Java{server: "jetty"}
	Undertow = Java{server: "undertow"}
)

// Name is "tomcat", "jetty" or "undertow".
func (f Java) Name() string { return f.server }

// Traits: written at the handshake, no closes.
func (f Java) Traits() connlog.Traits {
	t := connlog.Traits{Title: "Tomcat access log", Written: connlog.AtHandshake, Stamped: connlog.StampEnd, Refusals: true, Client: true,
		UserAgent: true, Zone: true, Resolution: 1e9,
		Blind: []string{"a client that left during the handshake looks like a success."}}
	switch f.server {
	case "jetty":
		t.Title, t.Stamped = "Jetty request log", connlog.StampStart
	case "undertow":
		t.Title = "Undertow access log"
	}
	return t
}

// Configure keeps the setup; a layout is read as Template does, with the server's stamps.
func (f Java) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout != "" {
		return layout(s, '%', f.server, f.dialect())
	}
	return Java{f.server, s}, nil
}

func (f Java) dialect() dialect {
	d := endAtHandshake
	switch f.server {
	case "jetty":
		d = startAtHandshake
	case "tomcat":
		d.plainGET = 404
	}
	return d
}

// Match looks for what the three print and nginx does not.
func (f Java) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, f.server == "undertow") || !dashed(rec, c) {
		return 0
	}
	var t fields
	t.columns(rec, c.rest)
	host := c.host.of(rec)
	long := bytes.Count(host, []byte(":")) == 7
	switch f.server {
	case "jetty":
		switch {
		case !t.isQuoted(0) || !t.isQuoted(1) || t.n != 2:
			return 0
		case t.at[0].empty() || t.at[1].empty() || host[0] == '[':
			return 92
		}
		return 45
	case "undertow":
		if t.n >= 3 && !t.isQuoted(0) && !t.isQuoted(1) && timed(rec, t.at[1]) {
			return 90
		}
		return 0
	}
	switch {
	case t.isQuoted(0) && t.isQuoted(1) && t.n == 2:
		switch {
		case t.at[0].empty():
			return 30
		case long:
			return 90
		case string(c.status.of(rec)) == "101" && string(c.size.of(rec)) == "-":
			return 66
		}
		return 55
	case t.n >= 3 && !t.isQuoted(0) && !t.isQuoted(1) && !timed(rec, t.at[1]):
		if _, ok := number(t.at[0].of(rec)); ok && t.isQuoted(2) {
			return 88
		}
	}
	return 0
}

// Read reads one line.
func (f Java) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var c clf
	if c.quick(b.Text(r.Span)); c.ordinary() {
		return connlog.Ignored
	}
	return f.line(b, r, &c)
}

// line reads a line that is no ordinary request's.
func (f Java) line(b *connlog.Batch, r connlog.Record, c *clf) connlog.Reason {
	var l common
	if reason, done := l.read(b, r, f.setup, f.server == "undertow", c); done {
		return reason
	}
	rec, x, t := l.rec, &l.exchange, &l.fields
	if f.server == "undertow" {
		f.undertow(b, rec, l.rest, r.Span, x)
	} else {
		agent := 1
		if t.n > 2 && !t.isQuoted(0) { // %D %F "agent" "forwarded"
			agent = 2
			if d, ok := decimal(t.at[0].of(rec), 1e3); ok {
				x.Duration = d
			}
			if t.isQuoted(3) && looksForwarded(t.at[3].of(rec)) {
				x.Forwarded = t.at[3].in(r.Span)
			}
		}
		if t.isQuoted(agent) {
			x.UserAgent = unescape(b, rec, t.at[agent], r.Span)
		}
	}
	return f.dialect().settle(b, f.setup, r, x)
}

// undertow reads `67 0.067 "agent" "forwarded"` from the right, because the agent's quotes are not escaped.
func (f Java) undertow(b *connlog.Batch, rec []byte, i int, s connlog.Span, x *exchange) {
	w := word(rec, i)
	if d, ok := decimal(w.of(rec), 1e6); ok {
		x.Duration = d
	}
	first := bytes.IndexByte(rec[i:], '"')
	last := len(bytes.TrimRight(rec, " \r"))
	if first < 0 || last-1 <= i+first || rec[last-1] != '"' {
		return
	}
	tail := rec[i+first : last]
	if n := lastIndex(tail, `" "`, 2); n > 0 {
		x.UserAgent = piece{i + first + 1, i + first + n}.span(rec, s)
		if p := (piece{i + first + n + 3, last - 1}); p.from < p.to && looksForwarded(p.of(rec)) {
			x.Forwarded = p.in(s)
		}
	} else {
		x.UserAgent = piece{i + first + 1, last - 1}.span(rec, s)
	}
}
