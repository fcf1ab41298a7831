package timeline

import (
	"cmp"
	"slices"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/order"
)

// Limit is how many events of one client are kept in full.
const Limit = 4096

// Part names a piece of the input: the place of its source in the list of inputs, and its own place within the source.
type Part struct{ Source, Index uint32 }

// Table is what is kept of all clients. Make one with New.
type Table struct {
	interned
	parts []Part
	known map[Part]bool
	own   uint32 // the part that is read now, in parts
	limit int
	index index
	spellings
	clients []client
	rests   []rest
	beyond  []overflow // of each source, in order of it
	slab    slab
	annexes []annex  // of tables that were absorbed
	strands []strand // the clients' events there
	scratch []byte
	coding  encoding // of one event, on its way into a chain
	moment  Moment   // in AddTo's hand

	resolution   int64 // of the latest event
	resolutionAt uint8 // its index

	moments []Moment
	broken  bool
	touched uint32 // keeps the compiler from leaving Touch out

	frozen     bool
	left       map[uint32]bool // sources that are left out
	dropped    []place         // events that are told twice or were moved, in order
	moved      []moved         // closes that found their client, in order of it
	duplicates int64
}

// client is 64 bytes, a line of the cache: each event touches all of it.
type client struct {
	chain
	more    uint32 // 1 + the place in strands of its first events elsewhere; 0 without any
	events  uint32 // those elsewhere included
	rest    uint32 // 1 + the place in rests of its first source's; 0 without one
	last    position
	spelled Spelling
}

// rest is what remains of a client's events beyond Limit, of one source: so that a source can be left out when all is read.
type rest struct {
	source  uint32
	next    uint32    // 1 + the place of the next source's; 0 for none
	counts  []tallied // by signature, in order of its number
	minutes tally     // attempts
	first   int64
	last    int64
}

// overflow counts the events of one source that are not kept, by second: attempts, opens, closes.
type overflow struct {
	source uint32
	kinds  [3]tally
}

type tallied struct {
	signature uint32
	count     uint64
}

const (
	mostMinutes = 1 << 14 // bins of a client's rest
	mostSeconds = 1 << 16 // bins of the fleet's
)

// New begins a table that reads one part. Parts are told apart by the caller's care: merging the same part twice is
// refused. seed is of the hash over clients, best a secret where the log is somebody else's: nothing that the table tells
// depends on it, and tables with different seeds merge.
func New(part Part, seed uint64) *Table {
	return &Table{
		interned: newInterned(), parts: []Part{part}, known: map[Part]bool{part: true}, limit: Limit, index: index{seed: seed},
		spellings: spellings{multipliers: [2]uint64{connlog.Hash(seed, []byte("head")) | 1, connlog.Hash(seed, []byte("tail")) | 1}},
	}
}

// Begin ends the part that was read and begins another: what Add and AddTo are given from now on is that part's.
func (t *Table) Begin(part Part) error {
	if t.known[part] {
		return errTwice(part)
	}
	t.known[part] = true
	t.own = uint32(len(t.parts))
	t.parts = append(t.parts, part)
	return nil
}

// nameless begins the keys of events that no client's name goes with; real keys never begin with it.
const nameless = 0

// Add keeps one event of the table's own part under its client's key. An empty key is an event whose client the log does
// not name: a close that has a connection's id may still find its client when all is read, the others count in the
// fleet's figures alone. Nothing of the batch is kept.
func (t *Table) Add(b *connlog.Batch, e *connlog.Event, key []byte) {
	for len(key) > 0 && key[0] == nameless {
		key = key[1:]
	}
	if len(key) == 0 {
		key = append(t.scratch[:0], nameless)
		if e.Conn.Len > 0 && e.Kind == connlog.Close {
			if id := Hash(b.Text(e.Conn)); id != 0 {
				key = append64(key, id)
			}
		}
		t.scratch = key
	}
	t.AddTo(t.client(cut(key, longestKey)), b, e)
}

// Client gives the number that AddTo takes for a key, which must not be empty; the client is added where it is new.
func (t *Table) Client(key []byte) (number uint32, ok bool) {
	if len(key) == 0 || key[0] == nameless {
		return 0, false
	}
	return t.client(cut(key, longestKey)), true
}

// Touch reads what AddTo will need of clients, given by their numbers plus one, 0 for none: once for many, so that the
// processor fetches for all at once.
func (t *Table) Touch(clients []uint32) {
	sum := uint32(0)
	for _, n := range clients {
		if n > 0 && t.clients[n-1].chunks > 0 {
			c := &t.clients[n-1]
			sum += uint32(t.slab.at(c.tail)[chunkSize(c.chunks-1)-int(c.room)-1])
		}
	}
	t.touched = sum
}

// AddTo is Add for a client whose number is known.
func (t *Table) AddTo(number uint32, b *connlog.Batch, e *connlog.Event) {
	// Field by field: a literal is made beside its place and copied in other widths than it was written, and the processor
	// waits for each store to arrive.
	m := &t.moment
	m.Part, m.Time, m.Duration, m.Interval, m.Late, m.Record, m.ID, m.Count = t.own, e.Time, e.Duration, e.Interval, e.LateBy, e.Record, e.ID, max(e.Count, 1)
	var has flags
	unit := unitIndex(m.Time, 0)
	if m.Duration != connlog.None {
		has |= hasDuration
		unit = unitIndex(m.Duration, unit)
	}
	if m.Interval != connlog.None {
		has |= hasInterval
		unit = unitIndex(m.Interval, unit)
	}
	if m.Late > 0 {
		has |= hasLate
		unit = unitIndex(m.Late, unit)
	}
	if m.Count > 1 {
		has |= hasCount
	}
	if m.ID != 0 {
		has |= hasID
	}
	if e.Conn.Len > 0 {
		has |= hasConn
		m.Conn = Hash(b.Text(e.Conn)) // else it is not written, whatever it is
	}
	var agent, path, host, group, cause Word
	if e.UserAgent.Len > 0 {
		agent = t.word(cut(b.Text(e.UserAgent), longestWord))
	}
	if e.Path.Len > 0 {
		path = t.pattern(b.Text(e.Path))
	}
	if e.Host.Len > 0 {
		host = t.word(cut(b.Text(e.Host), longestWord))
	}
	if e.Group.Len > 0 {
		group = t.word(cut(b.Text(e.Group), longestWord))
	}
	if e.Cause.Len > 0 {
		cause = t.word(cut(b.Text(e.Cause), longestWord))
	}
	if e.Resolution != t.resolution {
		t.resolution, t.resolutionAt = e.Resolution, resolutionIndex(e.Resolution)
	}
	// What tells signatures apart, in four words that stay in registers.
	codes := uint64(e.Status) | uint64(e.CloseCode)<<16 | uint64(e.Kind)<<32 | uint64(e.Outcome)<<36 | uint64(e.ClosedBy)<<40 |
		uint64(e.Transport)<<44 | uint64(t.resolutionAt)<<48 | uint64(unit)<<52 | uint64(has)<<56
	texts := [3]uint64{uint64(agent) | uint64(path)<<32, uint64(host) | uint64(group)<<32, uint64(cause)}
	k := t.familiar(codes)
	if k.next == 0 || k.codes != codes || k.texts[0] != texts[0] || k.texts[1] != texts[1] || k.texts[2] != texts[2] {
		k.codes, k.texts = codes, texts
		k.next = 1 + t.signature(&Signature{
			UserAgent: agent, Path: path, Host: host, Group: group, Cause: cause, Status: e.Status, CloseCode: e.CloseCode, Kind: e.Kind,
			Outcome: e.Outcome, ClosedBy: e.ClosedBy, Transport: e.Transport, resolution: t.resolutionAt, unit: unit, has: has,
		})
	}
	m.Signature = k.next - 1
	t.put(number, m)
}

func (t *Table) client(key []byte) uint32 {
	i, fresh := t.index.find(key)
	if fresh {
		t.clients = append(t.clients, client{})
	}
	return i
}

// put stores an event and shortens a client that has twice the limit.
func (t *Table) put(i uint32, m *Moment) {
	c := &t.clients[i]
	if s := &t.signatures[m.Signature]; !t.short(c, m, s) {
		t.slab.append(&c.chain, c.last.encode(&t.coding, m, s))
	}
	c.events++
	if int(c.events) >= 2*t.limit {
		t.shorten(i)
	}
}

// read appends a client's stored events in the order they were stored; room is for its bytes.
func (t *Table) read(i uint32, list []Moment, room *[]byte) []Moment {
	c := &t.clients[i]
	d := decoder{list: slices.Grow(list, int(c.events)), from: len(list)}
	*room = t.slab.bytes(c.head, c.length(), (*room)[:0])
	d.chain(room, t.signatures)
	for at := c.more; at > 0; at = t.strands[at-1].next {
		s := &t.strands[at-1]
		x := &t.annexes[s.annex]
		*room = x.slab.bytes(s.head, int(s.length), (*room)[:0])
		d.numbers, d.parts = x.numbers, x.parts
		d.chain(room, x.signatures)
	}
	return d.list
}

// rewrite puts events in the place of all that is stored of a client.
func (t *Table) rewrite(i uint32, list []Moment) {
	c := &t.clients[i]
	t.slab.release(&c.chain)
	c.events, c.last, c.more = 0, position{}, 0
	for j := range list {
		t.slab.append(&c.chain, c.last.encode(&t.coding, &list[j], &t.signatures[list[j].Signature]))
		c.events++
	}
}

// shorten moves what is beyond the limit to the client's rest.
func (t *Table) shorten(i uint32) {
	if int(t.clients[i].events) <= t.limit {
		return
	}
	t.moments = t.order(t.read(i, t.moments[:0], &t.scratch), 0)
	kept, over := t.moments[:t.limit], t.moments[t.limit:]
	t.rewrite(i, kept)
	var r *rest
	var seconds *[3]tally
	for j := range over {
		m := &over[j]
		s := &t.signatures[m.Signature]
		if source := t.parts[m.Part].Source; r == nil || r.source != source {
			r, seconds = &t.rests[t.restOf(i, source, 0)-1], t.overflowOf(source)
		}
		r.count(m.Signature, uint64(m.Count))
		r.first, r.last = min(r.first, m.Time), max(r.last, m.Time)
		second := floorDiv(m.Time, civil.Second)
		if s.Kind == connlog.Attempt {
			r.minutes.add(floorDiv(m.Time, civil.Minute), m.Count, mostMinutes)
			seconds[0].add(second, m.Count, mostSeconds)
			if s.Outcome == connlog.OK {
				seconds[1].add(second, m.Count, mostSeconds)
			}
		} else {
			seconds[2].add(second, m.Count, mostSeconds)
		}
	}
}

// restOf gives 1 + the place of a client's rest of a source. after is the same of one of an earlier source, from which the
// search may begin; 0 for the first.
func (t *Table) restOf(i, source, after uint32) uint32 {
	before, at := after, t.clients[i].rest
	if after > 0 {
		at = t.rests[after-1].next
	}
	for at > 0 && t.rests[at-1].source < source {
		before, at = at, t.rests[at-1].next
	}
	if at > 0 && t.rests[at-1].source == source {
		return at
	}
	t.rests = append(t.rests, rest{source: source, next: at, first: 1<<63 - 1, last: -1 << 63})
	fresh := uint32(len(t.rests))
	if before > 0 {
		t.rests[before-1].next = fresh
	} else {
		t.clients[i].rest = fresh
	}
	return fresh
}

// overflowOf gives a source's, valid until the next one is made.
func (t *Table) overflowOf(source uint32) *[3]tally {
	i, found := slices.BinarySearchFunc(t.beyond, source, func(o overflow, source uint32) int { return cmp.Compare(o.source, source) })
	if !found {
		t.beyond = order.Insert(t.beyond, i, overflow{source: source})
	}
	return &t.beyond[i].kinds
}

func (r *rest) count(signature uint32, n uint64) {
	i, found := slices.BinarySearchFunc(r.counts, signature, func(c tallied, s uint32) int { return int(c.signature) - int(s) })
	if !found {
		r.counts = order.Insert(r.counts, i, tallied{signature: signature})
	}
	r.counts[i].count += n
}
