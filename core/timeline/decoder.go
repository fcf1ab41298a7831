package timeline

import (
	"math/bits"
	"slices"

	"github.com/stormlint/stormlint/core/connlog"
)

// decoder reads the table's own chains back, which are known to be whole; what comes from elsewhere is read by readMoment,
// which trusts nothing. Finish goes through all that is kept twice and more, so here a number is taken from eight bytes at a
// time and an instant is not divided by its unit again.
type decoder struct {
	list    []Moment
	from    int      // where the client's events begin in list
	numbers []uint32 // of the signatures, where the chain is another table's; nil for one's own
	parts   []uint32
}

// longest is more than an event's bytes, and what may be read behind the last.
const longest = 96

// chain appends the events of a chain's bytes, behind which room must be left to grow.
func (d *decoder) chain(room *[]byte, signatures []Signature) {
	end := len(*room)
	*room = slices.Grow(*room, longest)
	data := (*room)[:end+longest]
	var p position
	var whole int64 // the instant in units of the last event
	last := ^uint8(0)
	for at := 0; at < end; {
		number := uint64(data[at])
		at++
		if number-1 >= 0x7f { // a part, or more signatures than fit in one byte
			at--
			number, at = numeral(data, at)
			for number == 0 {
				var part uint64
				part, at = numeral(data, at)
				p.part, p.record = uint32(part), 0
				number, at = numeral(data, at)
			}
		}
		s := &signatures[number-1]
		var fields [8]uint64
		n := 2 + bits.OnesCount8(uint8(s.has&(hasDuration|hasInterval|hasLate|hasCount)))
		for k := range n {
			x := read64(data[at:])
			stop := ^x & 0x8080808080808080
			if stop == 0 {
				fields[k&7], at = numeral(data, at)
				continue
			}
			x &= stop ^ (stop - 1)
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			fields[k&7] = x&0x000000000fffffff | x&0x0fffffff00000000>>4
			at += bits.TrailingZeros64(stop)>>3 + 1
		}
		if s.unit != last {
			whole, last = floorUnits(p.time, s.unit), s.unit
		}
		whole += signed(fields[0])
		unit := units[last]
		p.time = whole * unit
		p.record += signed(fields[1])

		nth := len(d.list)
		if nth == cap(d.list) {
			d.list = slices.Grow(d.list, 1)
		}
		d.list = d.list[:nth+1]
		m := &d.list[nth]
		m.Time, m.Record, m.Signature, m.Part, m.nth = p.time, p.record, uint32(number-1), p.part, uint32(nth-d.from)
		m.Duration, m.Interval, m.Late, m.ID, m.Conn, m.Count = connlog.None, connlog.None, 0, 0, 0, 1
		if d.numbers != nil {
			m.Signature, m.Part = d.numbers[m.Signature], d.parts[m.Part]
		}
		if s.has == 0 {
			continue
		}
		k := 2
		if s.has&hasDuration != 0 {
			m.Duration = signed(fields[2]) * unit
			k = 3
		}
		if s.has&^hasDuration == 0 {
			continue
		}
		if s.has&hasInterval != 0 {
			m.Interval = signed(fields[k]) * unit
			k++
		}
		if s.has&hasLate != 0 {
			m.Late = signed(fields[k]) * unit
			k++
		}
		if s.has&hasCount != 0 {
			m.Count = uint32(fields[k]) + 1
		}
		if s.has&hasID != 0 {
			m.ID = read64(data[at:])
			at += 8
		}
		if s.has&hasConn != 0 {
			m.Conn = read64(data[at:])
			at += 8
		}
	}
}

// numeral takes one number at a place and gives the place behind it.
func numeral(data []byte, at int) (uint64, int) {
	v, n := readUint(data[at:])
	return v, at + n
}
