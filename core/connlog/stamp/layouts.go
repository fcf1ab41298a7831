package stamp

import "github.com/stormlint/stormlint/core/civil"

// month reads an English month's three letters, which servers print whatever their locale.
func month(b []byte, i int) int {
	switch uint32(b[i])<<16 | uint32(b[i+1])<<8 | uint32(b[i+2]) {
	case 'J'<<16 | 'a'<<8 | 'n':
		return 1
	case 'F'<<16 | 'e'<<8 | 'b':
		return 2
	case 'M'<<16 | 'a'<<8 | 'r':
		return 3
	case 'A'<<16 | 'p'<<8 | 'r':
		return 4
	case 'M'<<16 | 'a'<<8 | 'y':
		return 5
	case 'J'<<16 | 'u'<<8 | 'n':
		return 6
	case 'J'<<16 | 'u'<<8 | 'l':
		return 7
	case 'A'<<16 | 'u'<<8 | 'g':
		return 8
	case 'S'<<16 | 'e'<<8 | 'p':
		return 9
	case 'O'<<16 | 'c'<<8 | 't':
		return 10
	case 'N'<<16 | 'o'<<8 | 'v':
		return 11
	case 'D'<<16 | 'e'<<8 | 'c':
		return 12
	}
	return 0
}

// Every layout is a minute, which each reads in its own way, and then what all of them share: seconds, a fraction, a zone.

// CLF reads the stamp of the common log format at the start of b, and its kin: 30/Nov/2026:16:46:05 +0000 (Apache,
// nginx), 30/Nov/2026:16:46:05.590 (HAProxy), 30/Nov/2026:13:05:36 (Daphne), 30/Nov/2026 19:07:48 (Werkzeug). It returns
// how many bytes the stamp has, 0 if there is none.
func CLF(b []byte) (t Time, n int) {
	if minute, ok := clfMinute(b); ok {
		return rest(b, 18, minute, spacedZone)
	}
	return t, 0
}

func clfMinute(b []byte) (local int64, ok bool) {
	if len(b) < 20 || b[2] != '/' || b[6] != '/' || (b[11] != ':' && b[11] != ' ') {
		return 0, false
	}
	hi, lo := digits2(b, 7), digits2(b, 9)
	if hi > 99 || lo > 99 {
		return 0, false
	}
	return minuteOf(b, 12, hi*100+lo, month(b, 3), digits2(b, 0))
}

// ISO reads a year-first stamp at the start of b: 2026-11-30T16:46:05.123Z, 2026-11-30 16:46:05,123,
// 2026/11/30 16:46:05.520322, 2026-11-30 19:04:43 +0000. T, t, _ or one blank stands between date and time; a blank
// before the zone is read only if a sign follows it.
func ISO(b []byte) (t Time, n int) {
	if minute, ok := isoMinute(b); ok {
		return rest(b, 17, minute, anyZone)
	}
	return t, 0
}

func isoMinute(b []byte) (local int64, ok bool) {
	if len(b) < 19 || b[4] != b[7] || (b[4] != '-' && b[4] != '/') {
		return 0, false
	}
	switch b[10] {
	case 'T', 't', ' ', '_':
	default:
		return 0, false
	}
	hi, lo := digits2(b, 0), digits2(b, 2)
	if hi > 99 || lo > 99 {
		return 0, false
	}
	return minuteOf(b, 11, hi*100+lo, digits2(b, 5), digits2(b, 8))
}

// Epoch reads a count since 1970 UTC at the start of b, of which the number of whole digits tells the unit: 9 or 10 are
// seconds (2001 to 2286), 12 or 13 milliseconds, 15 or 16 microseconds, 18 or 19 nanoseconds; a decimal fraction may
// follow. The digits are read as they stand, because a float64 holds ns of today only to 256 ns.
func Epoch(b []byte) (t Time, n int) {
	var v int64
	if len(b) >= 8 { // eight digits at once
		if x := word(b, 0) ^ 0x3030303030303030; (x|(x+0x7676767676767676))&0x8080808080808080 == 0 {
			x = x*10 + x>>8
			v = int64(uint32((x&0x000000ff000000ff*0x000f424000000064 + x>>16&0x000000ff000000ff*0x0000271000000001) >> 32))
			n = 8
		}
	}
	for n < len(b) && n < 19 {
		c := b[n] - '0'
		if c > 9 {
			break
		}
		v = v*10 + int64(c)
		n++
	}
	if n < len(b) && b[n]-'0' <= 9 {
		return t, 0
	}
	var unit int64
	switch n {
	case 9, 10:
		unit = civil.Second
	case 12, 13:
		unit = civil.Millisecond
	case 15, 16:
		unit = civil.Microsecond
	case 18, 19:
		unit = 1
	default:
		return t, 0
	}
	if v < 0 || v > 9_000_000_000_000_000_000/unit {
		return t, 0
	}
	t = Time{Local: v * unit, Zoned: true, Resolution: unit}
	if n < len(b) && b[n] == '.' {
		if frac, res, k := fraction(b, n+1); k > 0 {
			per := civil.Second / unit // the fraction is of this unit, not of a second
			t.Local += frac / per
			t.Resolution = max(res/per, 1)
			n += 1 + k
		}
	}
	return t, n
}

// Syslog reads the stamp of RFC 3164 at the start of b, Nov 30 16:46:06 or Dec  9 13:01:26; the year is not printed.
func Syslog(b []byte, year int) (t Time, n int) {
	if len(b) < 15 || b[3] != ' ' || b[6] != ' ' {
		return t, 0
	}
	d := digits2(b, 4)
	if b[4] == ' ' && b[5]-'0' <= 9 {
		d = int(b[5] - '0')
	}
	if year == 0 {
		year = 1970
	}
	if minute, ok := minuteOf(b, 7, year, month(b, 0), d); ok {
		return rest(b, 13, minute, noZone)
	}
	return t, 0
}

// Short reads yymmdd HH:MM:SS at the start of b, as Tornado prints it.
func Short(b []byte) (t Time, n int) {
	if minute, ok := shortMinute(b); ok {
		return rest(b, 13, minute, bareSeconds)
	}
	return t, 0
}

func shortMinute(b []byte) (local int64, ok bool) {
	if len(b) < 15 || b[6] != ' ' {
		return 0, false
	}
	y := digits2(b, 0)
	if y > 99 {
		return 0, false
	}
	return minuteOf(b, 7, 2000+y, digits2(b, 2), digits2(b, 4))
}

// OfDay reads HH:MM:SS.mmm at the start of b, the time of a day that the log does not name.
func OfDay(b []byte, day int64) (t Time, n int) {
	if ns, ok := clock(b, 0); ok {
		return rest(b, 6, day*civil.Day+ns, noZone)
	}
	return t, 0
}

// Any reads the whole of b as an ISO, CLF or epoch stamp, or as languages print one by themselves (see written.go). Layouts whose
// day and month could be exchanged are refused.
func Any(b []byte) (t Time, ok bool) {
	n := 0
	switch {
	case len(b) > 5 && (b[4] == '-' || b[4] == '/'):
		if t, n = ISO(b); n != len(b) {
			t, n = named(b, t, n)
		}
	case len(b) > 3 && b[2] == '/':
		t, n = CLF(b)
	case len(b) > 3 && b[1] == '.':
		t, n = float(b)
	case len(b) > 3 && b[3] == ',':
		t, n = mail(b)
	default:
		t, n = Epoch(b)
	}
	return t, n > 0 && n == len(b)
}

// minuteOf is the local instant of HH:MM at b[i:] of a date.
func minuteOf(b []byte, i, year, month, day int) (local int64, ok bool) {
	days, ok := date(year, month, day)
	if !ok {
		return 0, false
	}
	ns, ok := clock(b, i)
	return days*civil.Day + ns, ok
}

// zoning says what a layout may print behind the seconds.
type zoning uint8

const (
	bareSeconds zoning = iota // nothing that belongs to the stamp
	noZone                    // a fraction
	spacedZone                // a fraction; a zone after a blank
	anyZone                   // a fraction; a zone at once, or after a blank if a sign follows it
)

// rest reads the seconds at b[i:] and what may follow, of a minute's local instant. A leap second :60 is the following
// second.
func rest(b []byte, i int, minute int64, may zoning) (t Time, n int) {
	if len(b) < i+2 {
		return t, 0
	}
	s := digits2(b, i)
	if s > 60 {
		return t, 0
	}
	t = Time{Local: minute + int64(s)*civil.Second, Resolution: civil.Second}
	n = i + 2
	if n == len(b) || may == bareSeconds {
		return t, n
	}
	if b[n] == '.' || b[n] == ',' {
		if frac, res, k := fraction(b, n+1); k > 0 {
			t.Local, t.Resolution, n = t.Local+frac, res, n+1+k
		}
	}
	switch {
	case n == len(b):
	case may == spacedZone && b[n] == ' ':
		if off, k := zone(b, n+1); k > 0 {
			t.Offset, t.Zoned, n = off, true, n+1+k
		}
	case may == anyZone:
		at := n
		if at+1 < len(b) && b[at] == ' ' && (b[at+1] == '+' || b[at+1] == '-') {
			at++
		}
		if off, k := zone(b, at); k > 0 && (at == n || k >= 5) {
			t.Offset, t.Zoned, n = off, true, at+k
		}
	}
	return t, n
}
