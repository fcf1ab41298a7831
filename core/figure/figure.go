// Package figure spells figures for people, one way everywhere: 1,234 clients, 2 min 5 s, 38 ms, over 99 %.
//
//	Count(1234567)           1,234,567
//	Several(2, "client")     2 clients
//	Percent(0.004)           under 1 %
//	Span(1.04e9)             1.04 s
//
// Messages of findings and the pages of render use it; JSON has its own exact forms (core/jsonwrite).
package figure

import "strconv"

// Count spells a whole number with commas: 1,234,567.
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// grouped puts a comma before every three digits of a whole number.
func grouped(s string) string {
	from := 0
	if s[0] == '-' {
		from = 1
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Several spells a number with its noun: "1 client", "2 clients".
func Several(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if l := len(noun); noun[l-1] == 's' || noun[l-1] == 'h' {
		return Count(n) + " " + noun + "es"
	}
	return Count(n) + " " + noun + "s"
}

// Percent spells a share of 0 to 1.
func Percent(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "under 1 %"
	case share < 1 && share > 0.99:
		return "over 99 %"
	}
	return strconv.FormatFloat(share*100, 'f', 0, 64) + " %"
}

// Span spells a stretch of time with about three figures: "38 ms", "1.04 s", "2 min 5 s", "3 h 20 min", "4 days".
func Span(ns float64) string {
	switch {
	case ns < 0:
		return "−" + Span(-ns)
	case ns > 0 && ns < 1e3:
		return Decimal(ns) + " ns"
	case ns < 1e6:
		return Decimal(ns/1e3) + " µs"
	case ns < 999.5e6:
		return Decimal(ns/1e6) + " ms"
	case ns < 119.5e9:
		return Decimal(ns/1e9) + " s"
	case ns < 7200e9:
		return pair(int64(ns/1e9+0.5), 60, "min", "s")
	case ns < 48*3600e9:
		return pair(int64(ns/60e9+0.5), 60, "h", "min")
	}
	return Decimal(ns/86400e9) + " days"
}

func pair(v, unit int64, big, little string) string {
	s := strconv.FormatInt(v/unit, 10) + " " + big
	if v%unit != 0 {
		s += " " + strconv.FormatInt(v%unit, 10) + " " + little
	}
	return s
}

// Decimal spells a positive number with three significant figures and no trailing zeros after the point; from a thousand
// on it is a whole number with commas.
func Decimal(v float64) string {
	decimals := 2
	switch {
	case v >= 99.95:
		decimals = 0
	case v >= 9.995:
		decimals = 1
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals == 0 && v < 1e18 {
		return grouped(s)
	}
	if decimals > 0 {
		for s[len(s)-1] == '0' {
			s = s[:len(s)-1]
		}
		if s[len(s)-1] == '.' {
			s = s[:len(s)-1]
		}
	}
	return s
}
