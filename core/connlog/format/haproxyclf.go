package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// HAProxyCLF reads what HAProxy writes with `option httplog clf`:
//
//	127.0.0.1 - - [01/Dec/2026:00:27:18 +0000] "GET /ws HTTP/1.1" 101 105 "" "" 36618 800 "fe" "be" "s1" 0 0 0 0 401 ---- 1 1 …
//
// The common log format, and after it what the ordinary log has: the port, the ms of the stamp, the proxies, the timers
// TR/Tw/Tc/Tr/Ta, the state, counters, cookies and captures. The stamp is the START, in UTC, to the millisecond; Ta is the
// whole life.
type HAProxyCLF struct{ setup *connlog.Setup }

// Name is "haproxy-clf".
func (f HAProxyCLF) Name() string { return "haproxy-clf" }

// Traits are HAProxy's, with a zone.
func (f HAProxyCLF) Traits() connlog.Traits {
	t := HAProxy{}.Traits()
	t.Title, t.Zone = "HAProxy log (CLF)", true
	return t
}

// Configure keeps the setup.
func (f HAProxyCLF) Configure(s *connlog.Setup) (connlog.Format, error) {
	return HAProxyCLF{s}, noLayout(f, s)
}

// Places among the columns after the size.
const (
	clfPort  = 2
	clfMilli = 3
	clfFront = 4
	clfTotal = 11
	clfState = 12
)

// Match wants two empty columns, two numbers and three names.
func (f HAProxyCLF) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) || !c.ident(rec) {
		return 0
	}
	var t fields
	if t.columns(rec, c.rest); !f.fits(rec, &t) {
		return 0
	}
	return 97
}

func (f HAProxyCLF) fits(rec []byte, t *fields) bool {
	if t.n <= clfState || !t.isQuoted(0) || !t.isQuoted(1) || !t.isQuoted(clfFront) || !t.isQuoted(clfFront+1) || t.isQuoted(clfPort) || len(t.at[clfState].of(rec)) < 2 {
		return false
	}
	_, port := number(t.at[clfPort].of(rec))
	_, ms := number(t.at[clfMilli].of(rec))
	return port && ms
}

// Telltale is the status of a handshake that succeeded, behind the request's quote.
func (f HAProxyCLF) Telltale() []byte { return switched }

// Read reads one line.
func (f HAProxyCLF) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var c clf
	if c.quick(b.Text(r.Span)); c.ordinary() {
		return connlog.Ignored
	}
	return f.line(b, r, &c)
}

// line reads a line that is no ordinary request's.
func (f HAProxyCLF) line(b *connlog.Batch, r connlog.Record, c *clf) connlog.Reason {
	var l common
	if reason, done := l.read(b, r, f.setup, false, c); done {
		return reason
	}
	rec, x, t := l.rec, &l.exchange, &l.fields
	if !f.fits(rec, t) {
		return connlog.BadLayout
	}
	port, _ := number(t.at[clfPort].of(rec))
	ms, _ := number(t.at[clfMilli].of(rec))
	if port > 65535 || ms > 999 {
		return connlog.BadLayout
	}
	x.Port = uint16(port)
	x.Time, x.Resolution = x.Time+ms*civil.Millisecond, civil.Millisecond
	total := t.at[clfTotal].of(rec)
	early := len(total) > 0 && total[0] == '+'
	if d, ok := decimal(bytes.TrimPrefix(total, []byte{'+'}), 1e6); ok && !(early && x.established) {
		x.Duration = d
	}
	state := t.at[clfState]
	x.Cause = state.in(r.Span)
	HAProxy{}.state(state.of(rec), x)
	// Quoted are then two cookies, which are not looked at, and the captured headers, of which the user agent and the
	// forwarded list are known by their looks.
	for i, nth := state.to, 0; ; nth++ {
		n := bytes.IndexByte(rec[i:], '"')
		if n < 0 {
			break
		}
		p, ok := quoted(rec, i+n)
		if !ok {
			break
		}
		i = p.to + 1
		if nth < 2 {
			continue
		}
		from := p.from
		for at := p.from; at <= p.to; at++ {
			if at < p.to && rec[at] != '|' {
				continue
			}
			HAProxy{}.capture(b, rec, piece{from, at}, r.Span, x)
			from = at + 1
		}
	}
	return startAtClose.settle(b, f.setup, r, x)
}
