package analyze

import "github.com/stormlint/stormlint/core/connlog"

// spelling remembers which client a text of the client's column stood for, so that a busy client's address is read once and
// not with every event. It is a cache and nothing else: any entry may be forgotten at any time. Where a text lies
// depends on the seed, so that nobody can write a log whose clients forget each other.
type spelling struct {
	head, tail uint64 // the first and the last eight bytes of a text of 8 to 16
	length     uint32
	number     uint32
	known      bool
}

// longSpelling is the same for the texts of IPv6.
type longSpelling struct {
	text   [longestSpelling]byte
	length uint8
	known  bool
	number uint32
}

const (
	spellings       = 1 << 16
	longSpellings   = 1 << 13
	longestSpelling = 42
)

// remember gives the client's number where the spelling is known, or where to note it; nil where the client is more than
// the text of its column, or the text is of no length that addresses have.
func (a *Analyzer) remember(e *connlog.Event) (number *uint32, known *bool) {
	n := int(e.Client.Len)
	if n < 8 || n > longestSpelling || e.Forwarded.Len > 0 || a.options.Key != ByIP || len(a.options.Proxies) > 0 {
		return nil, nil
	}
	text := a.batch.Text(e.Client)
	head, tail := eight(text), eight(text[n-8:])
	h := a.place(head, tail, n)
	if n > 16 {
		if a.longSpellings == nil {
			a.longSpellings = make([]longSpelling, longSpellings)
		}
		s := &a.longSpellings[h>>(64-13)]
		if int(s.length) != n || string(s.text[:n]) != string(text) {
			*s = longSpelling{length: uint8(n)}
			copy(s.text[:], text)
		}
		return &s.number, &s.known
	}
	if a.spellings == nil {
		a.spellings = make([]spelling, spellings)
	}
	s := &a.spellings[h>>(64-16)]
	if s.head != head || s.tail != tail || int(s.length) != n {
		*s = spelling{head: head, tail: tail, length: uint32(n)}
	}
	return &s.number, &s.known
}

// place is the hash of a spelling, whose upper bits are its place.
func (a *Analyzer) place(head, tail uint64, n int) uint64 {
	return head*a.multipliers[0] + tail*a.multipliers[1] + uint64(n)
}

// foresee finds the numbers of a batch's clients and touches what the table will need for them, so that the waits for memory
// overlap instead of following one another.
func (a *Analyzer) foresee(events []connlog.Event) {
	a.foreseen = a.foreseen[:0]
	if a.spellings != nil {
		touched := uint64(0)
		for i := range events {
			if e := &events[i]; e.Client.Len >= 8 && e.Client.Len <= 16 {
				text := a.batch.Text(e.Client)
				touched += a.spellings[a.place(eight(text), eight(text[len(text)-8:]), len(text))>>(64-16)].head
			}
		}
		a.touched = touched
	}
	for i := range events {
		n := uint32(0)
		if number, known := a.remember(&events[i]); known != nil && *known {
			n = *number + 1
		}
		a.foreseen = append(a.foreseen, n)
	}
	a.table.Touch(a.foreseen)
}

func eight(p []byte) uint64 {
	_ = p[7]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}
