package main

import "errors"

var (
	errShort = errors.New("the module ends too early")
	errLong  = errors.New("a section goes on after its end")
)

// reader takes numbers and bytes off a slice; the first shortage is kept in err, and zeros are read from then on.
type reader struct {
	b   []byte
	err error
}

func (r *reader) byte() byte {
	b := r.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.b, r.err = nil, errShort
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// unsigned reads a LEB128 number.
func (r *reader) unsigned() (v uint64) {
	for shift := uint(0); shift < 70; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.err = errors.New("a number of more than ten bytes")
	return 0
}

// signed reads a LEB128 number in two's complement.
func (r *reader) signed() (v int64) {
	for shift := uint(0); shift < 70; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if shift+7 < 64 && c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.err = errors.New("a number of more than ten bytes")
	return 0
}

func appendUnsigned(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendSigned(b []byte, v int64) []byte {
	for v < -0x40 || v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}
