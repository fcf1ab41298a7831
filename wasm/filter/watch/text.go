package watch

import "strings"

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

const longestText = 256

// Set copies what is to be said. Of the key "-" is printed where nobody knows; the path loses its query.
func (t *Text) Set(key []byte, agent, target, authority string) {
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	if len(key) == 0 {
		key = nobody
	}
	t.all = append(t.all[:0], key...)
	n := len(t.all)
	ends := [4]int{n}
	for i, s := range [...]string{agent, target, authority} {
		t.all = append(t.all, s[:min(len(s), longestText)]...)
		ends[i+1] = len(t.all)
	}
	from := 0
	for i, to := range ends {
		t.words[i], from = t.all[from:to], to
	}
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
