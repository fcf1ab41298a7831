package timeline

// Longest texts that are kept, in bytes.
const (
	longestWord = 256
	longestKey  = 512
)

// cut shortens text to at most n bytes without leaving half a character.
func cut(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// appendPattern appends a path with the segments that look like identifiers replaced by "*", so that
// /sockjs-node/513/x7k2a9bq/websocket and its thousand siblings are one path. A segment is an identifier when it is all
// digits, or has at least eight characters with a digit and nothing but letters, digits, "-", "_", "." or "~"; a version
// such as v2 stays.
func appendPattern(b, path []byte) []byte {
	path = cut(path, longestWord)
	for len(path) > 0 {
		end := 0
		for end < len(path) && path[end] != '/' {
			end++
		}
		if identifier(path[:end]) {
			b = append(b, '*')
		} else {
			b = append(b, path[:end]...)
		}
		if end < len(path) {
			b = append(b, '/')
			end++
		}
		path = path[end:]
	}
	return b
}

func identifier(segment []byte) bool {
	digits := 0
	for _, c := range segment {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_', c == '.', c == '~':
		default:
			return false
		}
	}
	return digits > 0 && (digits == len(segment) || len(segment) >= 8)
}
