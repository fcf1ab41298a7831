package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Repeated unfolds what syslog daemons fold:
//
//	message repeated 5 times: [ 192.0.2.10 - - […] ]          rsyslog: five more of the text in the brackets
//	last message repeated 5 times                             five more of the line before
//
// Since the second needs the line before, such a file cannot be split.
type Repeated struct{}

// Name is "repeated".
func (Repeated) Name() string { return "repeated" }

// Joins is true.
func (Repeated) Joins() bool { return true }

var (
	repeatedThis = []byte("message repeated ")
	repeatedLast = []byte("last message repeated ")
	repeatedMid  = []byte(" times")
)

// Match wants one of the two sentences. Few lines of a file are folded, so that it is rarely chosen by most lines: the
// syslog wrapper unfolds by itself.
func (Repeated) Match(text []byte) int {
	if bytes.HasPrefix(text, repeatedThis) || bytes.HasPrefix(text, repeatedLast) {
		return 70
	}
	return 0
}

// Peel unfolds a line; one that is not folded is BadLayout.
func (Repeated) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	if one, ok := unfold(r, text, 0); ok {
		return append(out, one), connlog.Used
	}
	return out, connlog.BadLayout
}

// unfold reads a folded line whose text begins at byte i.
func unfold(r connlog.Record, text []byte, i int) (connlog.Record, bool) {
	s := text[i:]
	last := bytes.HasPrefix(s, repeatedLast)
	if last {
		s = s[len(repeatedLast):]
	} else if bytes.HasPrefix(s, repeatedThis) {
		s = s[len(repeatedThis):]
	} else {
		return r, false
	}
	n := bytes.Index(s, repeatedMid)
	if n < 1 || n > 9 {
		return r, false
	}
	var v uint32
	for _, c := range s[:n] {
		if c-'0' > 9 {
			return r, false
		}
		v = v*10 + uint32(c-'0')
	}
	if v == 0 {
		return r, false
	}
	r.Repeat = v
	if last {
		r.Span.Len = 0
		return r, true
	}
	s = s[n+len(repeatedMid):]
	open, end := bytes.IndexByte(s, '['), bytes.LastIndexByte(s, ']')
	if open < 0 || open > 3 || end <= open {
		return r, false
	}
	from := len(text) - len(s) + open + 1
	for from < len(text) && text[from] == ' ' {
		from++
	}
	return rest(r, text[:len(text)-len(s)+end], from), true
}
