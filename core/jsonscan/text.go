package jsonscan

import "unicode/utf8"

// AppendText appends the text of a JSON string, given with its quotes and already known to be valid JSON (by Skip or
// Fields), as encoding/json decodes it: invalid UTF-8 and halves of surrogate pairs become U+FFFD.
func AppendText(dst, raw []byte) []byte {
	s := raw[1 : len(raw)-1]
	for len(s) > 0 {
		n := 0
		for n < len(s) && s[n] != '\\' && s[n] < utf8.RuneSelf {
			n++
		}
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		if s[0] != '\\' {
			r, size := utf8.DecodeRune(s)
			dst = utf8.AppendRune(dst, r)
			s = s[size:]
			continue
		}
		switch s[1] {
		case 'u':
			r := hex4(s[2:])
			s = s[6:]
			if r >= 0xd800 && r < 0xe000 {
				low := rune(-1)
				if r < 0xdc00 && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					low = hex4(s[2:])
				}
				if low >= 0xdc00 && low < 0xe000 {
					r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
					s = s[6:]
				} else {
					r = utf8.RuneError
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, s[1])
		}
		s = s[2:]
	}
	return dst
}

func hex4(s []byte) rune {
	return rune(hexDigit(s[0])<<12 | hexDigit(s[1])<<8 | hexDigit(s[2])<<4 | hexDigit(s[3]))
}

// Plain reports whether a JSON string, given with its quotes, is ASCII without escapes, so that the bytes between the
// quotes are its text.
func Plain(raw []byte) bool {
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Whole reports whether valid JSON text says exactly what it says: all its bytes are UTF-8 and no escape stands for half
// a surrogate pair. encoding/json reads the other kind with U+FFFD; stricter readers refuse it.
func Whole(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		r := hex4(raw[i+1:])
		i += 4
		if r < 0xd800 || r >= 0xe000 {
			continue
		}
		if r >= 0xdc00 || i+6 >= len(raw) || raw[i+1] != '\\' || raw[i+2] != 'u' {
			return false
		}
		if low := hex4(raw[i+3:]); low < 0xdc00 || low >= 0xe000 {
			return false
		}
		i += 6
	}
	return true
}
