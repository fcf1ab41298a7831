package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Tornado reads tornado's pretty logging:
//
//	[I 261130 19:08:09 web:2591] 101 GET /ws (127.0.0.11) 0.56ms
//
// Written at the handshake's answer; the milliseconds are the handshake's. The date is yymmdd, local, without a zone. No
// closes. A plain GET of an endpoint is answered 400.
type Tornado struct{ setup *connlog.Setup }

// Name is "tornado".
func (f Tornado) Name() string { return "tornado" }

// Traits: written at the handshake, no closes, no zone.
func (f Tornado) Traits() connlog.Traits {
	return connlog.Traits{Title: "tornado log", Written: connlog.AtHandshake, Stamped: connlog.StampEnd, Refusals: true, Client: true,
		Resolution: 1e9}
}

// Configure keeps the setup.
func (f Tornado) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Tornado{s}, noLayout(f, s)
}

// Match wants the level, the short stamp and a module.
func (f Tornado) Match(rec []byte) int {
	if _, ok := f.stamp(rec); !ok {
		return 0
	}
	return 95
}

func (f Tornado) stamp(rec []byte) (t stamp.Time, ok bool) {
	if len(rec) < 20 || rec[0] != '[' || rec[2] != ' ' {
		return t, false
	}
	switch rec[1] {
	case 'D', 'I', 'W', 'E', 'C':
		t, n := clock(f.setup).Short(rec[3:])
		return t, n > 0
	}
	return t, false
}

// Read reads one line.
func (f Tornado) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, ok := f.stamp(rec)
	if !ok {
		return connlog.BadLayout
	}
	n := bytes.IndexByte(rec[18:], ']')
	if n < 0 {
		return connlog.BadLayout
	}
	w := word(rec, 18+n+2)
	st, ok := status(w.of(rec))
	if !ok || boring(st) || st == 0 {
		return connlog.Ignored
	}
	end := bytes.LastIndexByte(rec, ')')
	open := bytes.LastIndexByte(rec[:max(end, 0)], '(')
	if open <= w.to+1 || rec[open-1] != ' ' {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	x.Status, x.established = st, st == 101
	x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	if !request(rec, piece{w.to + 1, open - 1}, r.Span, &x) {
		return connlog.Ignored
	}
	x.Client, x.ClientSource = piece{open + 1, end}.in(r.Span), connlog.Peer
	d := endAtHandshake
	d.plainGET = 400
	return d.settle(b, f.setup, r, &x)
}
