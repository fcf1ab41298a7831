package jsonscan

import "math/bits"

// Fields walks the fields of one object in the order they are written, equal keys included, without allocating:
//
//	f := jsonscan.Fields{Data: data}
//	f.Open(at, 0)
//	for f.Next() {
//		key, value := data[f.KeyAt:f.KeyEnd], data[f.At:f.End]
//	}
//	if f.Bad >= 0 { the text stopped being JSON there }
//	// the object ended at f.Past
//
// The exported fields describe the field that Next found.
type Fields struct {
	Data   []byte // the text; offsets count from its start
	KeyAt  int    // the key's text begins, after its quote
	KeyEnd int    // the key's text ends, at its quote
	At     int    // the value begins
	End    int    // the value has ended
	Plain  bool   // the key is ASCII without escapes: its bytes are its text
	Bad    int    // where the text stopped being JSON, len(Data) if it was cut off; -1 while all is well
	Past   int    // the offset after the closing brace, once Next has returned false and Bad is -1
	pos    int
	depth  int
	first  bool
}

// Open goes to the object that begins at offset at, which depth containers already surround, and reports whether an
// object begins there at all.
func (f *Fields) Open(at, depth int) bool {
	f.Bad, f.pos, f.depth, f.first, f.Past = -1, at+1, depth+1, true, at
	if at >= len(f.Data) || f.Data[at] != '{' || depth >= MaxDepth {
		f.Bad = min(at, len(f.Data))
		return false
	}
	return true
}

// Next finds the next field; false at the closing brace and where the text is bad.
func (f *Fields) Next() bool { return f.Find() && f.Pass() }

// Find goes to the next field's value, at At, without passing it. The caller then passes it by Pass, or reads an object
// there with Fields of its own and goes on behind it by PassTo, so that nothing is walked over twice.
func (f *Fields) Find() bool {
	if f.Bad >= 0 {
		return false
	}
	data := f.Data
	i := f.pos
	for i < len(data) && data[i] <= ' ' && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	if i >= len(data) {
		return f.fail(i)
	}
	if data[i] == '}' {
		f.Past = i + 1
		return false
	}
	if !f.first {
		if data[i] != ',' {
			return f.fail(i)
		}
		i++
		for i < len(data) && data[i] <= ' ' && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
			i++
		}
	}
	f.first = false
	if i >= len(data) || data[i] != '"' {
		return f.fail(i)
	}
	i++
	f.KeyAt = i
	var high uint64
	for i+8 <= len(data) {
		x := load(data, i)
		m := stops(x)
		if m != 0 {
			n := bits.TrailingZeros64(m)
			high |= x & highs & (1<<n - 1)
			i += n >> 3
			break
		}
		high |= x & highs
		i += 8
	}
	for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] >= 0x20 {
		high |= uint64(data[i] & 0x80)
		i++
	}
	f.Plain = high == 0
	if i >= len(data) {
		return f.fail(i)
	}
	if data[i] == '"' {
		i++
	} else {
		f.Plain = false
		if i = skipString(data, i); i < 0 {
			return f.fail(^i)
		}
	}
	f.KeyEnd = i - 1
	i = Space(data, i)
	if i >= len(data) || data[i] != ':' {
		return f.fail(i)
	}
	f.At = Space(data, i+1)
	return true
}

// Pass goes past the value that Find found and sets End; false where the text is bad.
func (f *Fields) Pass() bool {
	i := f.At
	switch {
	case i >= len(f.Data):
		i = ^i
	case f.Data[i] == '"':
		i = skipString(f.Data, i+1)
	case f.Data[i] == '{' || f.Data[i] == '[':
		i = Skip(f.Data, i, f.depth)
	default:
		i = skipScalar(f.Data, i)
	}
	if i < 0 {
		return f.fail(^i)
	}
	f.End, f.pos = i, i
	return true
}

// PassTo goes on behind the value that Find found, of which the caller knows the end.
func (f *Fields) PassTo(end int) { f.End, f.pos = end, end }

// Key is the key's text, unescaped where it must be; it points into Data when Plain, else into a new slice.
func (f *Fields) Key() []byte {
	if f.Plain {
		return f.Data[f.KeyAt:f.KeyEnd]
	}
	return AppendText(nil, f.Data[f.KeyAt-1:f.KeyEnd+1])
}

func (f *Fields) fail(i int) bool {
	f.Bad = i
	return false
}
