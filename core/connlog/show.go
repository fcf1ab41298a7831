package connlog

import "slices"

// Shown is one record of an input as a person may see it.
type Shown struct {
	Record int64  // of the part, from 0, as Event.Record counts them
	Line   int64  // of its first byte's line in the part, from 0
	Offset int64  // of its first byte in the part
	Sample string // masked, as Sample is
}

// Show makes the reader hand over the records with these numbers as it comes by them, in the order of the input: the lines
// that a finding rests on. It is asked before the first Feed. Records that no format sees, longer than the limit for one,
// are not shown.
func (r *Reader) Show(records []int64, show func(Shown)) {
	r.lane = nil // which passes records over that nobody looks at
	r.shown = slices.Sorted(slices.Values(records))
	r.show = show
}

// pass looks whether a record is wanted.
func (r *Reader) pass(text []byte) {
	for len(r.shown) > 0 && r.shown[0] < r.Counts.Records {
		r.shown = r.shown[1:]
	}
	if len(r.shown) > 0 && r.shown[0] == r.Counts.Records {
		r.show(Shown{Record: r.Counts.Records, Line: r.Counts.Lines, Offset: r.offset, Sample: r.sample(text)})
	}
}
