package timeline

import (
	"cmp"
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
)

// Moment is one kept event. Instants are ns since 1970 UTC, spans ns; connlog.None where the log does not say.
type Moment struct {
	Time     int64
	Duration int64 // of a close: the session's life; of a failed attempt: how long it took
	Interval int64 // the wait before the attempt as the log states it
	Late     int64 // the close may have happened up to this much earlier
	Record   int64 // within its part, from 0
	ID       uint64
	Conn     uint64 // Hash of what joins an attempt and its close; 0 for unknown

	Signature uint32 // see Table.Signature
	Count     uint32 // how many equal events it stands for, at least 1
	Part      uint32 // index of Table.Parts

	nth uint32 // its place among the client's stored events; a total order's last resort
}

// earlier is the total order of a client's events: time, source, part, record, then as they were read.
func (t *Table) earlier(a, b *Moment) int {
	if c := cmp.Compare(a.Time, b.Time); c != 0 {
		return c
	}
	if a.Part != b.Part {
		p, q := t.parts[a.Part], t.parts[b.Part]
		return cmp.Or(cmp.Compare(p.Source, q.Source), cmp.Compare(p.Index, q.Index))
	}
	return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.nth, b.nth))
}

// position is what the distances of a chain's next event are counted from.
type position struct {
	time   int64
	record int64
	part   uint32
}

// encoding is one event's bytes on their way; 89 are the most.
type encoding struct {
	bytes [128]byte
	n     uint
}

func (c *encoding) uint(v uint64) {
	n := c.n
	for v >= 0x80 {
		c.bytes[n&127] = byte(v) | 0x80
		v >>= 7
		n++
	}
	c.bytes[n&127] = byte(v)
	c.n = n + 1
}

func (c *encoding) int(v int64) { c.uint(zigzag(v)) }

func (c *encoding) fixed64(v uint64) {
	for range 8 {
		c.bytes[c.n&127] = byte(v)
		v >>= 8
		c.n++
	}
}

// encode puts the event's bytes in the place of what c held and moves the position.
//
//	0, part                      only where the part changes
//	1 + signature
//	zigzag(time/unit − position)
//	zigzag(record − position)
//	duration/unit, interval/unit, late/unit, count − 1, id, conn     those the signature has
func (p *position) encode(c *encoding, m *Moment, s *Signature) []byte {
	c.n = 0
	if m.Part != p.part {
		c.uint(0)
		c.uint(uint64(m.Part))
		p.part, p.record = m.Part, 0
	}
	c.uint(uint64(m.Signature) + 1)
	c.int(inUnits(m.Time, s.unit) - floorUnits(p.time, s.unit)) // may wrap; reading wraps back
	c.int(m.Record - p.record)
	if s.has&hasDuration != 0 {
		c.int(inUnits(m.Duration, s.unit))
	}
	if s.has&hasInterval != 0 {
		c.int(inUnits(m.Interval, s.unit))
	}
	if s.has&^(hasDuration|hasInterval) != 0 {
		if s.has&hasLate != 0 {
			c.int(inUnits(m.Late, s.unit))
		}
		if s.has&hasCount != 0 {
			c.uint(uint64(m.Count - 1))
		}
		if s.has&hasID != 0 {
			c.fixed64(m.ID)
		}
		if s.has&hasConn != 0 {
			c.fixed64(m.Conn)
		}
	}
	p.time, p.record = m.Time, m.Record
	return c.bytes[:c.n&127]
}

// readMoment reads one event from the front of data. Nothing in data is trusted: numbers of signatures and parts are
// checked against the given ones, lengths against what is there.
func (p *position) readMoment(data []byte, signatures []Signature, parts int, m *Moment) (rest []byte, err error) {
	r := reader{data: data}
	number := r.uint()
	for number == 0 && !r.bad {
		part := r.uint()
		if part >= uint64(parts) {
			r.bad = true
			break
		}
		p.part, p.record = uint32(part), 0
		number = r.uint()
	}
	if r.bad || number > uint64(len(signatures)) {
		return nil, errBad("event")
	}
	s := &signatures[number-1]
	unit := units[s.unit]
	*m = Moment{Signature: uint32(number - 1), Part: p.part, Count: 1, Duration: connlog.None, Interval: connlog.None}
	var fields [6]uint64
	r.uints(fields[:2+bits.OnesCount8(uint8(s.has&(hasDuration|hasInterval|hasLate|hasCount)))])
	m.Time = (floorUnits(p.time, s.unit) + signed(fields[0])) * unit
	m.Record = p.record + signed(fields[1])
	next := 2
	if s.has&hasDuration != 0 {
		m.Duration = signed(fields[next]) * unit
		next++
	}
	if s.has&hasInterval != 0 {
		m.Interval = signed(fields[next]) * unit
		next++
	}
	if s.has&hasLate != 0 {
		m.Late = signed(fields[next]) * unit
		next++
	}
	if s.has&hasCount != 0 {
		if fields[next] >= 1<<32-1 {
			r.bad = true
		}
		m.Count = uint32(fields[next]) + 1
	}
	if s.has&hasID != 0 {
		m.ID = r.fixed64()
	}
	if s.has&hasConn != 0 {
		m.Conn = r.fixed64()
	}
	if r.bad {
		return nil, errBad("event")
	}
	p.time, p.record = m.Time, m.Record
	return r.data, nil
}

// reader takes numbers off bytes; after the first thing that is not there, bad is set and every number is 0.
type reader struct {
	data []byte
	bad  bool
}

// uint is one byte mostly, which is taken in line.
func (r *reader) uint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		v := r.data[0]
		r.data = r.data[1:]
		return uint64(v)
	}
	return r.long()
}

func (r *reader) long() uint64 {
	v, n := readUint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// uints reads several numbers in one loop, without a call for each: most of what a table holds is read by it.
func (r *reader) uints(list []uint64) {
	data, at := r.data, 0
	for i := range list {
		var v uint64
		for shift := 0; ; shift += 7 {
			if at == len(data) || shift == 63 && data[at] > 1 {
				clear(list)
				r.bad, r.data = true, nil
				return
			}
			c := data[at]
			at++
			v |= uint64(c&0x7f) << shift
			if c < 0x80 {
				break
			}
		}
		list[i] = v
	}
	r.data = data[at:]
}

func (r *reader) int() int64 { return signed(r.uint()) }

// signed undoes zigzag.
func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func (r *reader) fixed64() uint64 {
	if len(r.data) < 8 {
		r.bad, r.data = true, nil
		return 0
	}
	v := read64(r.data)
	r.data = r.data[8:]
	return v
}

// count reads a number of things of at least size bytes each; more than there is room for is bad.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.data)/size) {
		r.bad, r.data = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count(1)
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func errBad(what string) error {
	return &fault.Error{Code: fault.BadState, Package: "timeline", Message: "the state's " + what + " cannot be read"}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
