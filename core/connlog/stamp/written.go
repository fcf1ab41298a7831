package stamp

import "github.com/stormlint/stormlint/core/civil"

// What languages print by themselves where nobody chose a layout, and what the one stamp of a JSON field may therefore be:
//
//	2026-11-30 16:46:05 UTC                     Ruby
//	2026-11-30 16:46:05.5 +0100 CET m=+0.01     Go
//	Mon, 30 Nov 2026 16:46:05 GMT               HTTP's own, JavaScript's toUTCString
//	1.796057165123E9                            Java, a float64 of seconds or milliseconds
//
// An abbreviation of a zone says nothing behind its offset, and CET without one is refused: it is not known where nobody
// says it.

// named reads what stands behind an ISO stamp of n bytes: UTC, or the abbreviation of a zone whose offset is known, and the
// reading of Go's monotonic clock.
func named(b []byte, t Time, n int) (Time, int) {
	if n == 0 || n+4 > len(b) || b[n] != ' ' {
		return t, n
	}
	end := n + 1
	for end < len(b) && b[end] >= 'A' && b[end] <= 'Z' {
		end++
	}
	switch word := string(b[n+1 : end]); {
	case word == "UTC" || word == "GMT":
		t.Zoned = true
	case !t.Zoned || len(word) < 2 || len(word) > 5:
		return t, n
	}
	if end+4 <= len(b) && string(b[end:end+3]) == " m=" {
		for end += 4; end < len(b) && (b[end]-'0' <= 9 || b[end] == '.'); {
			end++
		}
	}
	return t, end
}

// mail reads Mon, 30 Nov 2026 16:46:05 GMT, the whole of b.
func mail(b []byte) (t Time, n int) {
	if len(b) != 29 || b[3] != ',' || b[4] != ' ' || b[7] != ' ' || b[11] != ' ' || b[16] != ' ' || string(b[25:]) != " GMT" {
		return t, 0
	}
	hi, lo := digits2(b, 12), digits2(b, 14)
	if hi > 99 || lo > 99 {
		return t, 0
	}
	minute, ok := minuteOf(b, 17, hi*100+lo, month(b, 8), digits2(b, 5))
	if !ok || b[22] != ':' {
		return t, 0
	}
	if t, n = rest(b, 23, minute, noZone); n == 25 {
		t.Zoned = true
		return t, len(b)
	}
	return t, 0
}

// float reads a count since 1970 as a power of ten, the whole of b. Zeros at the end of the digits are not printed, so that
// up to three may be missing; the resolution says so.
func float(b []byte) (t Time, n int) {
	var digits [40]byte
	if len(b) < 4 || len(b) > 30 || b[0]-'1' > 8 || b[1] != '.' {
		return t, 0
	}
	digits[0] = b[0]
	k, i := 1, 2
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		digits[k] = b[i]
		k++
	}
	if i+1 >= len(b) || b[i]|0x20 != 'e' {
		return t, 0
	}
	if i++; b[i] == '+' {
		i++
	}
	whole := 1
	if x := b[i:]; len(x) == 1 && x[0]-'0' <= 9 {
		whole += int(x[0] - '0')
	} else if len(x) == 2 && digits2(x, 0) <= 18 {
		whole += digits2(x, 0)
	} else {
		return t, 0
	}
	missing := int64(1)
	for ; k < whole; k++ {
		digits[k] = '0'
		missing *= 10
	}
	if missing > 1000 {
		return t, 0
	}
	if k > whole {
		copy(digits[whole+1:], digits[whole:k])
		digits[whole] = '.'
		k++
	}
	if t, n = Epoch(digits[:k]); n != k {
		return t, 0
	}
	t.Resolution = min(t.Resolution*missing, 1000*civil.Second)
	return t, len(b)
}
