// Package lax reads single JSON values as the original prototype's validation did (pydantic 2 in lax mode).
//
//	Int    1000  1000.0  1e3  "1000"  " 42 "  "42.0"  "1_000"  "+5"  true (1)  false (0)      not 1000.5, not ""
//	Time   "2026-10-25T10:00:00Z"  "2026-10-25 10:00"  "2026-10-25"  "…:00,123+0900"          none given is UTC
//	       1792922400  1792922400.5  "1792922400"  1792922400000 (ms beyond ±2e10)            years 1 to 9999
//
// The table of 195 measured values in testdata/compat/validation.json is its test. A value beyond int64 is refused,
// where the prototype kept a big integer: the one deliberate difference.
package lax

import (
	"strconv"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/jsonscan"
)

// Int reads a value as a whole number.
func Int(raw []byte) (v int64, ok bool) {
	switch jsonscan.KindOf(raw) {
	case jsonscan.Bool:
		if raw[0] == 't' {
			v = 1
		}
		return v, true
	case jsonscan.Number:
		if v, ok := jsonscan.Int(raw); ok {
			return v, true
		}
		for _, c := range raw {
			if c == '.' || c|0x20 == 'e' {
				return integral(raw)
			}
		}
	case jsonscan.String:
		var buf [64]byte
		return wordInt(text(buf[:0], raw))
	}
	return 0, false
}

// integral reads a number with a fraction or an exponent whose float64 is whole.
func integral(raw []byte) (int64, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(f > -1<<63 && f < 1<<63) || float64(int64(f)) != f {
		return 0, false
	}
	return int64(f), true
}

func text(buf, raw []byte) []byte {
	if jsonscan.Plain(raw) {
		return raw[1 : len(raw)-1]
	}
	return jsonscan.AppendText(buf, raw)
}

// wordInt reads the text of a string: blanks around it, one sign, digits with single underscores between them, and a
// fraction of zeros.
func wordInt(s []byte) (int64, bool) {
	s = trim(s)
	neg := false
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	var u uint64
	for i, c := range s {
		switch {
		case c-'0' <= 9:
			d := uint64(c - '0')
			if u > (1<<63-d)/10 {
				return 0, false
			}
			u = u*10 + d
		case c == '_' && i > 0 && s[i-1] != '_' && i+1 < len(s) && s[i+1]-'0' <= 9:
		case c == '.' && i > 0 && i+1 < len(s):
			for _, z := range s[i+1:] {
				if z != '0' {
					return 0, false
				}
			}
			s = s[:i]
			return signed(u, neg)
		default:
			return 0, false
		}
	}
	if len(s) == 0 {
		return 0, false
	}
	return signed(u, neg)
}

func signed(u uint64, neg bool) (int64, bool) {
	if neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// trim cuts Unicode's White_Space from both ends.
func trim(s []byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if !blank(r) {
			break
		}
		s = s[n:]
	}
	for len(s) > 0 {
		r, n := utf8.DecodeLastRune(s)
		if !blank(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

func blank(r rune) bool {
	switch {
	case r >= 9 && r <= 13, r == ' ', r == 0x85, r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}
