package format

import (
	"bytes"
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// clock remembers the stamps of a configured format's reader; Match works without a setup.
func clock(s *connlog.Setup) *stamp.Clock {
	if s == nil {
		return new(stamp.Clock)
	}
	return &s.Clock
}

// piece is a stretch of one record by its offsets, end excluded; one that ends before it begins is empty, so that the
// readers can subtract quotes and brackets without asking first.
type piece struct{ from, to int }

func (p piece) of(rec []byte) []byte {
	if p.from >= p.to {
		return nil
	}
	return rec[p.from:p.to]
}

func (p piece) in(s connlog.Span) connlog.Span {
	if p.from >= p.to {
		return connlog.Span{}
	}
	return s.Sub(p.from, p.to-p.from)
}

func (p piece) empty() bool            { return p.from >= p.to }
func (p piece) absent(rec []byte) bool { return p.empty() || p.to-p.from == 1 && rec[p.from] == '-' }
func (p piece) span(rec []byte, s connlog.Span) connlog.Span {
	if p.absent(rec) {
		return connlog.Span{}
	}
	return p.in(s)
}

// eight is the eight bytes at b[i:], the first one lowest; the compiler makes one load of it.
func eight(b []byte, i int) uint64 {
	p := b[i : i+8 : i+8]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 | uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	blanks  = ' ' * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// zeros marks, with its high bit, the lowest zero byte of x; marks above it may be wrong.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// word is the run of bytes from i to the next blank, or to the end.
func word(rec []byte, i int) piece {
	if i >= len(rec) {
		return piece{len(rec), len(rec)}
	}
	at := i
	for ; at+8 <= len(rec); at += 8 {
		if m := zeros(eight(rec, at) ^ blanks); m != 0 {
			return piece{i, at + bits.TrailingZeros64(m)>>3}
		}
	}
	for at < len(rec) && rec[at] != ' ' {
		at++
	}
	return piece{i, at}
}

// quoted is the text between the quote at i and the next quote that no backslash escapes; ok is false without one.
func quoted(rec []byte, i int) (p piece, ok bool) {
	if i >= len(rec) || rec[i] != '"' {
		return p, false
	}
	at := i + 1
	for at+8 <= len(rec) {
		x := eight(rec, at)
		m := zeros(x^quotes) | zeros(x^slashes)
		if m == 0 {
			at += 8
			continue
		}
		if at += bits.TrailingZeros64(m) >> 3; rec[at] == '"' {
			return piece{i + 1, at}, true
		}
		at += 2 // the backslash, and what it escapes
	}
	for ; at < len(rec); at++ {
		switch rec[at] {
		case '"':
			return piece{i + 1, at}, true
		case '\\':
			at++
		}
	}
	return p, false
}

// lastIndex is bytes.LastIndex for a short text whose byte at an offset is rare.
func lastIndex(b []byte, text string, rare int) int {
	for end := len(b); ; {
		i := bytes.LastIndexByte(b[:end], text[rare])
		if i < 0 {
			return -1
		}
		if from := i - rare; from >= 0 && from+len(text) <= len(b) && string(b[from:from+len(text)]) == text {
			return from
		}
		end = i
	}
}

// number reads decimal digits; ok is false for none, for other bytes and beyond 18 digits.
func number(b []byte) (v int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	return v, true
}

// status reads three digits, or a single 0.
func status(b []byte) (uint16, bool) {
	if len(b) == 3 {
		x, y, z := b[0]-'0', b[1]-'0', b[2]-'0'
		if x >= 1 && x <= 9 && y <= 9 && z <= 9 {
			return uint16(x)*100 + uint16(y)*10 + uint16(z), true
		}
	}
	if len(b) > 0 && len(b) <= 3 {
		for _, c := range b {
			if c != '0' {
				return 0, false
			}
		}
		return 0, true
	}
	return 0, false
}

// decimal reads 12, 12.5 or .5 in units of unit ns, exactly where the digits allow it; -1 (a proxy's "never") and an
// absent "-" are not ok.
func decimal(b []byte, unit int64) (ns int64, ok bool) {
	i := 0
	var v int64
	for i < len(b) && b[i]-'0' <= 9 {
		if v > 900_000_000_000_000_000 {
			return 0, false
		}
		v = v*10 + int64(b[i]-'0')
		i++
	}
	whole := i
	if v > (1<<62)/unit {
		return 0, false
	}
	ns = v * unit
	if i < len(b) && b[i] == '.' {
		i++
		step := unit
		for i < len(b) && b[i]-'0' <= 9 {
			step /= 10
			ns += int64(b[i]-'0') * step
			i++
		}
		if i == whole+1 && whole == 0 {
			return 0, false
		}
	}
	return ns, i == len(b) && i > 0
}

// goDuration reads a duration as Go prints it: 1h2m3.5s, 501.015831ms, 92.468µs; also 30.003421s.
func goDuration(b []byte) (ns int64, ok bool) {
	for len(b) > 0 {
		i := 0
		for i < len(b) && (b[i]-'0' <= 9 || b[i] == '.') {
			i++
		}
		if i == 0 {
			return 0, false
		}
		var unit int64
		n := 1
		switch rest := b[i:]; {
		case bytes.HasPrefix(rest, []byte("ms")):
			unit, n = 1e6, 2
		case bytes.HasPrefix(rest, []byte("µs")), bytes.HasPrefix(rest, []byte("μs")):
			unit, n = 1e3, 3
		case bytes.HasPrefix(rest, []byte("us")):
			unit, n = 1e3, 2
		case bytes.HasPrefix(rest, []byte("ns")):
			unit, n = 1, 2
		case len(rest) > 0 && rest[0] == 's':
			unit = 1e9
		case len(rest) > 0 && rest[0] == 'm':
			unit = 60e9
		case len(rest) > 0 && rest[0] == 'h':
			unit = 3600e9
		default:
			return 0, false
		}
		v, good := decimal(b[:i], unit)
		if !good {
			return 0, false
		}
		ns += v
		if ns < 0 {
			return 0, false
		}
		b = b[i+n:]
		ok = true
	}
	return ns, ok
}

// peer splits ip:port at the last colon, which is right for servers that always print a port and never brackets, and
// takes brackets off; port is 0 if there is none.
func peer(rec []byte, p piece) (host piece, port uint16) {
	if p.from < p.to && rec[p.from] == '[' {
		if n := bytes.IndexByte(p.of(rec), ']'); n > 0 {
			host = piece{p.from + 1, p.from + n}
			if v, ok := number(rec[min(p.from+n+2, p.to):p.to]); ok && v < 65536 {
				port = uint16(v)
			}
			return host, port
		}
	}
	if n := bytes.LastIndexByte(p.of(rec), ':'); n >= 0 {
		if v, ok := number(rec[p.from+n+1 : p.to]); ok && v < 65536 {
			return piece{p.from, p.from + n}, uint16(v)
		}
	}
	return p, 0
}
