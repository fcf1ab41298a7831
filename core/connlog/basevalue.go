package connlog

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog/lax"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// instant reads a timestamp of the base form: everything that compat mode reads, counts of µs and ns besides, and a
// fraction to the ns. width is the resolution as printed, in ns.
func instant(raw []byte, s *Setup) (ns, width int64, ok bool) {
	text := raw
	if jsonscan.KindOf(raw) == jsonscan.String {
		if text = raw[1 : len(raw)-1]; !jsonscan.Plain(raw) {
			text = jsonscan.AppendText(nil, raw)
		}
	}
	dated := len(text) > 5 && text[4] == '-'
	if !dated && len(text) >= 15 {
		if v, ok := jsonscan.Int(text); ok && v > 0 { // a count whose digits tell the unit
			switch len(text) {
			case 15, 16:
				return v * 1000, civil.Microsecond, v < math.MaxInt64/1000
			case 18, 19:
				return v, 1, true
			}
			return 0, 0, false
		}
	}
	us, ok := lax.Time(raw)
	if !ok || us > math.MaxInt64/1000-86400e6 || us < math.MinInt64/1000+86400e6 {
		return 0, 0, false
	}
	ns = us * 1000
	if !dated {
		width = civil.Microsecond
		if v, ok := jsonscan.Int(text); ok {
			if width = civil.Second; v > 20_000_000_000 || v < -20_000_000_000 {
				width = civil.Millisecond
			}
		}
		return ns, width, true
	}
	i := 10
	zoned := false
	switch {
	case len(text) == 10:
		width = civil.Day
	case len(text) < 19 || text[16] != ':':
		width, i = civil.Minute, 16
	case len(text) > 19 && (text[19] == '.' || text[19] == ','):
		width = civil.Second
		for i = 20; i < len(text) && text[i]-'0' <= 9; i++ {
			if width /= 10; width > 0 && width < civil.Microsecond {
				ns += int64(text[i]-'0') * width
			}
		}
		width = max(width, 1)
	default:
		width, i = civil.Second, 19
	}
	zoned = i < len(text)
	if !zoned && s != nil {
		ns = s.Zone.UTC(ns)
	}
	return ns, width, true
}

// millis reads a number of milliseconds, or a string that holds one, as ns: exactly where it is written with at most six
// decimals. null and an absent value are None.
func millis(raw []byte) (ns int64, ok bool) {
	switch jsonscan.KindOf(raw) {
	case jsonscan.None, jsonscan.Null:
		return None, true
	case jsonscan.String:
		raw = raw[1 : len(raw)-1]
		if end := jsonscan.Skip(raw, 0, 0); jsonscan.KindOf(raw) != jsonscan.Number || end != len(raw) {
			return 0, false
		}
	case jsonscan.Number:
	default:
		return 0, false
	}
	if ns, ok := decimal(raw); ok {
		return ns, true
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	v *= 1e6
	if err != nil || !(math.Abs(v) < 9.2e18) {
		return 0, false
	}
	return int64(math.Floor(v + 0.5)), true
}

// decimal reads digits with at most six decimals, scaled by 10⁶.
func decimal(raw []byte) (v int64, ok bool) {
	i, neg := 0, false
	if len(raw) > 0 && raw[0] == '-' {
		i, neg = 1, true
	}
	places := -1
	for ; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c-'0' <= 9:
			if v > 9e17 || places == 6 {
				return 0, false
			}
			v = v*10 + int64(c-'0')
			if places >= 0 {
				places++
			}
		case c == '.' && places < 0:
			places = 0
		default:
			return 0, false
		}
	}
	for n := max(places, 0); n < 6; n++ {
		if v > 9e17 {
			return 0, false
		}
		v *= 10
	}
	if neg {
		v = -v
	}
	return v, true
}

// number reads a whole number or a string that holds one; null and an absent value are 0, negative ones are refused.
func number(raw []byte) (v int64, ok bool) {
	switch jsonscan.KindOf(raw) {
	case jsonscan.None, jsonscan.Null:
		return 0, true
	case jsonscan.String:
		raw = raw[1 : len(raw)-1]
		if len(raw) == 0 {
			return 0, true
		}
	}
	v, ok = jsonscan.Int(raw)
	return v, ok && v >= 0
}
