package lax

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/jsonscan"
)

const (
	first     = -62135596800 // 0001-01-01T00:00:00Z, s
	last      = 253402300799 // 9999-12-31T23:59:59Z, s
	watershed = 20_000_000_000
)

// Time reads a value as an instant, in µs since 1970 UTC.
func Time(raw []byte) (us int64, ok bool) {
	switch jsonscan.KindOf(raw) {
	case jsonscan.Number:
		if v, ok := jsonscan.Int(raw); ok {
			return count(v, 0)
		}
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return 0, false
		}
		return float(f)
	case jsonscan.String:
		var buf [64]byte
		s := text(buf[:0], raw)
		if us, ok := iso(s); ok {
			return us, true
		}
		return number(s)
	}
	return 0, false
}

// count reads whole units and millionths of a unit: seconds, or milliseconds where seconds would lie beyond ±2e10.
func count(v, millionths int64) (int64, bool) {
	if v > watershed || v < -watershed {
		if v < first*1000 || v > last*1000+999 {
			return 0, false
		}
		return v*1000 + millionths/1000, true
	}
	if v < first || v > last {
		return 0, false
	}
	return v*1_000_000 + millionths, true
}

func float(f float64) (int64, bool) {
	if !(f > -1<<62 && f < 1<<62) {
		return 0, false
	}
	whole := math.Floor(f)
	return count(int64(whole), int64(math.Floor(float64((f-whole)*1e6)+0.5)))
}

// number reads digits with a sign and a fraction, and nothing else.
func number(s []byte) (int64, bool) {
	digits, dot := s, -1
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		digits = s[1:]
	}
	for i, c := range digits {
		if c == '.' && dot < 0 && i > 0 && i+1 < len(digits) {
			dot = i
		} else if c-'0' > 9 {
			return 0, false
		}
	}
	if len(digits) == 0 {
		return 0, false
	}
	if dot < 0 {
		v, err := strconv.ParseInt(string(s), 10, 64)
		if err != nil {
			return 0, false
		}
		return count(v, 0)
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil {
		return 0, false
	}
	return float(f)
}

// iso reads YYYY-MM-DD, alone or followed by T, t, _ or a blank, HH:MM, optional seconds, an optional fraction after a
// point or a comma (cut to µs), and an optional zone Z, z, ±HH:MM or ±HHMM.
func iso(s []byte) (us int64, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	century, year, month, day := two(s, 0), two(s, 2), two(s, 5), two(s, 8)
	if century < 0 || year < 0 || month < 0 || day < 0 {
		return 0, false
	}
	year += century * 100
	if year == 0 || !civil.Valid(year, month, day) {
		return 0, false
	}
	us = civil.Days(year, month, day) * 86_400_000_000
	if len(s) == 10 {
		return us, true
	}
	if c := s[10]; len(s) < 16 || c != 'T' && c != 't' && c != ' ' && c != '_' || s[13] != ':' {
		return 0, false
	}
	hour, minute, second := two(s, 11), two(s, 14), 0
	i := 16
	if i < len(s) && s[i] == ':' {
		if i+3 > len(s) {
			return 0, false
		}
		second = two(s, 17)
		i = 19
		if i < len(s) && (s[i] == '.' || s[i] == ',') {
			i++
			n, scale := i, int64(100_000)
			for i < len(s) && s[i]-'0' <= 9 {
				us += int64(s[i]-'0') * scale
				scale /= 10
				i++
			}
			if i == n {
				return 0, false
			}
		}
	}
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return 0, false
	}
	us += int64(hour*3600+minute*60+second) * 1_000_000
	if i == len(s) {
		return us, true
	}
	offset, ok := zone(s[i:])
	return us - int64(offset)*60_000_000, ok
}

// zone reads the whole of s as a zone, in minutes east of Greenwich. The typographic minus U+2212 is a minus.
func zone(s []byte) (minutes int, ok bool) {
	sign := 1
	switch {
	case s[0] == 'Z' || s[0] == 'z':
		return 0, len(s) == 1
	case s[0] == '+':
		s = s[1:]
	case s[0] == '-':
		sign, s = -1, s[1:]
	case len(s) > 3 && string(s[:3]) == "\u2212":
		sign, s = -1, s[3:]
	default:
		return 0, false
	}
	if len(s) == 5 && s[2] == ':' {
		s = append(append(make([]byte, 0, 4), s[:2]...), s[3:]...)
	}
	if len(s) != 4 {
		return 0, false
	}
	h, m := two(s, 0), two(s, 2)
	return sign * (h*60 + m), h >= 0 && h < 24 && m >= 0 && m < 60
}

// two reads two digits at s[i], -1 where there are none.
func two(s []byte, i int) int {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}
