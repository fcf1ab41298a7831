package timeline

import (
	"iter"
	"slices"
)

// Leave leaves a source out of everything that is told from now on, as if it had never been read. Of a client whose events
// went beyond Limit those of other sources that were not kept one by one stay counts.
func (t *Table) Leave(source uint32) {
	if t.left == nil {
		t.left = map[uint32]bool{}
	}
	t.left[source] = true
}

func (t *Table) leaves(part uint32) bool {
	return t.left != nil && t.left[t.parts[part].Source]
}

// restsOf gives what remains of a row's events beyond Limit, source by source, without those that are left out.
func (t *Table) restsOf(i int) iter.Seq[*rest] {
	return func(yield func(*rest) bool) {
		for at := t.clients[i].rest; at > 0; at = t.rests[at-1].next {
			if r := &t.rests[at-1]; !t.left[r.source] && !yield(r) {
				return
			}
		}
	}
}

// Beyond calls f for each signature of the events of a row that were not kept, with their number. A signature can come
// more than once.
func (t *Table) Beyond(i int, f func(s *Signature, n int64)) {
	for r := range t.restsOf(i) {
		for _, n := range r.counts {
			f(&t.signatures[n.signature], int64(n.count))
		}
	}
}

// BeyondRange is the first and last instant of the events of a row that were not kept; ok is false without any.
func (t *Table) BeyondRange(i int) (first, last int64, ok bool) {
	for r := range t.restsOf(i) {
		if !ok {
			first, last, ok = r.first, r.last, true
		}
		first, last = min(first, r.first), max(last, r.last)
	}
	return first, last, ok
}

// BeyondMinutes calls f for each stretch in which a row has attempts that were not kept: its beginning and width in ns
// (a minute, or a power of two of them) and their number.
func (t *Table) BeyondMinutes(i int, f func(from, width int64, attempts uint32)) {
	var sum tally
	n := 0
	for r := range t.restsOf(i) {
		if n++; n == 1 {
			sum = r.minutes // read only, until there is a second
			continue
		}
		sum.bins = slices.Clone(sum.bins)
		sum.merge(&r.minutes, mostMinutes)
	}
	width := int64(60_000_000_000) << sum.shift
	for _, b := range sum.bins {
		f(b.at*width, width, b.count)
	}
}

// BeyondSeconds calls f for each second (or stretch of a power of two of seconds) of the fleet's events that were not
// kept, one source after the other. kind is 0 for attempts, 1 for accepted ones, 2 for closes.
func (t *Table) BeyondSeconds(kind int, f func(from, width int64, n uint32)) {
	for j := range t.beyond {
		if t.left[t.beyond[j].source] {
			continue
		}
		seconds := &t.beyond[j].kinds[kind]
		width := int64(1_000_000_000) << seconds.shift
		for _, b := range seconds.bins {
			f(b.at*width, width, b.count)
		}
	}
}
