package analyze

import "github.com/stormlint/stormlint/core/connlog"

// spelling remembers which client a short text of the client's column stood for, so that a busy client's address is read
// once and not with every event. It is a cache and nothing else: any entry may be forgotten at any time.
type spelling struct {
	text   [2]uint64 // at most 15 bytes and their number
	number uint32
	known  bool
}

const spellings = 1 << 14

// remember gives the place for an event's client, and its number where the place is known; nil where the client is more
// than the text of its column.
func (a *Analyzer) remember(e *connlog.Event) (number uint32, slot *spelling) {
	n := int(e.Client.Len)
	if n == 0 || n > 15 || e.Forwarded.Len > 0 || a.options.Key != ByIP || len(a.options.Proxies) > 0 {
		return 0, nil
	}
	text := a.batch.Text(e.Client)
	var k [2]uint64
	for i, c := range text {
		k[i>>3] |= uint64(c) << (i & 7 * 8)
	}
	k[1] |= uint64(n) << 56
	if a.spellings == nil {
		a.spellings = make([]spelling, spellings)
	}
	h := k[0]*0x9e3779b97f4a7c15 + k[1]*0xd6e8feb86659fd93
	slot = &a.spellings[h>>(64-14)]
	if slot.text != k {
		*slot = spelling{text: k}
	}
	return slot.number, slot
}
