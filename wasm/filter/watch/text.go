package watch

import (
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
)

// Text is what a handshake's lines say in words: the client's key, the user agent, the path, the host. It is kept for as
// long as the session lasts, so it is cut, and the zero Text says nothing.
type Text struct {
	words [4][]byte
	all   []byte
}

const (
	client = iota
	userAgent
	path
	host
)

const (
	longestText = 256
	mostRead    = 1024 // bytes of a user agent that are looked through
)

// Set copies what is to be said. Of the key "-" is printed where nobody knows; the path loses its query, and the user agent
// what may be a secret: there, other than in a path, it need not look like a token (connlog.Mask).
func (t *Text) Set(key []byte, agent, target, authority string, m *Masks) {
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	if len(key) == 0 {
		key = nobody
	}
	t.all = append(t.all[:0], key...)
	ends := [4]int{len(t.all)}
	t.all = append(t.all, m.shown(agent)...)
	ends[userAgent] = len(t.all)
	t.all = append(t.all, cut(target, longestText)...)
	ends[path] = len(t.all)
	t.all = append(t.all, cut(authority, longestText)...)
	ends[host] = len(t.all)
	from := 0
	for i, to := range ends {
		t.words[i], from = t.all[from:to], to
	}
}

// cut shortens a text to a length at most, by whole words: half of a secret may not look like one.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:strings.LastIndexFunc(text[:most+1], apart)+1]
}

// apart is what stands between words.
func apart(c rune) bool {
	return c < 0x80 && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("_-.+~", c)
}

// Masks take secrets out of user agents and remember what is shown of the last ones: a crowd says the same over and over. The
// zero Masks are ready.
type Masks struct {
	known [8]known // by the last bits of their length
	text  []byte
}

type known struct{ raw, shown []byte }

// shown is what a line says of a user agent; valid until the next call.
func (m *Masks) shown(text string) []byte {
	if len(text) == 0 {
		return nil
	}
	text = cut(text, mostRead)
	k := &m.known[len(text)&7]
	if string(k.raw) == text {
		return k.shown
	}
	m.text = append(m.text[:0], text...)
	k.raw = append(k.raw[:0], text...)
	k.shown = connlog.Mask(k.shown[:0], m.text)
	k.shown = k.shown[:min(len(k.shown), longestText)]
	return k.shown
}

var nobody = []byte("-")

// Reset forgets what is said and keeps its memory, up to a KiB.
func (t *Text) Reset() {
	all := t.all[:0]
	if cap(all) > 1024 {
		all = nil
	}
	*t = Text{all: all}
}
