// Package jsonwrite appends JSON to a byte slice: the one place that decides how stormlint's output spells a string, a
// number and an instant, so that every environment prints the same bytes.
//
//	b = jsonwrite.Object(b)            {
//	b = jsonwrite.Key(b, "clients")    {"clients":
//	b = jsonwrite.Int(b, 3)            {"clients":3
//	b = jsonwrite.Key(b, "spread")     {"clients":3,"spread":
//	b = jsonwrite.Float(b, 0.5)        {"clients":3,"spread":0.5
//	b = jsonwrite.End(b, '}')          {"clients":3,"spread":0.5}
//
// A comma is set by looking at the last byte: after '{', '[', ':' and ',' none is needed. Output is compact and in the
// order of the calls; it never comes from a map's order. Floats are the shortest decimal that reads back as the same
// value (strconv, 'f' form; 'e' form below 1e-6 and from 1e21 on, as encoding/json and JavaScript do); NaN and infinities
// become null, because JSON has no word for them. Strings escape the quote, the backslash, control characters, and
// U+2028, U+2029, '<', '>' and '&' so that a report can stand inside a script or an HTML page; invalid UTF-8 becomes
// U+FFFD.
package jsonwrite

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/civil"
)

const hex = "0123456789abcdef"

func comma(b []byte) []byte {
	if n := len(b); n > 0 {
		switch b[n-1] {
		case '{', '[', ':', ',', '\n':
			return b
		}
		return append(b, ',')
	}
	return b
}

// Object opens an object as the next value.
func Object(b []byte) []byte { return append(comma(b), '{') }

// Array opens an array as the next value.
func Array(b []byte) []byte { return append(comma(b), '[') }

// End closes the object or array with '}' or ']'.
func End(b []byte, closing byte) []byte { return append(b, closing) }

// Key appends an object's key and its colon; the next call appends the value.
func Key(b []byte, key string) []byte {
	return append(quote(comma(b), key), ':')
}

// Null appends null as the next value.
func Null(b []byte) []byte { return append(comma(b), "null"...) }

// Bool appends true or false as the next value.
func Bool(b []byte, v bool) []byte { return strconv.AppendBool(comma(b), v) }

// Int appends an integer as the next value.
func Int(b []byte, v int64) []byte { return strconv.AppendInt(comma(b), v, 10) }

// Uint appends an unsigned integer as the next value.
func Uint(b []byte, v uint64) []byte { return strconv.AppendUint(comma(b), v, 10) }

// Float appends a number as the next value; null where v is NaN or infinite; negative zero is 0.
func Float(b []byte, v float64) []byte {
	b = comma(b)
	if v != v || v > math.MaxFloat64 || v < -math.MaxFloat64 {
		return append(b, "null"...)
	}
	if v == 0 {
		return append(b, '0')
	}
	form := byte('f')
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		form = 'e'
	}
	b = strconv.AppendFloat(b, v, form, -1, 64)
	if n := len(b); form == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// Fixed appends a number rounded to the given decimals (half to even on the binary value), without trailing zeros; null
// where v is NaN or infinite. It is how measured figures are printed: a mean of 1234.57 ms, not 1234.5699999.
func Fixed(b []byte, v float64, decimals int) []byte {
	b = comma(b)
	if v != v || v > math.MaxFloat64 || v < -math.MaxFloat64 {
		return append(b, "null"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, v, 'f', decimals, 64)
	if decimals > 0 {
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
		if b[len(b)-1] == '.' {
			b = b[:len(b)-1]
		}
	}
	if string(b[start:]) == "-0" {
		b = append(b[:start], '0')
	}
	return b
}

// Millis appends a duration in ns as milliseconds with at most six decimals and no trailing zeros: exact.
func Millis(b []byte, ns int64) []byte {
	b = comma(b)
	u := uint64(ns)
	if ns < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/1_000_000, 10)
	if frac := u % 1_000_000; frac != 0 {
		b = append(b, '.')
		for div := uint64(100_000); frac != 0; div /= 10 {
			b = append(b, byte('0'+frac/div))
			frac %= div
		}
	}
	return b
}

// Time appends an instant as an RFC 3339 string in UTC; resolution as in civil.AppendRFC3339.
func Time(b []byte, ns, resolution int64) []byte {
	return append(civil.AppendRFC3339(append(comma(b), '"'), ns, resolution), '"')
}

// String appends a quoted string as the next value.
func String(b []byte, s string) []byte { return quote(comma(b), s) }

// Bytes is String for a byte slice.
func Bytes(b, s []byte) []byte { return quote(comma(b), s) }

// Raw appends JSON that is already written as the next value.
func Raw(b, json []byte) []byte { return append(comma(b), json...) }

// Strings appends an array of strings as the next value; nil is [].
func Strings(b []byte, list []string) []byte {
	b = Array(b)
	for _, s := range list {
		b = String(b, s)
	}
	return End(b, ']')
}

// plain are the bytes that stand for themselves.
var plain = func() (list [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		list[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return list
}()

func quote[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := decode(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[start:i]...), "\ufffd"...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[start:i]...), '\\', 'u', '2', '0', '2', hex[r&15])
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

func decode[T string | []byte](s T) (rune, int) {
	var four [4]byte
	return utf8.DecodeRune(four[:copy(four[:], s)])
}
