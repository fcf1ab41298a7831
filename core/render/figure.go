package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/civil"
)

// count spells a whole number with commas: 1,234,567.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	from := 0
	if n < 0 {
		from = 1
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// several spells a number with its noun: "1 client", "2 clients".
func several(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if l := len(noun); noun[l-1] == 's' || noun[l-1] == 'h' {
		return count(n) + " " + noun + "es"
	}
	return count(n) + " " + noun + "s"
}

// percent spells a share of 0 to 1.
func percent(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "under 1 %"
	case share < 1 && share > 0.99:
		return "over 99 %"
	}
	return strconv.FormatFloat(share*100, 'f', 0, 64) + " %"
}

// span spells a stretch of time with about three figures: "38 ms", "1.04 s", "2 min 5 s", "3 h 20 min", "4 days".
func span(ns float64) string {
	switch {
	case ns < 0:
		return "−" + span(-ns)
	case ns < 1e6:
		return figures(ns/1e3) + " µs"
	case ns < 999.5e6:
		return figures(ns/1e6) + " ms"
	case ns < 119.5e9:
		return figures(ns/1e9) + " s"
	case ns < 7200e9:
		return pair(int64(ns/1e9+0.5), 60, "min", "s")
	case ns < 48*3600e9:
		return pair(int64(ns/60e9+0.5), 60, "h", "min")
	}
	return figures(ns/86400e9) + " days"
}

func pair(v, unit int64, big, little string) string {
	s := strconv.FormatInt(v/unit, 10) + " " + big
	if v%unit != 0 {
		s += " " + strconv.FormatInt(v%unit, 10) + " " + little
	}
	return s
}

// figures spells a positive number with three significant figures and no trailing zeros after the point.
func figures(v float64) string {
	decimals := 2
	switch {
	case v >= 99.95:
		decimals = 0
	case v >= 9.995:
		decimals = 1
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
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

// clock spells an instant of a day, "09:00:12", with ms where the resolution is finer than a second and finer is wanted.
func clock(ns int64, fine bool) string {
	resolution := civil.Second
	if fine {
		resolution = civil.Millisecond
	}
	s := string(civil.AppendRFC3339(nil, ns, resolution))
	return s[strings.IndexByte(s, 'T')+1 : len(s)-1]
}

// day spells an instant's date.
func day(ns int64) string {
	s := string(civil.AppendRFC3339(nil, ns, civil.Second))
	return s[:len(s)-len("T00:00:00Z")]
}

// period spells a range of instants in UTC, the second date only where it differs.
func period(from, to int64) string {
	s := day(from) + " " + clock(from, false) + " – "
	if day(from) != day(to) {
		s += day(to) + " "
	}
	return s + clock(to, false) + " UTC"
}
