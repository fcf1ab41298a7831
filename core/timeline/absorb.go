package timeline

import "github.com/stormlint/stormlint/core/fault"

// annex is what a table kept that was absorbed: its events stay where they are, in its own numbers.
type annex struct {
	slab       slab
	signatures []Signature // as its chains count them
	numbers    []uint32    // of its signatures, here
	parts      []uint32    // of its parts, here
}

// strand is a client's events in an annex.
type strand struct {
	head, length uint32 // of the chain there
	annex        uint32
	next         uint32 // 1 + the place of the client's next one; 0 for none
}

// Absorb adds all that another table holds, as Merge does with its state, without the detour over bytes: the events are not
// even looked at, so it costs what finding the clients costs. The other table is of no use afterwards.
func (t *Table) Absorb(o *Table) error {
	if t.broken || t.frozen || o.broken || o.frozen || t == o {
		return &fault.Error{Code: fault.BadState, Package: "timeline", Message: "the table takes no more states"}
	}
	if t.limit != o.limit {
		return errBad("limit")
	}
	for _, p := range o.parts {
		if t.known[p] {
			return errTwice(p)
		}
	}
	own := annex{slab: o.slab, signatures: o.signatures, numbers: make([]uint32, len(o.signatures)), parts: make([]uint32, len(o.parts))}
	for i, p := range o.parts {
		t.known[p] = true
		own.parts[i] = uint32(len(t.parts))
		t.parts = append(t.parts, p)
	}
	words := make([]Word, len(o.words))
	for i, w := range o.words {
		words[i] = t.word([]byte(w))
	}
	for i, s := range o.signatures {
		for _, w := range [...]*Word{&s.UserAgent, &s.Path, &s.Host, &s.Group, &s.Cause} {
			*w = words[*w]
		}
		own.numbers[i] = t.signature(&s)
	}
	place := uint32(len(t.annexes))
	t.annexes = append(t.annexes, own)
	for _, a := range o.annexes {
		a.numbers, a.parts = through(a.numbers, own.numbers), through(a.parts, own.parts)
		t.annexes = append(t.annexes, a)
	}
	const some = 64 // are looked up together, so that the waits for memory overlap
	for i := range o.clients {
		if i%some == 0 {
			t.foresee(o, i, min(i+some, len(o.clients)))
		}
		t.absorb(o, uint32(i), place, own.numbers)
	}
	for i := range o.beyond {
		seconds := t.overflowOf(o.beyond[i].source)
		for k := range seconds {
			seconds[k].merge(&o.beyond[i].kinds[k], mostSeconds)
		}
	}
	*o = Table{broken: true}
	return nil
}

// through follows numbers once more.
func through(numbers, further []uint32) []uint32 {
	out := make([]uint32, len(numbers))
	for i, n := range numbers {
		out[i] = further[n]
	}
	return out
}

// foresee touches what absorbing some clients of another table will need.
func (t *Table) foresee(o *Table, from, to int) {
	if len(t.index.places) == 0 || t.index.seed != o.index.seed {
		return
	}
	sum, mask := uint32(0), uint32(len(t.index.places)-1)
	for _, h := range o.index.hashes[from:to] {
		if n := t.index.places[h&mask]; n > 0 {
			sum += t.index.hashes[n-1] + t.clients[n-1].events
		}
	}
	t.touched = sum
}

// absorb adds what another table holds of its client i; place is where its own annex stands.
func (t *Table) absorb(o *Table, i, place uint32, numbers []uint32) {
	theirs := &o.clients[i]
	h := o.index.hashes[i]
	key := o.index.key(i)
	if o.index.seed != t.index.seed {
		h = t.index.hash(key)
	}
	n, fresh := t.index.findHashed(h, key)
	if fresh {
		t.clients = append(t.clients, client{})
	}
	ours := &t.clients[n]
	if length := theirs.length(); length > 0 {
		t.strands = append(t.strands, strand{theirs.head, uint32(length), place, ours.more})
		ours.more = uint32(len(t.strands))
	}
	for at := theirs.more; at > 0; at = o.strands[at-1].next {
		s := o.strands[at-1]
		t.strands = append(t.strands, strand{s.head, s.length, place + 1 + s.annex, ours.more})
		ours.more = uint32(len(t.strands))
	}
	ours.events += theirs.events
	last := uint32(0)
	for at := theirs.rest; at > 0; at = o.rests[at-1].next {
		r := &o.rests[at-1]
		last = t.restOf(n, r.source, last)
		x := &t.rests[last-1]
		for _, c := range r.counts {
			x.count(numbers[c.signature], c.count)
		}
		x.first, x.last = min(x.first, r.first), max(x.last, r.last)
		x.minutes.merge(&r.minutes, mostMinutes)
	}
	if int(ours.events) >= 2*t.limit {
		t.shorten(n)
	}
}
