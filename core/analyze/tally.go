package analyze

import "github.com/stormlint/stormlint/core/timeline"

// tallied is how often events of one kind come in a client's history.
type tallied struct {
	sign   *timeline.Signature
	lines  int   // kept events
	events int64 // what they stand for
}

// tally counts a history by kind of event, so that what depends on the kind alone is worked out once for each. It is
// reused from client to client.
type tally struct {
	list   []tallied
	places []uint32 // of each signature: its place in list, plus one; 0 for none
	used   []uint32 // the signatures of list
}

// take gives the kinds in the order in which they are met, valid until the next call.
func (t *tally) take(table *timeline.Table, h []timeline.Moment) []tallied {
	for _, n := range t.used {
		t.places[n] = 0
	}
	t.used, t.list = t.used[:0], t.list[:0]
	if n := table.Signatures(); len(t.places) < n {
		t.places = append(t.places, make([]uint32, n-len(t.places))...)
	}
	for i := range h {
		m := &h[i]
		at := t.places[m.Signature]
		if at == 0 {
			t.list = append(t.list, tallied{sign: table.Signature(m)})
			t.used = append(t.used, m.Signature)
			at = uint32(len(t.list))
			t.places[m.Signature] = at
		}
		k := &t.list[at-1]
		k.lines++
		k.events += int64(m.Count)
	}
	return t.list
}
