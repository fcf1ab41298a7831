package analyze

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/timeline"
)

// longSpelling remembers which client a text of the client's column stood for that is longer than a timeline.Spelling, as those of
// IPv6 are, so that a busy client's address is read once and not with every event. It is a cache and nothing else: any entry
// may be forgotten at any time. Where a text lies depends on the seed, so that nobody can write a log whose clients forget
// each other.
type longSpelling struct {
	text   [longestSpelling]byte
	length uint8
	number uint32 // plus one; 0 for none yet
}

const (
	longSpellings   = 1 << 13
	longestSpelling = 42
)

// spelled reports whether the client is the text of its column and nothing more, so that a text that was seen stands for the
// same client again.
func (a *Analyzer) spelled(e *connlog.Event) bool {
	return e.Client.Len >= 8 && e.Client.Len <= longestSpelling && e.Forwarded.Len == 0 && a.options.Key == ByIP && len(a.options.Proxies) == 0
}

// long gives the place of a text of more than 16 bytes, for the caller to read or to fill.
func (a *Analyzer) long(text []byte) *longSpelling {
	if a.longSpellings == nil {
		a.longSpellings = make([]longSpelling, longSpellings)
	}
	s := &a.longSpellings[connlog.Hash(a.options.Seed, text)%longSpellings]
	if int(s.length) != len(text) || string(s.text[:s.length]) != string(text) {
		*s = longSpelling{length: uint8(len(text))}
		copy(s.text[:], text)
	}
	return s
}

// foresee finds the numbers of a batch's clients and touches what the table will need for them, so that the waits for memory
// overlap instead of following one another.
func (a *Analyzer) foresee(events []connlog.Event) {
	a.spellings, a.foreseen = a.spellings[:0], a.foreseen[:0]
	long := false
	for i := range events {
		e := &events[i]
		s := timeline.Spelling{}
		if a.spelled(e) {
			if s = timeline.SpellingOf(a.batch.Text(e.Client)); s == (timeline.Spelling{}) {
				long = true
			}
		}
		a.spellings, a.foreseen = append(a.spellings, s), append(a.foreseen, 0)
	}
	a.table.Recognize(a.spellings, a.foreseen)
	if long {
		for i := range events {
			if e := &events[i]; e.Client.Len > 16 && a.spelled(e) {
				a.foreseen[i] = a.long(a.batch.Text(e.Client)).number
			}
		}
	}
	a.table.Touch(a.foreseen)
}

// named finds the number of an event's client by its key, which must not be empty, and notes how it was spelled.
func (a *Analyzer) named(e *connlog.Event, s timeline.Spelling) (number uint32, ok bool) {
	if number, ok = a.table.Client(a.key); !ok || !a.spelled(e) {
		return number, ok
	}
	if e.Client.Len > 16 {
		a.long(a.batch.Text(e.Client)).number = number + 1
	} else {
		a.table.Spell(number, s)
	}
	return number, true
}
