package timeline

import (
	"cmp"
	"slices"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/order"
)

// place names a stored event: a client's number and the event's among what is stored of it.
type place struct{ client, nth uint32 }

type moved struct {
	client uint32
	Moment
}

// Freeze ends the reading: it drops what is told twice, and gives closes without a client's name to the client that
// opened the connection. tier ranks a source, 0 for the gateway that clients meet first: of two tellings of one request
// the lower tier's is kept. nil ranks all alike. A frozen table can only be read.
func (t *Table) Freeze(tier func(source uint32) int) {
	if t.frozen {
		return
	}
	t.frozen = true
	haveIDs, haveOrphans := false, false
	for i := range t.signatures {
		haveIDs = haveIDs || t.signatures[i].has&hasID != 0
	}
	for i := range t.clients {
		t.shorten(uint32(i))
		haveOrphans = haveOrphans || t.orphan(uint32(i))
	}
	if haveIDs {
		t.dropDuplicates(tier)
	}
	if haveOrphans {
		t.join()
	}
}

// orphan reports a row of closes that share a connection's id and lack a client.
func (t *Table) orphan(i uint32) bool {
	key := t.index.key(i)
	return key[0] == nameless && len(key) > 1
}

// dropDuplicates keeps one of the events of equal kind that carry the same request id; of one tier's, a telling that knows
// the outcome (Daphne prints that an attempt began, and then how it ended).
func (t *Table) dropDuplicates(tier func(source uint32) int) {
	type telling struct {
		id     uint64
		kind   connlog.Kind
		tier   int
		dark   int // 1 for an attempt whose outcome this telling does not know
		part   Part
		record int64
		at     place
	}
	var list []telling
	for i := range t.clients {
		t.moments = t.read(uint32(i), t.moments[:0], &t.scratch)
		for j := range t.moments {
			m := &t.moments[j]
			if m.ID == 0 || t.leaves(m.Part) {
				continue
			}
			part := t.parts[m.Part]
			rank := 0
			if tier != nil {
				rank = tier(part.Source)
			}
			dark := 0
			if s := &t.signatures[m.Signature]; s.Kind == connlog.Attempt && s.Outcome == connlog.OutcomeUnknown {
				dark = 1
			}
			list = append(list, telling{m.ID, t.signatures[m.Signature].Kind, rank, dark, part, m.Record, place{uint32(i), m.nth}})
		}
	}
	order.By(list, func(a, b telling) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.kind, b.kind), cmp.Compare(a.tier, b.tier), cmp.Compare(a.dark, b.dark),
			cmp.Compare(a.part.Source, b.part.Source), cmp.Compare(a.part.Index, b.part.Index), cmp.Compare(a.record, b.record), cmp.Compare(a.at.nth, b.at.nth))
	})
	for i := 1; i < len(list); i++ {
		if list[i].id == list[i-1].id && list[i].kind == list[i-1].kind {
			t.dropped = append(t.dropped, list[i].at)
			t.duplicates++
		}
	}
	order.By(t.dropped, comparePlaces)
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.nth, b.nth))
}

// join gives orphaned closes to whoever made the latest attempt with the same connection's id before them.
func (t *Table) join() {
	type opening struct {
		conn   uint64
		time   int64
		part   Part
		record int64
		client uint32
	}
	earlier := func(a, b opening) int {
		return cmp.Or(cmp.Compare(a.conn, b.conn), cmp.Compare(a.time, b.time),
			cmp.Compare(a.part.Source, b.part.Source), cmp.Compare(a.part.Index, b.part.Index), cmp.Compare(a.record, b.record))
	}
	var openings []opening
	for i := range t.clients {
		if t.index.key(uint32(i))[0] == nameless {
			continue
		}
		t.moments = t.undropped(uint32(i), t.moments[:0], &t.scratch)
		for j := range t.moments {
			if m := &t.moments[j]; m.Conn != 0 && t.signatures[m.Signature].Kind == connlog.Attempt {
				openings = append(openings, opening{m.Conn, m.Time, t.parts[m.Part], m.Record, uint32(i)})
			}
		}
	}
	order.By(openings, earlier)
	for i := range t.clients {
		if !t.orphan(uint32(i)) {
			continue
		}
		t.moments = t.undropped(uint32(i), t.moments[:0], &t.scratch)
		for _, m := range t.moments {
			// A stamp of whole seconds may print the close before the open of the same second.
			until := m.Time + max(t.signatures[m.Signature].Resolution()-1, 0)
			j, _ := slices.BinarySearchFunc(openings, opening{conn: m.Conn, time: until, part: Part{1<<32 - 1, 1<<32 - 1}, record: 1<<63 - 1}, earlier)
			if j == 0 || openings[j-1].conn != m.Conn {
				continue
			}
			t.dropped = append(t.dropped, place{uint32(i), m.nth})
			t.moved = append(t.moved, moved{openings[j-1].client, m})
		}
	}
	order.By(t.dropped, comparePlaces)
	order.By(t.moved, func(a, b moved) int { return cmp.Or(cmp.Compare(a.client, b.client), t.earlier(&a.Moment, &b.Moment)) })
}

// undropped appends a client's stored events but those that were dropped or left out.
func (t *Table) undropped(i uint32, list []Moment, room *[]byte) []Moment {
	from := len(list)
	list = t.read(i, list, room)
	d, _ := slices.BinarySearchFunc(t.dropped, place{client: i}, comparePlaces)
	if t.left == nil && (d == len(t.dropped) || t.dropped[d].client != i) {
		return list
	}
	out := list[:from]
	for j := from; j < len(list); j++ {
		m := &list[j]
		if d < len(t.dropped) && t.dropped[d] == (place{i, m.nth}) {
			d++
			continue
		}
		if !t.leaves(m.Part) {
			out = append(out, *m)
		}
	}
	return out
}

// Clients is the number of rows, those of events without a name included.
func (t *Table) Clients() int { return len(t.clients) }

// Key is the key of a row; named is false for events whose client the log does not name.
func (t *Table) Key(i int) (key []byte, named bool) {
	key = t.index.key(uint32(i))
	return key, key[0] != nameless
}

// Find gives the row of a key.
func (t *Table) Find(key []byte) (i int, ok bool) {
	n, ok := t.index.lookup(cut(key, longestKey))
	return int(n), ok
}

// History appends the kept events of a row in their total order. The table must be frozen. The caller's room holds the
// row's bytes meanwhile: with rooms and lists of their own, several may read one table at a time.
func (t *Table) History(i int, list []Moment, room *[]byte) []Moment {
	from := len(list)
	list = t.undropped(uint32(i), list, room)
	m, _ := slices.BinarySearchFunc(t.moved, uint32(i), func(m moved, client uint32) int { return cmp.Compare(m.client, client) })
	for ; m < len(t.moved) && t.moved[m].client == uint32(i); m++ {
		list = append(list, t.moved[m].Moment)
	}
	return t.order(list, from)
}

// Duplicates is how many events were told twice and dropped.
func (t *Table) Duplicates() int64 { return t.duplicates }

// Parts lists the parts that were read, in the order in which Moment.Part counts them.
func (t *Table) Parts() []Part { return t.parts }

// Signatures is how many different signatures there are: Moment.Signature is below it.
func (t *Table) Signatures() int { return len(t.signatures) }

// Signature gives what a moment shares with others.
func (t *Table) Signature(m *Moment) *Signature { return &t.signatures[m.Signature] }

// Text gives a word.
func (t *Table) Text(w Word) string { return t.words[w] }
