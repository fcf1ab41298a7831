package render

import (
	"strings"

	"github.com/stormlint/stormlint/core/civil"
)

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
