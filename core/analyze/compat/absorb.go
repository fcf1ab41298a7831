package compat

import "math/bits"

// Two accumulators with one seed can be made one without the detour over bytes, and the larger part of it by several
// threads at once: every client that both know belongs to one of n shares, by its hash, and
//
//	for each k below n, at once or in any order: a.Share(b, k, n)
//	then, alone: a.Absorb(b)
//
// is a.Merge(b.State()). b is of no use afterwards, and both accumulators have ended their parts when the first Share
// begins: see End.

// End ends the part: what is left in hand is read.
func (a *Accumulator) End() { a.close() }

// Workers lets n at a time do Finish's work: each must run its argument for every number below n and return when all are
// done. Without it, or with n below 2, one does all.
func (a *Accumulator) Workers(n int, each func(n int, do func(k int))) { a.workers, a.each = n, each }

// Share adds what b knows of the clients that a knows too and that fall to share k of n. Several shares may be added at
// once; a difficult client (sums beyond 64 bits) is left to Absorb.
func (a *Accumulator) Share(b *Accumulator, k, n int) {
	t, o := a.table, b.table
	if t.seed != o.seed {
		return
	}
	places := uint32(len(t.slots) - 1)
	var hashes [batch]uint64
	var theirs, ours [batch]*entry
	for place := 0; place < o.n; {
		// First every slot of a batch is read, then every entry: the waits for memory overlap.
		m := 0
		for ; place < o.n && m < batch; place++ {
			e := o.at(place)
			h := e.key[0]
			if e.key[1]>>56 != 0xff {
				h = e.key[0]*o.a0 + e.key[1]*o.a1
			}
			if int(h>>32*uint64(n)>>32) == k && o.wide[place] == nil {
				hashes[m], theirs[m] = h, e
				m++
			}
		}
		for j := range m {
			ours[j] = nil
			if s := t.slots[hashes[j]>>t.shift] & places; s != 0 {
				ours[j] = t.at(int(s) - 1)
			}
		}
		for j := range m {
			e, h := theirs[j], hashes[j]
			mine := ours[j]
			if mine == nil {
				continue
			}
			if mine.key != e.key || e.key[1]>>56 == 0xff {
				if mine = t.known(h, e, o); mine == nil {
					continue
				}
			}
			mine.take(e)
		}
	}
}

// known finds the entry of another table's client, nil where there is none.
func (t *table) known(h uint64, e *entry, o *table) *entry {
	places := uint32(len(t.slots) - 1)
	tag := uint32(h>>8) &^ places
	for i := uint32(h >> t.shift); t.slots[i] != 0; i = (i + 1) & places {
		if s := t.slots[i]; s&^places == tag {
			mine := t.at(int(s&places) - 1)
			if e.key[1]>>56 == 0xff && t.isLong(mine, h, o.long[e.key[1]&^longKey].s) || e.key[1]>>56 != 0xff && mine.key == e.key {
				return mine
			}
		}
	}
	return nil
}

// take adds another entry of the same client and marks it as taken, unless the sums leave their words. An entry that has a
// wide sum beside it may be added to: the two are added up in the end.
func (e *entry) take(o *entry) {
	sum := e.sum + o.sum
	low, c := bits.Add64(e.sq, o.sq, 0)
	high, c := bits.Add64(e.sqHigh, o.sqHigh, c)
	if sum > 1<<62 || sum < -1<<62 || e.sum > 1<<62 || e.sum < -1<<62 || c != 0 {
		return
	}
	e.total += o.total
	e.n += o.n
	e.sum, e.sq, e.sqHigh = sum, low, high
	e.first = min(e.first, o.first)
	o.total = taken
}

// taken is the total of an entry that another table has: no client makes that many requests.
const taken = 1<<64 - 1

// Absorb adds everything else that b knows.
func (a *Accumulator) Absorb(b *Accumulator) error {
	a.close()
	b.close()
	if a.table.seed != b.table.seed {
		return a.Merge(b.State())
	}
	var key []byte
	for place := range b.table.n {
		e := b.table.at(place)
		if e.total == taken {
			continue
		}
		key = b.table.key(key[:0], place)
		s := b.table.sums(place)
		mine := a.table.find(key)
		if m := a.table.at(mine); m.total == 0 || e.first < m.first {
			m.first = e.first
		}
		a.table.merge(mine, &s)
	}
	a.others = append(append(a.others, b.here), b.others...)
	if a.crowd == nil {
		a.crowd = b.crowd
	}
	b.table = nil
	return nil
}
