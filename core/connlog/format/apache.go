package format

import "github.com/stormlint/stormlint/core/connlog"

// Apache reads Apache httpd's combined log, with or without the time taken at its end:
//
//	192.0.2.10 - - [30/Nov/2026:16:46:05 +0000] "GET /ws HTTP/1.1" 101 - "-" "wsprobe/1.2.3" 1566240
//
// The line is written at the close, but the stamp is when the request was RECEIVED: attempt = stamp, close = stamp + %D.
// %D counts microseconds; it is an integer where nginx prints seconds with three decimals, and that is all that tells the
// two apart. People log %T (seconds) or %{ms}T there too. No request takes 0 µs: where a 0 stands in the column it is one of
// those, which one nothing tells, and it is left out until --log-format says it. The size of a 101 is "-". A dead backend is 503 here and 502 in nginx. In 2.5 a tunnel that timed out may
// print 504 with a time of minutes: that was a session. Escapes are \", \\ and \xc3 in lower case.
type Apache struct {
	setup *connlog.Setup
	stock bool // no line has a duration
	vague bool // lines have one in a unit that nothing tells
}

// Name is "apache".
func (f Apache) Name() string { return "apache" }

// Traits: written at the close, stamped with the start.
func (f Apache) Traits() connlog.Traits {
	t := connlog.Traits{Title: "Apache httpd access log", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: !f.stock, Closes: !f.stock,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e9}
	if f.vague {
		t.Blind = []string{"the number after the user agent is %T (s) or %{ms}T (ms), which cannot be told apart; --log-format with the server's LogFormat says it."}
	}
	return t
}

// Learn says "stock" if none of the records has a duration, "vague" if its unit is not to be told.
func (f Apache) Learn(records [][]byte) string {
	seen, timed := false, false
	for _, rec := range records {
		var c clf
		if !c.cut(rec, 0, false) || !c.ident(rec) {
			continue
		}
		seen = true
		var t fields
		if t.columns(rec, c.rest); t.n > 2 && !t.isQuoted(2) {
			timed = true
			if string(t.at[2].of(rec)) == "0" {
				return vague
			}
		}
	}
	if seen && !timed {
		return stock
	}
	return ""
}

// vague is the learned layout of a log whose durations have a unit that nothing tells.
const vague = "vague"

// Configure keeps the setup; a layout is read as Template does, with this server's stamps.
func (f Apache) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout != "" && s.Layout != stock && s.Layout != vague {
		return layout(s, '%', "apache", startAtClose)
	}
	return Apache{s, s.Layout == stock || s.Layout == vague, s.Layout == vague}, nil
}

// Match wants an integer after the user agent; a 101 of size "-" alone may as well be a Java server's.
func (f Apache) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) || !dashed(rec, c) {
		return 0
	}
	var t fields
	t.columns(rec, c.rest)
	if !t.isQuoted(0) || !t.isQuoted(1) || t.at[0].empty() {
		return 0
	}
	if t.n == 3 && !t.isQuoted(2) {
		if _, ok := number(t.at[2].of(rec)); ok {
			return 75
		}
	}
	return 50
}

// Read reads one line.
func (f Apache) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var c clf
	if c.quick(b.Text(r.Span)); c.ordinary() {
		return connlog.Ignored
	}
	return f.line(b, r, &c)
}

// line reads a line that is no ordinary request's.
func (f Apache) line(b *connlog.Batch, r connlog.Record, c *clf) connlog.Reason {
	var l common
	if reason, done := l.read(b, r, f.setup, false, c); done {
		return reason
	}
	rec, x, t := l.rec, &l.exchange, &l.fields
	if t.isQuoted(1) {
		x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	}
	if t.n > 2 && !t.isQuoted(2) && !f.vague {
		if d, ok := decimal(t.at[2].of(rec), 1e3); ok {
			x.Duration = d
		}
	}
	if x.Status == 504 && x.Duration > 65e9 {
		x.established = true
		x.ClosedBy = connlog.ByProxyTimeout
	}
	return startAtClose.settle(b, f.setup, r, x)
}
