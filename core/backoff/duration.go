package backoff

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/lapse"
)

// longest is the longest duration a policy may name: 100 days, above the timers' limit of 24.9 and exact as a float.
const longest = 100 * 24 * lapse.Hour

const durationForm = `a duration with its unit, such as 500ms, 1.5s or 2m, at most 2400h`

var units = [...]struct {
	word string
	ns   float64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}

// parseDuration reads one or more numbers with units ("1m30s"), "0", and a minus in front. It is rounded to ns.
func parseDuration(s string) (d lapse.Duration, ok bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if s == "0" {
		return 0, true
	}
	total := 0.0
	for first := true; s != "" || first; first = false {
		n := 0
		for n < len(s) && (s[n]-'0' <= 9 || s[n] == '.') {
			n++
		}
		v, err := strconv.ParseFloat(s[:n], 64)
		if err != nil {
			return 0, false
		}
		s = s[n:]
		n = 0
		for n < len(s) && s[n]-'0' > 9 && s[n] != '.' {
			n++
		}
		unit := s[:n]
		s = s[n:]
		known := false
		for _, u := range units {
			if u.word == unit {
				total += float64(v * u.ns)
				known = true
			}
		}
		if !known {
			return 0, false
		}
	}
	total = math.Floor(total + 0.5)
	if total > float64(longest) {
		return 0, false
	}
	if negative {
		total = -total
	}
	return lapse.Duration(total), true
}

// appendDuration writes a duration in the largest of s, ms, us and ns that it fills, with as many decimals as it needs.
func appendDuration(b []byte, d lapse.Duration) []byte {
	if d == 0 {
		return append(b, '0', 's')
	}
	if d < 0 {
		b, d = append(b, '-'), -d
	}
	unit, word := lapse.Nanosecond, "ns"
	switch {
	case d >= lapse.Second:
		unit, word = lapse.Second, "s"
	case d >= lapse.Millisecond:
		unit, word = lapse.Millisecond, "ms"
	case d >= lapse.Microsecond:
		unit, word = lapse.Microsecond, "us"
	}
	b = strconv.AppendInt(b, int64(d/unit), 10)
	if rest := d % unit; rest > 0 {
		b = append(b, '.')
		for part := unit / 10; rest > 0; part /= 10 {
			b = append(b, byte('0'+rest/part))
			rest %= part
		}
	}
	return append(b, word...)
}

func durationText(d lapse.Duration) string { return string(appendDuration(nil, d)) }
