package compat

import "math/bits"

// flush counts a batch of records whose long keys lie in buf; firsts, which may be nil, say where each record stands. A look-up misses the cache at the slot and at the entry, each
// time waiting for memory; so first every slot of the batch is read, then every entry at which a slot points, and the
// misses overlap. Only then is anything decided: most records find their entry at the first slot, the others search.
func (t *table) flush(queue []pending, buf []byte, firsts *[batch]uint64) {
	var slots [batch]uint32
	var entries [batch]*entry
	table, shift, a0, a1 := t.slots, t.shift&63, t.a0, t.a1
	places := uint32(len(table) - 1)
	queue = queue[:min(len(queue), batch)]
	for j := range queue {
		q := &queue[j]
		h := q.k0
		if q.k1>>56 != 0xff {
			h = q.k0*a0 + q.k1*a1
		}
		// The next slot is in the same line of the cache; looking at both spares most of the searches.
		i := uint32(h >> shift)
		s, second := table[i], table[(i+1)&places]
		if (second^uint32(h>>8))&^places == 0 {
			s = second
		}
		slots[j] = s & places
	}
	var touched uint64
	for j := range queue {
		e := &t.nowhere
		if place := slots[j]; place != 0 {
			e = &t.slabs[(place-1)>>slabBits][(place-1)&(slabSize-1)]
		}
		entries[j] = e
		touched += e.total
	}
	t.touched += touched
	for j := range queue {
		q := &queue[j]
		e := entries[j]
		wait := q.interval
		if e.key[0] == q.k0 && (e.key[1] == q.k1 || q.k1>>56 == 0xff && t.isLong(e, q.k0, q.text(buf))) && wait < wideFrom && wait > -wideFrom {
			e.total++
			e.n += q.has
			e.sum += wait
			var c uint64
			e.sq, c = bits.Add64(e.sq, uint64(wait*wait), 0)
			e.sqHigh += c
		} else {
			place := t.place(q, buf)
			e = t.at(place)
			if firsts != nil && e.total == 0 {
				e.first = firsts[j]
			}
			t.count(place, wait, q.has)
		}
		if firsts != nil && firsts[j] < e.first {
			e.first = firsts[j]
		}
	}
}

// text is a long key's.
func (q *pending) text(buf []byte) []byte {
	at, n := q.k1&(1<<31-1), q.k1>>31&(1<<25-1)
	return buf[at : at+n]
}

// place finds a record's client the whole way, adding it where it is new.
func (t *table) place(q *pending, buf []byte) int {
	if q.k1>>56 == 0xff {
		return t.findHashed(q.k0, q.text(buf))
	}
	return t.findShort([2]uint64{q.k0, q.k1})
}
