//go:build !js

package plugin

// lines are those that the host's log has not been given yet. A handshake does not wait for its line: a host writes its
// log before it goes on, and that takes longer than the decision. They are written when a request has ended, with the next
// tick, or when there are many.
type lines struct {
	text []byte
	ends []int
}

// mostLines is how many wait at most.
const mostLines = 64

// say hands a line to the log; where the host has no timer, at once.
func (p *plugin) say(line []byte) {
	l := &p.lines
	l.text = append(l.text, line...)
	l.ends = append(l.ends, len(l.text))
	if !p.ticks || len(l.ends) == mostLines {
		l.write()
	}
}

func (l *lines) write() {
	from := 0
	for _, end := range l.ends {
		say(l.text[from:end])
		from = end
	}
	l.text, l.ends = l.text[:0], l.ends[:0]
}
