package fleet

import "github.com/stormlint/stormlint/core/fault"

// AppendState appends the counts in a form that depends on what was counted alone: level, number of pages, then per page
// its distance from the one before and its bins, as varints; a zero is followed by how many more zeros there are.
func (c *Counts) AppendState(b []byte) []byte {
	numbers := c.numbers()
	b = append(b, c.level)
	b = appendUnsigned(b, c.total)
	b = appendUnsigned(b, uint64(len(numbers)))
	before := int64(0)
	for _, number := range numbers {
		b = appendSigned(b, number-before)
		before = number
		page := c.pages[number]
		for i := 0; i < pageBins; {
			b = appendUnsigned(b, uint64(page[i]))
			i++
			if page[i-1] > 0 {
				continue
			}
			zeros := i
			for zeros < pageBins && page[zeros] == 0 {
				zeros++
			}
			b = appendUnsigned(b, uint64(zeros-i))
			i = zeros
		}
	}
	return b
}

// ReadCounts reads what AppendState wrote and returns the bytes behind it. Bytes that no AppendState can have written
// are refused with fault.BadState.
func ReadCounts(b []byte) (*Counts, []byte, error) {
	c := &Counts{}
	if len(b) == 0 || b[0] > maxLevel {
		return nil, nil, badState("level")
	}
	c.level = b[0]
	r := cursor{b: b[1:]}
	total := r.unsigned()
	pages := r.unsigned()
	if r.bad || pages > maxPages {
		return nil, nil, badState("pages")
	}
	number := int64(0)
	for p := range pages {
		step := r.signed()
		if p > 0 && step <= 0 {
			r.bad = true
		}
		number += step
		if number > 1<<50 || number < -1<<50 {
			r.bad = true
		}
		seen := false
		for i := uint64(0); i < pageBins && !r.bad; i++ {
			n := r.unsigned()
			if n > 1<<32-1 {
				r.bad = true
			}
			if n == 0 {
				more := r.unsigned()
				if more > pageBins-1-i {
					r.bad = true
				}
				i += more
				continue
			}
			if r.bad {
				break
			}
			seen = true
			c.put(number<<pageBits+int64(i), uint32(n))
		}
		if r.bad || !seen {
			return nil, nil, badState("bins")
		}
	}
	if total < c.total {
		return nil, nil, badState("total")
	}
	c.total = total
	return c, r.b, nil
}

func badState(field string) error {
	return &fault.Error{Code: fault.BadState, Package: "fleet", Field: field, Message: "counts cannot be read"}
}

type cursor struct {
	b   []byte
	bad bool
}

func (r *cursor) unsigned() uint64 {
	var v uint64
	for i, c := range r.b {
		if i == 9 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.bad, r.b = true, nil
	return 0
}

func (r *cursor) signed() int64 {
	u := r.unsigned()
	return int64(u>>1) ^ -int64(u&1)
}

// The varints of encoding/binary, which would bring package reflect into the module.
func appendUnsigned(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendSigned(b []byte, v int64) []byte { return appendUnsigned(b, uint64(v)<<1^uint64(v>>63)) }
