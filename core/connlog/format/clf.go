package format

import (
	"bytes"
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
)

// clf is a line of the common log format's family, cut up:
//
//	HOST IDENT USER [STAMP] "REQUEST" STATUS SIZE rest
//
// Daphne, aiohttp, granian and others leave fields out or put some before; each says so in its own file.
type clf struct {
	host    piece
	time    piece // between the brackets
	request piece // between the quotes
	status  piece
	size    piece
	rest    int    // the first byte after SIZE
	answer  uint16 // STATUS as a number, where quick knows the line; 0 without
}

// common is a line of the family in its own right: HOST - USER …, with the columns after the size and what is the same in
// all of its logs.
type common struct {
	rec []byte
	clf
	fields
	exchange
}

// read cuts the line up, as far as quick did not. It returns true with the reason if the line is done with already: it does
// not fit, or it is an ordinary request. raw is cut's.
func (l *common) read(b *connlog.Batch, r connlog.Record, s *connlog.Setup, raw bool, quick *clf) (connlog.Reason, bool) {
	l.rec = b.Text(r.Span)
	if !quick.status.empty() {
		l.clf = *quick
		l.behind(l.rec)
	} else if !l.cut(l.rec, 0, raw) || !l.ident(l.rec) {
		return aside(l.rec), true
	}
	if reason, done := l.begin(b, l.rec, r, s, &l.exchange); done {
		return reason, true
	}
	l.columns(l.rec, l.rest)
	return connlog.Used, false
}

// ordinary reports, after quick, a line whose status alone says that it is of no interest, as nearly all lines of a gateway
// are: what begin would find out, at the price of three comparisons.
func (c *clf) ordinary() bool { return boring(c.answer) }

// quick cuts up a line in the family's commonest spelling as far as its status; it leaves c as it is for any other.
func (c *clf) quick(rec []byte) {
	h := word(rec, 0).to
	if h == 0 || h > 40 || h+36 > len(rec) || string(rec[h:h+6]) != " - - [" || string(rec[h+32:h+35]) != "] \"" {
		return
	}
	from := h + 35
	n := bytes.IndexByte(rec[from:], '"')
	i := from + n
	if n < 1 || i+6 > len(rec) || rec[i-1] == '\\' || rec[i+1] != ' ' || rec[i+5] != ' ' {
		return
	}
	if st, ok := status(rec[i+2 : i+5]); ok {
		c.host, c.time, c.request, c.status, c.answer = piece{0, h}, piece{h + 6, h + 32}, piece{from, i}, piece{i + 2, i + 5}, st
	}
}

// cut reads the line, of which the host begins at from. raw says that quotes inside the request are not escaped, so that
// it ends at the last `" ` before a status.
func (c *clf) cut(rec []byte, from int, raw bool) bool {
	c.host = word(rec, from)
	if c.host.empty() {
		return false
	}
	if h := c.host.to; h+32 < len(rec) && string(rec[h:h+6]) == " - - [" && rec[h+32] == ']' { // by far the commonest
		c.time = piece{h + 6, h + 32}
	} else if h+32 < len(rec) && string(rec[h:h+6]) == " - - [" && rec[h+26] == ']' { // without a zone
		c.time = piece{h + 6, h + 26}
	} else {
		n := bytes.IndexByte(rec[h:], '[')
		if n < 0 {
			return false
		}
		c.time.from = h + n + 1
		if n = bytes.IndexByte(rec[c.time.from:], ']'); n < 0 || n > 40 {
			return false
		}
		c.time.to = c.time.from + n
	}
	q := c.time.to + 2
	if q >= len(rec) || rec[q] != '"' {
		return false
	}
	var ok bool
	if raw {
		c.request, ok = loose(rec, q)
	} else {
		c.request, ok = quoted(rec, q)
	}
	if !ok || c.request.to+2 > len(rec) || rec[c.request.to+1] != ' ' {
		return false
	}
	i := c.request.to + 2
	if i+4 <= len(rec) && rec[i+3] == ' ' && rec[i+1] != ' ' {
		c.status = piece{i, i + 3}
	} else {
		c.status = word(rec, i)
	}
	c.behind(rec)
	return !c.status.empty()
}

// behind reads what follows the status.
func (c *clf) behind(rec []byte) {
	c.size = word(rec, c.status.to+1)
	c.rest = min(c.size.to+1, len(rec))
}

// ident reports whether the identity, which nobody uses, stands after the host as it does in every line of the family: what
// looks like a host is one, and not the first word of a wrapper.
func (c *clf) ident(rec []byte) bool {
	return c.host.to+3 <= len(rec) && string(rec[c.host.to:c.host.to+3]) == " - "
}

// loose finds the quote that ends an unescaped request: the first that a blank, a status of one or three digits and a
// blank or the line's end follow.
func loose(rec []byte, q int) (piece, bool) {
	for at := q + 1; at < len(rec); {
		n := bytes.IndexByte(rec[at:], '"')
		if n < 0 {
			return piece{}, false
		}
		at += n
		if at+1 < len(rec) && rec[at+1] == ' ' {
			if w := word(rec, at+2); w.to-w.from <= 3 {
				if _, ok := status(w.of(rec)); ok {
					return piece{q + 1, at}, true
				}
			}
		}
		at++
	}
	return piece{}, false
}

// fields are the columns after SIZE, in order: quoted, bracketed or bare.
type fields struct {
	at     [16]piece
	quoted uint16 // bit i: column i was quoted
	n      int
}

// columns cuts the rest of a line into at most 16 columns.
func (f *fields) columns(rec []byte, i int) {
	f.n, f.quoted = 0, 0
	for i < len(rec) && f.n < len(f.at) {
		switch rec[i] {
		case ' ':
			i++
			continue
		case '"':
			if i+1 < len(rec) && rec[i+1] == '"' {
				f.at[f.n], f.quoted = piece{i + 1, i + 1}, f.quoted|1<<f.n
				i += 2
				break
			}
			p, ok := quoted(rec, i)
			if !ok {
				return
			}
			f.at[f.n], f.quoted = p, f.quoted|1<<f.n
			i = p.to + 1
		case '[':
			end := bytes.IndexByte(rec[i:], ']')
			if end < 0 {
				return
			}
			f.at[f.n] = piece{i + 1, i + end}
			i += end + 1
		default:
			from := i
			if i+8 <= len(rec) { // most columns are short
				if m := zeros(eight(rec, i) ^ blanks); m != 0 {
					i += bits.TrailingZeros64(m) >> 3
					f.at[f.n] = piece{from, i}
					break
				}
			}
			i = word(rec, i).to
			f.at[f.n] = piece{from, i}
		}
		f.n++
	}
}

func (f *fields) isQuoted(i int) bool { return i < f.n && f.quoted>>i&1 == 1 }

// when reads the stamp into x.
func (c *clf) when(rec []byte, s *connlog.Setup, x *exchange) bool {
	t, n := s.Clock.CLF(c.time.of(rec))
	if n == 0 || n != c.time.to-c.time.from {
		return false
	}
	x.Time, x.Resolution = t.In(s.Zone), t.Resolution
	return true
}

// begin reads what all lines of the family share into x. It returns true with the reason if the line is done with already:
// it does not fit, or it is an ordinary request.
func (c *clf) begin(b *connlog.Batch, rec []byte, r connlog.Record, s *connlog.Setup, x *exchange) (connlog.Reason, bool) {
	st, ok := status(c.status.of(rec))
	if !ok {
		return connlog.BadStatus, true
	}
	if boring(st) {
		return connlog.Ignored, true
	}
	x.fresh()
	x.Status, x.established = st, st == 101
	if !request(rec, c.request, r.Span, x) {
		return connlog.Ignored, true
	}
	if st != 101 && st != 0 && x.upgrade != asked && x.endpoint(b, s) == connlog.NotKnown {
		return connlog.Ignored, true
	}
	if !c.when(rec, s, x) {
		return connlog.BadTime, true
	}
	x.Client, x.ClientSource = c.host.in(r.Span), connlog.Peer
	return connlog.Used, false
}

// switched is the text of 101 Switching Protocols, without which begin tells of no handshake that succeeded.
var switched = []byte(`" 101`)

// boring reports whether a status alone says that the line is of no interest: a success of HTTP that established no
// WebSocket, before anything else of the line has been read.
func boring(status uint16) bool {
	return status >= 200 && status < 300 || status == 304 || status == 426
}
