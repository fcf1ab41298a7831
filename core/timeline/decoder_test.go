package timeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// The reader of own chains gives what readMoment gives, the slow one that trusts nothing: with numbers of every length, all
// sets of fields, units that change, and parts that change.
func TestDecoder(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	span := func(unit int64) int64 { return (r.Int64() >> r.IntN(63)) / unit * unit * int64(1-2*r.IntN(2)) }
	for range 300 {
		var signatures []Signature
		for range 1 + r.IntN(300) {
			signatures = append(signatures, Signature{unit: uint8(r.IntN(len(units))), has: flags(r.IntN(allFlags + 1))})
		}
		var p position
		var coding encoding
		var data []byte
		var want []Moment
		for range r.IntN(50) {
			n := r.IntN(len(signatures))
			s := &signatures[n]
			unit := units[s.unit]
			m := Moment{Time: span(unit), Duration: connlog.None, Interval: connlog.None, Record: span(1), Signature: uint32(n), Part: r.Uint32N(2), Count: 1}
			if s.has&hasDuration != 0 {
				m.Duration = span(unit)
			}
			if s.has&hasInterval != 0 {
				m.Interval = span(unit)
			}
			if s.has&hasLate != 0 {
				m.Late = span(unit)
			}
			if s.has&hasCount != 0 {
				m.Count = 1 + r.Uint32()>>1
			}
			if s.has&hasID != 0 {
				m.ID = r.Uint64()
			}
			if s.has&hasConn != 0 {
				m.Conn = r.Uint64()
			}
			data = append(data, p.encode(&coding, &m, s)...)
		}
		p = position{}
		for rest := data; len(rest) > 0; {
			var m Moment
			var err error
			if rest, err = p.readMoment(rest, signatures, 2, &m); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			m.nth = uint32(len(want))
			want = append(want, m)
		}
		room := slices.Clone(data)
		d := decoder{list: slices.Repeat([]Moment{{Late: 7, ID: 7, Conn: 7}}, len(want))[:0]} // what was there before must not show
		d.chain(&room, signatures)
		if !slices.Equal(d.list, want) {
			t.Fatalf("seed %d: %d events\n%+v\nwant\n%+v", seed, len(want), d.list, want)
		}
	}
}

// order gives what sorting gives, however many stretches in order there are.
func TestOrder(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	table := &Table{parts: []Part{{1, 1}, {0, 2}, {0, 1}}}
	for range 3000 {
		var list []Moment
		for range r.IntN(2 * mostRuns) {
			at := r.Int64N(100)
			for range r.IntN(12) {
				at += r.Int64N(4)
				list = append(list, Moment{Time: at, Part: r.Uint32N(3), Record: r.Int64N(3), nth: uint32(len(list))})
			}
		}
		from := r.IntN(len(list) + 1)
		want := slices.Clone(list)
		slices.SortFunc(want[from:], func(a, b Moment) int { return table.earlier(&a, &b) })
		if got := table.order(slices.Clip(list), from); !slices.Equal(got, want) {
			t.Fatalf("seed %d, from %d: %+v\nwant %+v", seed, from, got, want)
		}
	}
}
