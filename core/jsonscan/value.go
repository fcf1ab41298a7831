package jsonscan

import "strconv"

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of value; None is the kind of no bytes, and of bytes that begin no value.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	List
	Map
)

// KindOf tells a value's kind from its first byte.
func KindOf(value []byte) Kind {
	if len(value) == 0 {
		return None
	}
	switch c := value[0]; c {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return List
	case '{':
		return Map
	default:
		if c == '-' || c-'0' <= 9 {
			return Number
		}
	}
	return None
}

// Int reads a JSON number that is written as an integer; ok is false for any other value and beyond int64.
func Int(value []byte) (v int64, ok bool) {
	if KindOf(value) != Number {
		return 0, false
	}
	neg := value[0] == '-'
	s := value
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range s {
		if c-'0' > 9 {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	if neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// Float reads a JSON number as the nearest float64; ok is false for any other value and beyond the range of float64.
func Float(value []byte) (v float64, ok bool) {
	if KindOf(value) != Number {
		return 0, false
	}
	if len(value) <= 15 {
		if i, ok := Int(value); ok && i != 0 {
			return float64(i), true
		}
	}
	v, err := strconv.ParseFloat(string(value), 64)
	return v, err == nil
}

// Text reads a JSON string; ok is false for any other value.
func Text(value []byte) (s string, ok bool) {
	if KindOf(value) != String {
		return "", false
	}
	if Plain(value) {
		return string(value[1 : len(value)-1]), true
	}
	return string(AppendText(nil, value)), true
}
