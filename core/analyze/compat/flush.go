package compat

// flush counts a batch of records whose long keys lie in buf.
func (t *table) flush(queue []pending, buf []byte) {
	if len(t.slots) <= 1<<15 {
		for j := range queue {
			q := &queue[j]
			t.count(t.place(q, buf), q.interval, q.has)
		}
		return
	}
	// A table beyond the cache: first every slot of the batch is touched, then every entry, so that the misses overlap;
	// then nothing is missed.
	var guess [batch]uint64
	for j := range queue {
		q := &queue[j]
		h := q.k0
		if q.k1>>56 != 0xff {
			h = q.k0*t.a0 + q.k1*t.a1
		}
		guess[j&(batch-1)] = t.slots[h>>t.shift]
	}
	var sum uint64
	for j := range queue {
		if place := int(uint32(guess[j&(batch-1)])) - 1; place >= 0 {
			sum += t.at(place).total
		}
	}
	t.touched = sum
	for j := range queue {
		q := &queue[j]
		t.count(t.place(q, buf), q.interval, q.has)
	}
}

func (t *table) place(q *pending, buf []byte) int {
	if q.k1>>56 == 0xff {
		at, n := int(q.k1&(1<<31-1)), int(q.k1>>31&(1<<25-1))
		return t.findHashed(q.k0, buf[at:at+n])
	}
	return t.findShort([2]uint64{q.k0, q.k1})
}
