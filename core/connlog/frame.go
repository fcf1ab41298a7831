package connlog

import (
	"bytes"
	"math/bits"

	"github.com/stormlint/stormlint/core/jsonscan"
)

// elements finds the elements of a JSON array one after another, by brackets and quotes alone, so that a malformed
// element costs only itself. Its state lives between stretches of input. The text may begin before the array's opening
// bracket, or inside the array at an element boundary; a text that begins with an object is taken as if the bracket stood
// before it.
//
// An element is a bracketed value up to the bracket that closes it, or anything else up to a comma, a closing bracket or
// a line end. A line end inside a string, which JSON does not allow, ends the element: the quote was lost, the file need
// not be. After the array's end another array may begin, or a comma say that the end was none; other text is handed out
// line by line, to be counted.
//
// # Finding the next element again
//
// One quote or bracket too many or too few would make the rest of a one-line array a single element. Two rules end the
// element early, each only where what was read is no JSON whatever follows, so that a sound element is never cut:
//
//  1. A { ends the element before it where no value may begin: in an object it must follow a colon, in an array a comma or
//     the opening bracket. {"a":1,{"b":2} are two elements, the first of them broken.
//  2. A quote that opens after a value, or a string that anything but , : } ] follows, has lost its partner: the element is
//     broken, and inside and outside of strings may be exchanged. From there on a comma and a { end it, wherever they stand.
//
// The broken element is lost, at times its neighbour, or it leaves crumbs that count as records of their own; then the
// reader is back in step. Both rules look back only, so that chunks, parts and engines agree.
type elements struct {
	depth  int    // brackets open inside the current element
	kinds  uint64 // bit n-1: the n-th open one is a brace
	in     bool   // inside an element
	text   bool   // inside a string
	slash  bool   // after a backslash in a string
	bare   bool   // the element is no bracketed value
	begun  bool   // past the array's opening bracket
	ended  bool   // past its closing bracket
	comma  bool   // a comma took the end back; no element has begun since
	broken bool   // the current element is no JSON: quotes tell nothing
	prev   byte   // the last byte of it outside strings that is no white space, a string's closing quote included
	last   byte   // in a broken element, the same inside and outside of strings

	closed bool // the last element found ended with a bracket of its own
}

// find looks in data from i on, and reports the element's stretch within it: start is where the element begins (i itself
// when it began before), end where it ends, or -1 when it goes on beyond data. start is len(data) when none begins.
func (e *elements) find(data []byte, i int) (start, end int) {
	start = i
	if !e.in {
		for ; ; i++ {
			if i >= len(data) {
				return len(data), -1
			}
			c := data[i]
			if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
				continue
			}
			if c == ',' {
				if e.ended {
					e.ended, e.comma = false, true
				}
				continue
			}
			if !e.begun && (c == 0xef || c == 0xbb || c == 0xbf) {
				continue // a byte order mark
			}
			if c == '[' && (!e.begun || e.ended || e.comma) {
				e.begun, e.ended, e.comma = true, false, false
				continue
			}
			if c == ']' && e.begun && !e.ended {
				e.ended = true
				continue
			}
			e.begun = e.begun || c == '{'
			break
		}
		start = i
		e.in, e.depth, e.text, e.slash, e.closed = true, 0, false, false, false
		e.comma, e.broken, e.prev, e.last = false, false, 0, 0
		e.bare = e.ended || !e.begun || data[i] != '{' && data[i] != '['
	}
	for i < len(data) {
		c := data[i]
		if e.broken && c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			if c == '{' && e.last == ',' && e.begun && !e.ended {
				e.in = false
				return start, i
			}
			e.last = c
		}
		if e.text {
			if e.slash {
				e.slash = false
				if c != '\n' {
					i++
					continue
				}
			}
			if !e.broken {
				i = plain(data, i)
				if i == len(data) {
					break
				}
			}
			switch data[i] {
			case '"':
				e.text, e.prev = false, '"'
			case '\\':
				e.slash = true
			case '\n':
				e.in = false
				return start, i
			}
			i++
			continue
		}
		switch c {
		case ' ', '\t', '\r':
			i++
			continue
		case '\n':
			if e.bare {
				e.in = false
				return start, i
			}
			i++
			continue
		case '"':
			switch e.prev {
			case 0, '{', '[', ',', ':':
			default:
				e.breaks(c)
			}
			e.text = true
		case '{', '[':
			if e.misplaced() {
				if c == '{' && e.begun && !e.ended {
					e.in = false
					return start, i
				}
				e.breaks(c)
			}
			e.depth++
			if e.depth >= 1 && e.depth <= 64 {
				bit := uint64(1) << (e.depth - 1)
				if e.kinds &^= bit; c == '{' {
					e.kinds |= bit
				}
			}
		case '}', ']':
			if e.bare && c == ']' && e.depth == 0 && !e.ended {
				e.in = false
				return start, i
			}
			e.depth--
			if !e.bare && e.depth <= 0 {
				e.in, e.closed = false, true
				return start, i + 1
			}
		case ',':
			if e.bare && e.depth <= 0 && !e.ended {
				e.in = false
				return start, i
			}
		case ':':
		default:
			if e.prev == '"' {
				e.breaks(c)
			}
		}
		e.prev = c
		i++
	}
	return start, -1
}

// breaks says that the current element is no JSON, as c shows.
func (e *elements) breaks(c byte) {
	if !e.broken {
		e.broken, e.last = true, c
	}
}

// misplaced reports whether no value may begin here.
func (e *elements) misplaced() bool {
	switch {
	case e.depth > 64:
		return false // what holds it is not known
	case e.depth < 1:
		return e.prev != 0
	case e.kinds&(1<<(e.depth-1)) != 0:
		return e.prev != ':'
	}
	return e.prev != ',' && e.prev != '['
}

// plain is the offset of the next quote, backslash or line feed at or after i, or len(data).
func plain(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := special(word8(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] != '\n' {
		i++
	}
	return i
}

// special marks, with its high bit, the first quote, backslash or line feed in x; marks above the first may be wrong.
func special(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	q, s, n := x^0x22*ones, x^0x5c*ones, x^0x0a*ones
	return ((q-ones)&^q | (s-ones)&^s | (n-ones)&^n) & highs
}

// Boundary moves a cut of the input that begins with data[0] to the first record boundary at or after offset at: the
// offset at which the second part may begin, len(data) if there is none. An input that cannot be split has no boundary
// inside. For an array the walk starts at data[0], which must be the input's beginning or an earlier boundary.
func Boundary(p *Plan, data []byte, at int) int {
	if at <= 0 {
		return 0
	}
	if at >= len(data) || !p.Splits() {
		return len(data)
	}
	if p.Framing == Lines {
		if i := bytes.IndexByte(data[at-1:], '\n'); i >= 0 {
			return at + i
		}
		return len(data)
	}
	e := elements{}
	for i := 0; ; {
		_, end := e.find(data, i)
		if end < 0 {
			return len(data)
		}
		i = end
		if e.ended || end < at {
			continue // past the array's end a reader could not tell where it is
		}
		if !e.closed {
			if data[end] == ']' || data[end] == '{' {
				continue
			}
			end++ // the part before must see what ended the element
		}
		return end
	}
}

// Guess is Boundary for a stretch from the middle of an input: data[0] lies anywhere. For lines it is exact, given that
// data begins at least one byte before at. For an array it is the first place at or after at where one object seems to
// end and another to begin; text inside a string can look like that, so whoever reads the part before confirms it by
// Reader.Between at its end, or has to read on. It is -1 where data holds none.
func Guess(p *Plan, data []byte, at int) int {
	if !p.Splits() {
		return -1
	}
	if p.Framing == Lines {
		at = max(at, 1)
		if at > len(data) {
			return -1
		}
		if i := bytes.IndexByte(data[at-1:], '\n'); i >= 0 {
			return at + i
		}
		return -1
	}
	for {
		i := bytes.IndexByte(data[min(at, len(data)):], '}')
		if i < 0 {
			return -1
		}
		at += i + 1
		j := jsonscan.Space(data, at)
		if j == len(data) || data[j] != ',' {
			continue
		}
		if j = jsonscan.Space(data, j+1); j < len(data) && data[j] == '{' {
			return at
		}
	}
}
