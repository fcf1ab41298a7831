package wrapper

import "github.com/stormlint/stormlint/core/connlog"

// Colour takes the terminal's colour off lines that begin with it, as programs write when they believe to stand before a
// person. Sequences further inside are left where they are, except that they are cut where they would end a word.
type Colour struct{}

// Name is "colour".
func (Colour) Name() string { return "colour" }

// Joins is false.
func (Colour) Joins() bool { return false }

// Match wants a colour sequence at the start.
func (Colour) Match(text []byte) int {
	if len(uncolour(text)) < len(text) {
		return 50
	}
	return 0
}

// Peel removes every colour sequence.
func (Colour) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	if len(uncolour(text)) == len(text) {
		return out, connlog.BadLayout
	}
	var buf [1024]byte
	clean := buf[:0]
	for i := 0; i < len(text); i++ {
		if s := uncolour(text[i:]); len(s) < len(text)-i {
			i = len(text) - len(s) - 1
			continue
		}
		clean = append(clean, text[i])
	}
	r.Span = b.Keep(clean)
	return append(out, r), connlog.Used
}
