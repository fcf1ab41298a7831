package compat

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/timeline"
)

const stateMark = "stormlint/compat/1\n"

// State ends the part and gives everything collected, merged parts included, as bytes that Merge takes.
func (a *Accumulator) State() []byte {
	a.close()
	w := writer{append([]byte(nil), stateMark...)}
	w.uint(uint64(1 + len(a.others)))
	w.piece(&a.here)
	for i := range a.others {
		w.piece(&a.others[i])
	}
	all := a.tables()
	w.uint(uint64(all.count()))
	var key []byte
	for _, t := range all.list {
		for place := range t.n {
			key = t.key(key[:0], place)
			w.text(key)
			w.uint(t.at(place).first)
			s := t.sums(place)
			for _, v := range [...]uint64{s.total, s.n, s.lo<<1 ^ uint64(int64(s.lo)>>63), s.hi + s.lo>>63, s.sq[0], s.sq[1], s.sq[2]} {
				w.uint(v)
			}
		}
	}
	return w.b
}

// Merge takes the state of other parts, in any order. Bytes that are no state are refused and change nothing.
func (a *Accumulator) Merge(state []byte) error {
	r := reader{b: state}
	if !r.mark(stateMark) {
		return r.fault()
	}
	var others []piece
	for n := r.count(5); n > 0; n-- {
		others = append(others, r.piece())
	}
	start := r
	for pass := range 2 {
		r = start
		for n := r.count(9); n > 0; n-- {
			key := r.text()
			first := r.uint()
			var s sums
			s.total, s.n = r.uint(), r.uint()
			z := r.uint()
			s.lo = z>>1 ^ -(z & 1)
			s.hi = r.uint() - s.lo>>63
			for i := range s.sq {
				s.sq[i] = r.uint()
			}
			if r.bad {
				return r.fault()
			}
			if pass == 1 {
				place := a.table.find(key)
				if e := a.table.at(place); e.total == 0 || first < e.first {
					e.first = first
				}
				a.table.merge(place, &s)
			}
		}
		if r.bad || len(r.b) > 0 {
			return r.fault()
		}
	}
	a.others = append(a.others, others...)
	return nil
}

type writer struct{ b []byte }

func (w *writer) uint(v uint64) {
	for v >= 0x80 {
		w.b = append(w.b, byte(v)|0x80)
		v >>= 7
	}
	w.b = append(w.b, byte(v))
}

func (w *writer) text(s []byte) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) piece(p *piece) {
	flags := uint64(p.framing) | uint64(p.first)<<4 | uint64(p.last)<<8
	if p.hollow {
		flags |= 2
	}
	if p.bad != nil {
		flags |= 4
	}
	for _, v := range [...]uint64{uint64(p.part.Source), uint64(p.part.Index), flags, uint64(p.records), uint64(p.lines)} {
		w.uint(v)
	}
	if p.bad != nil {
		w.uint(uint64(p.bad.Record))
		w.uint(uint64(p.bad.Line))
		for _, s := range [...]string{string(p.bad.Code), p.bad.Field, p.bad.Value, p.bad.Expected, p.bad.Message} {
			w.text([]byte(s))
		}
	}
}

// reader reads a state without trusting it: bad is set, and zeros come, once it does not fit.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) fault() error {
	return &fault.Error{Code: fault.BadState, Package: "compat", Message: "these bytes are no state of this version"}
}

func (r *reader) mark(s string) bool {
	if len(r.b) < len(s) || string(r.b[:len(s)]) != s {
		return false
	}
	r.b = r.b[len(s):]
	return true
}

func (r *reader) uint() (v uint64) {
	for shift := uint(0); shift < 64; shift += 7 {
		if len(r.b) == 0 {
			break
		}
		c := r.b[0]
		r.b = r.b[1:]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.bad = true
	return 0
}

// count reads a number of things that take at least least bytes each.
func (r *reader) count(least int) int {
	n := r.uint()
	if n > uint64(len(r.b)/least) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) text() []byte {
	n := r.count(1)
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

func (r *reader) piece() (p piece) {
	source, index, flags := r.uint(), r.uint(), r.uint()
	if source >= 1<<16 || index >= 1<<16 {
		r.bad = true
	}
	p = piece{part: timeline.Part{Source: uint32(source), Index: uint32(index)}, framing: connlog.Framing(flags & 1),
		first: token(flags >> 4 & 7), last: token(flags >> 8 & 7), hollow: flags&2 != 0, records: int64(r.uint()), lines: int64(r.uint())}
	if flags&4 != 0 {
		e := &fault.Error{Package: "compat", Record: int64(r.uint()), Line: int64(r.uint())}
		for _, into := range [...]*string{(*string)(&e.Code), &e.Field, &e.Value, &e.Expected, &e.Message} {
			*into = string(r.text())
		}
		p.bad = e
	}
	return p
}
