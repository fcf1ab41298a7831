package jsonscan

import "bytes"

// Records of one producer look alike: the same keys in the same order with the same spacing, and only the values differ.
// Shapes learns the literal text between the values from records that the general lane has read, so that the next ones can
// be compared with it eight bytes at a time instead of being scanned:
//
//	}␤{"timestamp":"  2026-10-25T10:00:00Z  ","client_ip":"  192.0.2.10  ","event_type":"  retry  ","retry_interval_ms":  1000  }␤{"timestamp":"
//	└ literal ───────┘      value           └ literal ─────┘   value    └ literal ──────┘ value  └ literal ─────────────┘ value └ literal ───────┘
//
// Literals form a trie, so that several shapes live side by side, whatever their key order and spacing: after a value, the
// alternatives are tried in the order in which they were met. The end of one record and the head of the next are one
// literal. Nested values of fixed structure are literals and values too.
//
// The loop that walks the trie belongs to its user, in one function without calls, because calls are dear in wasm:
//
//	for s := shapes.Root; s != nil; {
//		if s does not match at i { s = s.Else; continue }
//		i += s.Len
//		if s.Ends { the record before is complete; it ended s.Back bytes ago }
//		read a value of s.Kind at i, or give up
//		s = s.Then
//	}
//
// A value that does not fit its Kind sends the walk to s.Else, i back before the literal, unless s.Ends; where no
// alternative is left, it gives up. Whoever gives up hands the record, from its beginning, to the general lane: nothing is guessed. A record that matches has
// the structure of one that was sound, so it has the same fields; its values are for the user to check.
type Shapes struct {
	Root *Step // the first alternative at the end of a record, before what separates it from the next

	field  func(key []byte) int
	accept func(kind int) bool
	block  []Step // where new steps come from; steps never move
	steps  int
	heads  []head
	tails  map[tail]bool
	wasted int // learning that taught nothing, since the last that did
	asked  int
}

// Step is a literal and the value behind it. Its first 24 bytes are compared under masks; longer literals are several
// steps without a value.
type Step struct {
	W0, W1, W2 uint64 // the literal, least significant byte first
	M0, M1, M2 uint64 // ones where the literal has bytes
	Then       *Step  // the first alternative after the value; nil where nothing was met yet
	Else       *Step  // the next alternative to this step
	Len        int    // of the literal, at most 24
	Kind       int    // of the value: 4·field + what it is, with field 0 for keys that nobody asked for; 0 for no value
	Back       int    // with Ends: how many bytes before the literal's end the record ended
	Newlines   int    // with Ends: line ends from the end of the record before to the end of this one
	Start      int    // where a record begins in the literal: how many bytes before its end; 0 where none does
	Ends       bool
}

// What a value is, in the lower two bits of a Step's Kind. The quotes of a text belong to the literals around it.
const (
	ShapeText   = 1
	ShapeNumber = 2
	ShapeWord   = 3 // true, false, null
)

const (
	maxSteps = 2048
	blockLen = 64
)

// head is what comes before a record's first value.
type head struct {
	text string
	kind int
	step *Step // the last piece of its literal at the root
}

// tail is what comes behind a record's last value, the step before it included.
type tail struct {
	at   *Step
	text string
}

// NewShapes makes an empty trie. field gives a key's number from 1 on, 0 for one that is not asked for; accept says
// whether the user's loop can read a kind of value.
func NewShapes(field func(key []byte) int, accept func(kind int) bool) *Shapes {
	return &Shapes{field: field, accept: accept, tails: map[tail]bool{}}
}

// Learn takes a sound record data[at:end], an object, and what separated it from the record before, data[from:at]; start
// is the record's first byte as its reader counts, such as its line's, from ≤ start ≤ at. It does
// nothing when the trie is full, when the record repeats a field, or when learning has not paid for a while.
func (s *Shapes) Learn(data []byte, from, start, at, end int) {
	if s.wasted > 16 {
		if s.asked++; s.asked&1023 != 0 {
			return
		}
	}
	before := s.steps
	if parts, ok := s.cut(data, from, at, end); ok && len(parts) > 2 && s.steps < maxSteps {
		s.add(parts, len(parts[0].text)-(start-from), bytes.Count(data[from:end], newline))
	}
	if s.steps == before {
		s.wasted++
	} else {
		s.wasted = 0
	}
}

var newline = []byte{'\n'}

func (s *Shapes) add(parts []part, start, newlines int) {
	h := s.head(parts[0], start)
	last := h.step
	for _, p := range parts[1 : len(parts)-1] {
		last = s.chain(last, p.text, p.kind)
	}
	// The record's end joined to the first head there was is tried first, since most inputs have but one; then the end
	// alone, which leads to all heads.
	t := tail{last, parts[len(parts)-1].text}
	if s.tails[t] {
		return
	}
	s.tails[t] = true
	first := &s.heads[0]
	s.end(last, t.text, first, newlines)
	s.end(last, t.text, nil, newlines)
}

type part struct {
	text string
	kind int
}

// cut takes a record apart into literals and the kinds of value behind them; the last literal has none.
func (s *Shapes) cut(data []byte, from, at, end int) (parts []part, ok bool) {
	i, lit, depth, seen, field := at, from, 0, uint64(0), 0
	key := false // a key comes next
	var stack []bool
	for i < end {
		c := data[i]
		switch c {
		case '{', '[':
			depth++
			stack = append(stack, c == '{')
			key = c == '{'
			i++
		case '}', ']':
			depth--
			stack = stack[:len(stack)-1]
			i++
		case ',':
			key = stack[depth-1]
			i++
		case ' ', '\t', '\n', '\r', ':':
			i++
		case '"':
			to := skipString(data, i+1)
			if to < 0 {
				return nil, false
			}
			if key {
				key, field = false, 0
				if depth == 1 {
					text := data[i+1 : to-1]
					if !Plain(data[i:to]) {
						text = AppendText(nil, data[i:to])
					}
					if field = s.field(text); field > 0 {
						if seen&(1<<field) != 0 {
							return nil, false
						}
						seen |= 1 << field
					}
				}
				i = to
				continue
			}
			parts = append(parts, part{string(data[lit : i+1]), s.kind(field, depth, ShapeText)})
			i, lit = to, to-1
		default:
			to := skipScalar(data, i)
			if to < 0 {
				return nil, false
			}
			kind := ShapeWord
			if c == '-' || c-'0' <= 9 {
				kind = ShapeNumber
			}
			parts = append(parts, part{string(data[lit:i]), s.kind(field, depth, kind)})
			i, lit = to, to
		}
	}
	for _, p := range parts {
		if p.kind >= 4 && !s.accept(p.kind) {
			return nil, false
		}
	}
	return append(parts, part{string(data[lit:end]), 0}), depth == 0
}

func (s *Shapes) kind(field, depth, what int) int {
	if depth > 1 {
		field = 0
	}
	return 4*field + what
}

// head finds or adds the literal before a record's first value.
func (s *Shapes) head(p part, start int) *head {
	for i := range s.heads {
		if h := &s.heads[i]; h.text == p.text && h.kind == p.kind {
			return h
		}
	}
	root := Step{Then: s.Root}
	step := s.chain(&root, p.text, p.kind)
	step.Start = start
	s.Root = root.Then
	s.heads = append(s.heads, head{p.text, p.kind, step})
	return &s.heads[len(s.heads)-1]
}

// chain finds or adds a literal, in pieces of 24 bytes, and gives the step of its last piece.
func (s *Shapes) chain(at *Step, text string, kind int) *Step {
	for len(text) > 24 {
		at = s.alternative(at, text[:24], 0)
		text = text[24:]
	}
	return s.alternative(at, text, kind)
}

func (s *Shapes) alternative(at *Step, text string, kind int) *Step {
	want := literal(text, kind)
	link := &at.Then
	for *link != nil {
		t := *link
		if t.Len == want.Len && t.Kind == kind && t.W0 == want.W0 && t.W1 == want.W1 && t.W2 == want.W2 && !t.Ends {
			return t
		}
		link = &t.Else
	}
	return s.link(link, want)
}

func literal(text string, kind int) Step {
	want := Step{Len: len(text), Kind: kind}
	w, m := [3]*uint64{&want.W0, &want.W1, &want.W2}, [3]*uint64{&want.M0, &want.M1, &want.M2}
	for i := range len(text) {
		*w[i>>3] |= uint64(text[i]) << (i & 7 * 8)
		*m[i>>3] |= 0xff << (i & 7 * 8)
	}
	return want
}

// link hangs a new step on; when the trie is full the step hangs nowhere and is never met.
func (s *Shapes) link(link **Step, want Step) *Step {
	if s.steps >= maxSteps {
		return &want
	}
	if len(s.block) == 0 {
		s.block = make([]Step, blockLen)
	}
	step := &s.block[0]
	s.block = s.block[1:]
	s.steps++
	*step = want
	*link = step
	return step
}

// end adds the end of a record behind a step's value, joined to a head; without one it leads to the root.
func (s *Shapes) end(at *Step, text string, h *head, newlines int) {
	kind, back := 0, 0
	if h != nil {
		text, kind, back = text+h.text, h.kind, len(h.text)
	}
	for len(text) > 24 {
		at = s.alternative(at, text[:24], 0)
		text = text[24:]
	}
	step := literal(text, kind)
	step.Ends, step.Back, step.Newlines = true, back, newlines
	if step.Then = s.Root; h != nil {
		step.Then, step.Start = h.step.Then, h.step.Start
	}
	link := &at.Then
	for *link != nil {
		link = &(*link).Else
	}
	s.link(link, step)
}
