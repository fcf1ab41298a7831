package jsonscan

import "math/bits"

// MaxDepth is how deep arrays and objects may nest, as in encoding/json.
const MaxDepth = 10_000

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load reads eight bytes, lowest address lowest; the compiler makes one load of it.
func load(b []byte, i int) uint64 {
	p := b[i : i+8 : i+8]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

// stops marks, with its high bit, the first byte of x that ends plain string text: a quote, a backslash or a control
// character. Bytes above the first mark may be marked wrongly (a borrow), so only the lowest mark counts.
func stops(x uint64) uint64 {
	quote := x ^ 0x22*ones
	slash := x ^ 0x5c*ones
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-0x20*ones)&^x) & highs
}

// Space is the offset of the first byte at or after i that is not JSON white space; len(data) if there is none.
func Space(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// Skip is the offset just past the value that begins at data[i] (no white space before it), which depth containers
// already surround. Where the text is not JSON, or ends early, the result is negative: ^result is the offset of the
// first byte that does not fit, or len(data).
func Skip(data []byte, i, depth int) int {
	var objects uint64 // bit n-1: the n-th level open here is an object
	level := 0
value:
	if i >= len(data) {
		return ^i
	}
	switch c := data[i]; c {
	case '"':
		if i = skipString(data, i+1); i < 0 {
			return i
		}
	case '{', '[':
		if depth+level >= MaxDepth {
			return ^i
		}
		if level == 64 {
			if i = Skip(data, i, depth+64); i < 0 {
				return i
			}
			goto after
		}
		i = Space(data, i+1)
		if i >= len(data) {
			return ^i
		}
		if c == '{' {
			if data[i] == '}' {
				i++
				goto after
			}
			objects |= 1 << level
			level++
			goto key
		}
		if data[i] == ']' {
			i++
			goto after
		}
		objects &^= 1 << level
		level++
		goto value
	default:
		if i = skipScalar(data, i); i < 0 {
			return i
		}
	}
after:
	if level == 0 {
		return i
	}
	i = Space(data, i)
	if i >= len(data) {
		return ^i
	}
	if objects&(1<<(level-1)) != 0 {
		switch data[i] {
		case ',':
			i = Space(data, i+1)
			goto key
		case '}':
			i++
			level--
			goto after
		}
		return ^i
	}
	switch data[i] {
	case ',':
		i = Space(data, i+1)
		goto value
	case ']':
		i++
		level--
		goto after
	}
	return ^i
key:
	if i >= len(data) || data[i] != '"' {
		return ^i
	}
	if i = skipString(data, i+1); i < 0 {
		return i
	}
	i = Space(data, i)
	if i >= len(data) || data[i] != ':' {
		return ^i
	}
	i = Space(data, i+1)
	goto value
}

// skipString is the offset past the closing quote of the string whose text begins at i; negative as in Skip.
func skipString(data []byte, i int) int {
	for {
		for i+8 <= len(data) {
			if m := stops(load(data, i)); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				goto stop
			}
			i += 8
		}
		for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] >= 0x20 {
			i++
		}
		if i >= len(data) {
			return ^i
		}
	stop:
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(data, i+1); i < 0 {
				return i
			}
		default:
			return ^i
		}
	}
}

// skipEscape is the offset past the escape whose letter is at i.
func skipEscape(data []byte, i int) int {
	if i >= len(data) {
		return ^i
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for j := i + 1; j <= i+4; j++ {
			if j >= len(data) || hexDigit(data[j]) < 0 {
				return ^j
			}
		}
		return i + 5
	}
	return ^i
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// skipScalar is the offset past a number, true, false or null.
func skipScalar(data []byte, i int) int {
	switch data[i] {
	case 't':
		return skipWord(data, i, "true")
	case 'f':
		return skipWord(data, i, "false")
	case 'n':
		return skipWord(data, i, "null")
	}
	return skipNumber(data, i)
}

func skipWord(data []byte, i int, word string) int {
	for k := range len(word) {
		if i+k >= len(data) || data[i+k] != word[k] {
			return ^(i + k)
		}
	}
	return i + len(word)
}

func skipNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	start := i
	if i < len(data) && data[i] == '0' {
		i++
	} else if i = digits(data, i); i == start {
		return ^i
	}
	if i < len(data) && data[i] == '.' {
		start = i + 1
		if i = digits(data, start); i == start {
			return ^i
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		start = i
		if i = digits(data, start); i == start {
			return ^i
		}
	}
	return i
}

func digits(data []byte, i int) int {
	for i < len(data) && data[i]-'0' <= 9 {
		i++
	}
	return i
}

// SkipText is the offset of the quote that ends the string text beginning at data[i], if the text before it is ASCII
// without escapes and control characters; negative otherwise.
func SkipText(data []byte, i int) int {
	for i+8 <= len(data) {
		x := load(data, i)
		if m := stops(x) | x&highs; m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if data[i] == '"' {
				return i
			}
			return -1
		}
		i += 8
	}
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i
		case c < ' ' || c == '\\' || c >= 0x80:
			return -1
		}
	}
	return -1
}
