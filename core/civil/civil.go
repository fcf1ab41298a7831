// Package civil turns instants into calendar dates and back, without a clock, a zone table or the time package.
//
// An instant is an int64: nanoseconds since 1970-01-01T00:00:00Z, which reaches from 1677-09-21 to 2262-04-11. Dates are
// proleptic Gregorian; a day has 86,400 seconds (a leap second :60 is the following second :00). The conversions are the
// era-based integer ones of Howard Hinnant (2013): no loops, no tables, right for every int64 day.
//
//	Days(1970, 1, 1)   = 0         Date(0)      = 1970, 1, 1
//	Days(2026, 11, 30) = 20787     Date(20787)  = 2026, 11, 30
//
// Why not package time: the module must stay small, and a log's timestamp is read a hundred million times.
package civil

// The units of an instant.
const (
	Microsecond int64 = 1_000
	Millisecond int64 = 1_000_000
	Second      int64 = 1_000_000_000
	Minute            = 60 * Second
	Hour              = 60 * Minute
	Day               = 24 * Hour
)

// Days counts the days from 1970-01-01 to the date; month 1–12 and day 1–31 are the caller's to check (see Valid).
func Days(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	m := int64(month)
	if m > 2 {
		m -= 3
	} else {
		m += 9
	}
	doy := (153*m+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// Date is the inverse of Days.
func Date(days int64) (year, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d := doy - (153*mp+2)/5 + 1
	m := mp + 3
	if m > 12 {
		m -= 12
	}
	y := yoe + era*400
	if m <= 2 {
		y++
	}
	return int(y), int(m), int(d)
}

// Valid reports whether the date exists in the Gregorian calendar.
func Valid(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return day <= last
}

// AppendRFC3339 appends the instant in UTC with as many decimals as the resolution (in ns) needs: none for a second or
// more, 3, 6 or 9 below; 0 means 9 decimals with trailing groups of three zeros cut.
func AppendRFC3339(b []byte, ns, resolution int64) []byte {
	sec := floorDiv(ns, Second)
	frac := ns - sec*Second
	days := floorDiv(sec, 86400)
	s := sec - days*86400
	y, m, d := Date(days)
	b = digits(b, y, 4)
	b = digits(append(b, '-'), m, 2)
	b = digits(append(b, '-'), d, 2)
	b = digits(append(b, 'T'), int(s/3600), 2)
	b = digits(append(b, ':'), int(s/60%60), 2)
	b = digits(append(b, ':'), int(s%60), 2)
	places := 0
	switch {
	case resolution == 0:
		switch {
		case frac == 0:
		case frac%Millisecond == 0:
			places = 3
		case frac%Microsecond == 0:
			places = 6
		default:
			places = 9
		}
	case resolution >= Second:
	case resolution >= Millisecond:
		places = 3
	case resolution >= Microsecond:
		places = 6
	default:
		places = 9
	}
	if places > 0 {
		v := frac
		for i := places; i < 9; i++ {
			v /= 10
		}
		b = digits(append(b, '.'), int(v), places)
	}
	return append(b, 'Z')
}

func digits(b []byte, v, width int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	n := len(b)
	for range width {
		b = append(b, '0')
	}
	for i := n + width - 1; i >= n; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return b
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
