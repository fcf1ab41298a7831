package compat

// Locks are what keeps a Crowd's tables apart: Lock(k) returns once nobody else holds k, a number below Tables.
type Locks interface {
	Lock(k int)
	Unlock(k int)
}

// Tables is into how many a Crowd is divided.
const Tables = 1 << crowdBits

const (
	crowdBits = 6
	// spillFrom is how many clients an accumulator keeps to itself: what finds room in the cache is not shared.
	spillFrom = 1 << 15
)

// Crowd is the table of very many clients that several accumulators fill at once. With a table for each of them, two
// threads would miss the cache for every client twice and then once more to make one of both; here a client has one entry,
// in one of 64 tables by its hash, and a record waits until 64 of its table are together, which are counted under that
// table's lock. The zero Crowd is not ready; make one with NewCrowd.
type Crowd struct {
	locks  Locks
	tables [Tables]*table
	seed   uint64
	used   bool // some accumulator has spilled; set under lock 0
}

// NewCrowd makes an empty one.
func NewCrowd(locks Locks) *Crowd { return &Crowd{locks: locks} }

// route is what waits for one of a crowd's tables.
type route struct {
	queue  [batch]pending
	firsts [batch]uint64
	n      int
	text   []byte // of long keys
}

// Join lets an accumulator, once its clients are many, count in a crowd. It is called before the first Feed; all of a
// crowd's accumulators have one seed, and one of them absorbs the others in the end (End, Share, Absorb), which then
// reports the crowd. One of another seed does not join.
func (a *Accumulator) Join(c *Crowd) {
	c.locks.Lock(0)
	defer c.locks.Unlock(0)
	if c.tables[0] == nil {
		c.seed = a.table.seed
		for k := range c.tables {
			c.tables[k] = newTable(c.seed)
			c.tables[k].slots, c.tables[k].shift = make([]uint32, 1<<12), 64-12
		}
	}
	if c.seed == a.table.seed {
		a.crowd = c
	}
}

// which table of a crowd a hash falls to: mixed, for tables find their slots by the upper bits of the same hash.
func which(hash uint64) int { return int((hash ^ hash>>32) * 0x9e3779b97f4a7c15 >> (64 - crowdBits)) }

// crowded reports whether records go to the crowd, to which those kept so far go first.
func (a *Accumulator) crowded() bool {
	if a.crowd == nil || a.routes == nil && a.table.n < spillFrom {
		return false
	}
	if a.routes == nil {
		a.routes = new([Tables]route)
		a.spill()
	}
	return true
}

// spill moves the accumulator's own clients to the crowd.
func (a *Accumulator) spill() {
	c, t := a.crowd, a.table
	c.locks.Lock(0)
	c.used = true
	c.locks.Unlock(0)
	for place := range t.n {
		e := t.at(place)
		s := t.sums(place)
		h := t.hash(place)
		k := which(h)
		c.locks.Lock(k)
		into := c.tables[k]
		var mine int
		if e.key[1]>>56 == 0xff {
			mine = into.findHashed(h, t.long[e.key[1]&^longKey].s)
		} else {
			mine = into.findShort(e.key)
		}
		if m := into.at(mine); m.total == 0 || e.first < m.first {
			m.first = e.first
		}
		into.merge(mine, &s)
		c.locks.Unlock(k)
	}
	a.table = newTable(t.seed)
	a.table.part, a.table.next = t.part, t.next
}

// send lets a batch of records wait for their tables.
func (a *Accumulator) send(queue []pending, buf []byte) {
	t := a.table
	for j := range queue {
		q := &queue[j]
		h, long := q.k0, q.k1>>56 == 0xff
		if !long {
			h = q.k0*t.a0 + q.k1*t.a1
		}
		k := which(h)
		r := &a.routes[k]
		r.queue[r.n], r.firsts[r.n] = *q, t.part|t.next
		t.next++
		if long {
			text := q.text(buf)
			r.queue[r.n].k1 = longKey | uint64(len(text))<<31 | uint64(len(r.text))
			r.text = append(r.text, text...)
		}
		if r.n++; r.n == batch {
			a.settle(k)
		}
	}
}

// settle counts what waits for a table.
func (a *Accumulator) settle(k int) {
	r := &a.routes[k]
	a.crowd.locks.Lock(k)
	a.crowd.tables[k].flush(r.queue[:r.n], r.text, &r.firsts)
	a.crowd.locks.Unlock(k)
	r.n, r.text = 0, r.text[:0]
}

// settled leaves nothing waiting.
func (a *Accumulator) settled() {
	if a.routes == nil {
		return
	}
	for k := range a.routes {
		if a.routes[k].n > 0 {
			a.settle(k)
		}
	}
}

// tables gives what knows the clients, once all who share a crowd have ended: the accumulator's own table, or the crowd's.
func (a *Accumulator) tables() tables {
	if a.crowd == nil || !a.crowd.used {
		return tables{list: []*table{a.table}}
	}
	a.spill()
	return tables{list: a.crowd.tables[:], bits: crowdBits}
}

// tables numbers the clients of one table or of a crowd's.
type tables struct {
	list []*table
	bits uint
}

// at gives a number's table and its place there.
func (t *tables) at(number uint32) (*table, int) {
	return t.list[number&(1<<t.bits-1)], int(number >> t.bits)
}

// count is how many clients there are.
func (t *tables) count() (n int) {
	for _, x := range t.list {
		n += x.n
	}
	return n
}

// ordered lists the numbers by first appearance; n of each may work at once.
func (t *tables) ordered(n int, each func(n int, do func(k int))) []uint32 {
	if n = min(n, len(t.list)); n < 2 {
		return t.stretch(t.list, 0).numbers
	}
	stretches := make([]stretch, n)
	each(n, func(k int) {
		from := len(t.list) * k / n
		stretches[k] = t.stretch(t.list[from:len(t.list)*(k+1)/n], from)
	})
	for len(stretches) > 1 {
		half := len(stretches) / 2
		each(half, func(k int) { stretches[k] = stretches[k].merge(&stretches[len(stretches)-1-k]) })
		stretches = stretches[:len(stretches)-half]
	}
	return stretches[0].numbers
}

// stretch are some clients in order of their firsts.
type stretch struct {
	numbers []uint32
	firsts  []uint64
}

// stretch orders the clients of some tables, the first of which is at from in t.list.
func (t *tables) stretch(list []*table, from int) stretch {
	n := (&tables{list: list}).count()
	numbers, firsts := make([]uint32, 0, n), make([]uint64, 0, n)
	sorted := true
	differ := uint64(0) // the bits in which firsts differ
	for k, x := range list {
		for place := range x.n {
			first := x.at(place).first
			if i := len(firsts); i > 0 {
				differ |= first ^ firsts[0]
				sorted = sorted && first >= firsts[i-1]
			}
			numbers, firsts = append(numbers, uint32(place)<<t.bits|uint32(from+k)), append(firsts, first)
		}
	}
	if sorted {
		return stretch{numbers, firsts}
	}
	// By digits of eleven bits from the lowest, which keeps the order of the digits before; a comparison would wait for
	// memory twice each time.
	const digit = 11
	other, otherFirsts := make([]uint32, n), make([]uint64, n)
	for shift := 0; shift < 64; shift += digit {
		if differ>>shift&(1<<digit-1) == 0 {
			continue
		}
		var begin [1 << digit]int32
		for _, f := range firsts {
			begin[f>>shift&(1<<digit-1)]++
		}
		at := int32(0)
		for d, n := range begin {
			begin[d] = at
			at += n
		}
		for i, f := range firsts {
			d := f >> shift & (1<<digit - 1)
			other[begin[d]], otherFirsts[begin[d]] = numbers[i], f
			begin[d]++
		}
		numbers, other, firsts, otherFirsts = other, numbers, otherFirsts, firsts
	}
	return stretch{numbers, firsts}
}

// merge makes one stretch of two; no two clients have one first.
func (s stretch) merge(o *stretch) stretch {
	n := len(s.firsts) + len(o.firsts)
	all := stretch{make([]uint32, n), make([]uint64, n)}
	i, j := 0, 0
	for k := range n {
		if j == len(o.firsts) || i < len(s.firsts) && s.firsts[i] < o.firsts[j] {
			all.numbers[k], all.firsts[k] = s.numbers[i], s.firsts[i]
			i++
		} else {
			all.numbers[k], all.firsts[k] = o.numbers[j], o.firsts[j]
			j++
		}
	}
	return all
}
