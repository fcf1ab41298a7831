package timeline

import "math/bits"

// short is what put does for most events: those that have one span or none and nothing rare, whose numbers are small, and for
// which the client's last chunk has room. It writes the bytes that encode would give, eight at a time and without a loop.
func (t *Table) short(c *client, m *Moment, s *Signature) bool {
	// Two stores of eight bytes, in which four numbers of four bytes find place; and a span of one kind, or none.
	if c.room < 16 || m.Part != c.last.part || s.has > hasInterval {
		return false
	}
	number := uint64(m.Signature) + 1
	step := zigzag(inUnits(m.Time, s.unit) - floorUnits(c.last.time, s.unit))
	record := zigzag(m.Record - c.last.record)
	span := uint64(0)
	if s.has == hasDuration {
		span = zigzag(inUnits(m.Duration, s.unit))
	} else if s.has != 0 {
		span = zigzag(inUnits(m.Interval, s.unit))
	}
	if number|step|record|span >= 1<<28 {
		return false
	}
	to := t.slab.at(c.tail)[chunkSize(c.chunks-1)-int(c.room):]
	first, n := spread(number)
	second, k := spread(step)
	put64(to, first|second<<(8*n&63))
	n += k
	first, k = spread(record)
	if s.has != 0 {
		second, l := spread(span)
		first |= second << (8 * k & 63)
		k += l
	}
	put64(to[n:], first)
	n += k
	c.room -= uint16(n)
	c.last.time, c.last.record = m.Time, m.Record
	return true
}

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// spread is the varint of a number below 2²⁸: its bytes, the first one lowest, and how many they are.
func spread(v uint64) (bytes uint64, n uint) {
	n = (uint(bits.Len64(v|1))*9 + 64) >> 6 // of b bits it has ⌈b/7⌉
	const more = 0x80808080
	return v&0x7f | v&(0x7f<<7)<<1 | v&(0x7f<<14)<<2 | v&(0x7f<<21)<<3 | more&(1<<(8*(n-1)&63)-1), n
}
