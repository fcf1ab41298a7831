package stamp

import "github.com/stormlint/stormlint/core/civil"

// Time is what a stamp says. The zero Time is 1970-01-01T00:00:00, exact.
type Time struct {
	Local      int64 // the wall clock as printed, ns since 1970-01-01T00:00:00
	Offset     int32 // s east of Greenwich, if Zoned
	Zoned      bool
	Resolution int64 // the width of what the stamp can mean, ns: 1e9 for whole seconds
}

// In gives the instant: by the printed zone, else by z.
func (t Time) In(z *Zone) int64 {
	if t.Zoned {
		return t.Local - int64(t.Offset)*civil.Second
	}
	return z.UTC(t.Local)
}

// digits2 reads two digits at b[i:]; a result above 99 means that they are none.
func digits2(b []byte, i int) int {
	x, y := b[i]-'0', b[i+1]-'0'
	if x > 9 || y > 9 {
		return 1000
	}
	return int(x)*10 + int(y)
}

// before is the number of days before a month of a common year, length the month's days.
var (
	before = [13]int16{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
	length = [13]int8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
)

// date gives the days of a date as civil.Days does, in fewer steps for the years that a log can mean; false if it does not
// exist or no log can mean it.
func date(y, m, d int) (int64, bool) {
	if y < 1970 || y > 2200 || uint(m-1) > 11 || d < 1 {
		return 0, false
	}
	leap := y&3 == 0 && (y%100 != 0 || y == 2000)
	if d > int(length[m]) && !(leap && m == 2 && d == 29) {
		return 0, false
	}
	n := (y-1970)*365 + (y-1969)/4 + int(before[m]) + d - 1
	if y > 2100 {
		n-- // 2100 has no 29 February
	}
	if leap && m > 2 {
		n++
	}
	return int64(n), true
}

// clock reads HH:MM: at b[i:], which seconds must follow.
func clock(b []byte, i int) (ns int64, ok bool) {
	if len(b) < i+8 || b[i+2] != ':' || b[i+5] != ':' {
		return 0, false
	}
	h, m := digits2(b, i), digits2(b, i+3)
	if h > 23 || m > 59 {
		return 0, false
	}
	return int64(h*60+m) * civil.Minute, true
}

var scale = [10]int64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}

// fraction reads the digits after a decimal point at b[i:], cut to ns.
func fraction(b []byte, i int) (ns, resolution int64, n int) {
	k := 0
	for i+n < len(b) {
		c := b[i+n] - '0'
		if c > 9 {
			break
		}
		if k < 9 {
			ns = ns*10 + int64(c)
			k++
		}
		n++
	}
	return ns * scale[k], scale[k], n
}

// zone reads Z, z, ±hh, ±hhmm or ±hh:mm at b[i:]; n is 0 if there is none.
func zone(b []byte, i int) (offset int32, n int) {
	if i >= len(b) {
		return 0, 0
	}
	sign := int32(1)
	switch b[i] {
	case 'Z', 'z':
		return 0, 1
	case '-':
		sign = -1
	case '+':
	default:
		return 0, 0
	}
	if i+3 > len(b) {
		return 0, 0
	}
	h := digits2(b, i+1)
	if h > 15 {
		return 0, 0
	}
	n, m := 3, 0
	j := i + 3
	if j+3 <= len(b) && b[j] == ':' {
		if m = digits2(b, j+1); m > 59 {
			return 0, 0
		}
		n = 6
	} else if j+2 <= len(b) {
		if v := digits2(b, j); v <= 59 {
			m, n = v, 5
		}
	}
	return sign * int32(h*3600+m*60), n
}
