package timeline

// Each calls f for the kept events of all rows, row by row in no order of time, before Freeze. The same for any split of the
// input, it serves to compare sources before one of them is left out.
func (t *Table) Each(f func(row int, m *Moment)) {
	for i := range t.clients {
		t.shorten(uint32(i))
		t.moments = t.read(uint32(i), t.moments[:0], &t.scratch)
		for j := range t.moments {
			f(i, &t.moments[j])
		}
	}
}

// Complete is the instant up to which the events of all rows are kept: there the first lies that is not.
func (t *Table) Complete() int64 {
	first := int64(1<<63 - 1)
	for i := range t.rests {
		first = min(first, t.rests[i].first)
	}
	return first
}
