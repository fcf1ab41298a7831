package connlog

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/stormlint/stormlint/core/civil"
)

// Teller is a Format of which some text stands in every record that tells of a handshake that succeeded. Sniff then reads of
// a long head only the lines that hold it, to learn the paths.
type Teller interface {
	Format
	// Telltale is that text, as it stands in a bare line, three bytes or more.
	Telltale() []byte
}

// longestLog is for how many days behind a log's first event an hour that is passed twice makes it one to be read in order.
const longestLog = 31

// learn reads the head once and keeps the shapes of the paths at which a handshake succeeded; and it makes a log that may
// hold an hour which its zone passes twice one that is read in order.
func (p *Plan) learn(c *Catalogue, head []byte) error {
	if p.Formats[0].Name == (Base{}).Name() && len(p.Formats) == 1 && len(p.Wrappers) == 0 {
		return nil // every record of the base form is about a WebSocket already
	}
	r, err := NewReader(p, *c, 0)
	if err != nil {
		return err
	}
	traits, err := p.Traits(*c)
	if err != nil {
		return err
	}
	follow := p.Zone != nil && slices.ContainsFunc(traits, runsOn)
	l := learner{plan: p, seen: map[string]bool{}, first: None}
	if tale := r.telltale(); len(tale) >= 3 && !follow {
		l.lines(r, head, tale)
	} else {
		l.read(r, head, true)
	}
	slices.Sort(p.Learned)
	// Which passing of a repeated hour it is only the lines before tell.
	p.Joined = p.Joined || follow && l.first != None && p.Zone.RepeatsBetween(l.first-civil.Day, l.first+civil.Day*longestLog)
	return nil
}

// telltale is the text without which no line can teach a path; none where not all formats have the same, or records are no
// lines of their own.
func (r *Reader) telltale() (tale []byte) {
	if r.plan.Framing != Lines || len(r.wrappers) > 0 {
		return nil
	}
	for i, f := range r.formats {
		t, ok := f.(Teller)
		if !ok || i > 0 && !bytes.Equal(t.Telltale(), tale) {
			return nil
		}
		tale = t.Telltale()
	}
	return tale
}

// learner collects paths for a plan.
type learner struct {
	plan  *Plan
	seen  map[string]bool
	first int64 // the first event's instant
	batch Batch
}

// lines reads the lines that hold a text.
func (l *learner) lines(r *Reader, head, tale []byte) {
	for at := 0; len(l.seen) < maxPaths; {
		i := find(head, at, tale)
		if i < 0 {
			return
		}
		from := at + bytes.LastIndexByte(head[at:i], '\n') + 1
		if n := bytes.IndexByte(head[i:], '\n'); n >= 0 {
			at = i + n + 1
		} else {
			at = len(head)
		}
		l.read(r, head[from:at], at == len(head))
	}
}

// find is where a text of three bytes or more is found from at on; -1 if it is nowhere. Its first three bytes are looked for
// at eight places at once, which is several times as fast as bytes.Index where its first byte is a common one.
func find(text []byte, at int, tale []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	a, b, c := uint64(tale[0])*ones, uint64(tale[1])*ones, uint64(tale[2])*ones
	for ; at+10 <= len(text); at += 8 {
		p := text[at : at+10 : at+10]
		x, y, z := word8(p)^a, word8(p[1:])^b, word8(p[2:])^c
		for m := (x - ones) &^ x & (y - ones) &^ y & (z - ones) &^ z & highs; m != 0; m &= m - 1 {
			if i := at + bits.TrailingZeros64(m)>>3; bytes.HasPrefix(text[i:], tale) {
				return i
			}
		}
	}
	if i := bytes.Index(text[min(at, len(text)):], tale); i >= 0 {
		return at + i
	}
	return -1
}

// read learns from a stretch of whole lines.
func (l *learner) read(r *Reader, text []byte, last bool) {
	r.Feed(text, last)
	for r.Next(&l.batch) && len(l.seen) < maxPaths {
		for i := range l.batch.Events {
			e := &l.batch.Events[i]
			if l.first == None {
				l.first = e.Time
			}
			if e.Path.Len == 0 || e.Kind != Attempt || e.Outcome != OK || e.Transport == Polling || e.Transport == SSE {
				continue
			}
			if s := Shape(l.batch.Text(e.Path)); !l.seen[s] && len(l.seen) < maxPaths {
				l.seen[s] = true
				l.plan.Learned = append(l.plan.Learned, s)
			}
		}
	}
}
