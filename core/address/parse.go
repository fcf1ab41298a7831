package address

import "bytes"

// Parse reads one address without a port: what netip.ParseAddr accepts, with v4-mapped addresses unmapped and the zone
// of an IPv6 address cut. ok is false for everything else, blanks around it included.
func Parse(text []byte) (a Addr, ok bool) {
	for _, c := range text {
		switch c {
		case '.':
			return parse4(text)
		case ':':
			return parse6(text)
		case '%':
			return Addr{}, false
		}
	}
	return Addr{}, false
}

// parse4 reads four decimal numbers of 0 to 255 without leading zeros.
func parse4(text []byte) (a Addr, ok bool) {
	a[10], a[11] = 0xff, 0xff
	field, value, digits := 0, 0, 0
	for _, c := range text {
		switch {
		case '0' <= c && c <= '9':
			if digits == 1 && value == 0 {
				return Addr{}, false
			}
			value = value*10 + int(c-'0')
			digits++
			if value > 255 {
				return Addr{}, false
			}
		case c == '.':
			if digits == 0 || field == 3 {
				return Addr{}, false
			}
			a[12+field] = byte(value)
			field, value, digits = field+1, 0, 0
		default:
			return Addr{}, false
		}
	}
	if field != 3 || digits == 0 {
		return Addr{}, false
	}
	a[15] = byte(value)
	return a, true
}

// parse6 reads the forms of RFC 4291 section 2.2 and cuts a zone.
func parse6(text []byte) (a Addr, ok bool) {
	if i := bytes.IndexByte(text, '%'); i >= 0 {
		if i == len(text)-1 {
			return Addr{}, false
		}
		text = text[:i]
	}
	gap := -1 // where "::" stood, in bytes of a
	n := 0
	if len(text) >= 2 && text[0] == ':' && text[1] == ':' {
		gap = 0
		text = text[2:]
		if len(text) == 0 {
			return a, true
		}
	}
	for n < 16 {
		digits := 0
		var value uint32
		for digits < len(text) {
			d, isHex := unhex(text[digits])
			if !isHex {
				break
			}
			digits++
			if digits > 4 {
				return Addr{}, false
			}
			value = value<<4 | uint32(d)
		}
		if digits == 0 {
			return Addr{}, false
		}
		if digits < len(text) && text[digits] == '.' {
			if gap < 0 && n != 12 || n > 12 {
				return Addr{}, false
			}
			tail, ok := parse4(text)
			if !ok {
				return Addr{}, false
			}
			n += copy(a[n:], tail[12:])
			text = nil
			break
		}
		a[n], a[n+1] = byte(value>>8), byte(value)
		n += 2
		text = text[digits:]
		if len(text) == 0 {
			break
		}
		if text[0] != ':' || len(text) == 1 {
			return Addr{}, false
		}
		text = text[1:]
		if text[0] == ':' {
			if gap >= 0 {
				return Addr{}, false
			}
			gap = n
			text = text[1:]
			if len(text) == 0 {
				break
			}
		}
	}
	if len(text) != 0 {
		return Addr{}, false
	}
	if n < 16 {
		if gap < 0 {
			return Addr{}, false
		}
		moved := n - gap
		copy(a[16-moved:], a[gap:n])
		clear(a[gap : 16-moved])
	} else if gap >= 0 {
		return Addr{}, false // "::" must stand for at least one group
	}
	return a, true
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
