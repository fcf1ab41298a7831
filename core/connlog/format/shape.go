package format

import "github.com/stormlint/stormlint/core/jsonscan"

// shapes remembers how the records of one log are written: the text between their values. A program writes the same keys in
// the same order and with the same blanks again and again, so that a record is taken apart by comparing the text between the
// values with what was there before, instead of looking every key up:
//
//	{"ts":  1796066153.87  ,"request":{"remote_ip":"  127.0.0.12  ","method":"  GET  "},"status":  101  }
//	^^^^^^                 ^^^^^^^^^^^^^^^^^^^^^^^^^            ^^^^^^^^^^^^     ^^^^^^^^^^^^^^         ^ literals
//
// The literals form a tree: `then` follows the value, `other` is tried where the literal does not fit. A record that fits
// no path is read by document.walk and adds its path, until there are too many. It is a cache: a record gets the same
// roles with it and without it (see TestShapes).
type shapes struct {
	root  *step
	steps int
}

// step is a literal and what stands behind it.
type step struct {
	text        string
	kind        stepKind
	name        *name // what the value plays; nil for nothing
	then, other *step
}

type stepKind uint8

const (
	toEnd  stepKind = iota // the record's end
	toText                 // a string, whose quote ends the literal
	toNumber
	toWord // true, false or null
)

const (
	mostSteps  = 4096
	mostOthers = 24  // literals in one place
	mostValues = 200 // in one record
)

// read takes the record apart, which d holds and whose roles it fills; false if no path fits, and then d is half filled.
func (s *shapes) read(d *document) bool {
	rec := d.rec
	at := 0
	for p := s.root; p != nil; {
		i := at + len(p.text)
		if i > len(rec) || string(rec[at:i]) != p.text {
			p = p.other
			continue
		}
		from, end := i, -1
		switch p.kind {
		case toText:
			from--
			if end = jsonscan.SkipText(rec, i) + 1; end == 0 {
				if d.rough {
					end = roughText(rec, i)
				} else {
					end = jsonscan.Skip(rec, from, 0)
				}
			}
		case toNumber:
			end = plainNumber(rec, i)
		case toWord:
			if i < len(rec) && (rec[i] == 't' || rec[i] == 'f' || rec[i] == 'n') {
				end = jsonscan.Skip(rec, i, 0)
			}
		case toEnd:
			if jsonscan.Space(rec, i) == len(rec) {
				return true
			}
		}
		if end < 0 {
			p = p.other
			continue
		}
		if p.name != nil && rec[from] != 'n' {
			d.take(p.name, piece{from, end})
		}
		at, p = end, p.then
	}
	return false
}

// plainNumber is the offset past the number at i; negative without one.
func plainNumber(rec []byte, i int) int {
	if i < len(rec) && rec[i] > '0' && rec[i] <= '9' { // most are whole and end here
		at := i + 1
		for at < len(rec) && rec[at]-'0' <= 9 {
			at++
		}
		if at < len(rec) && rec[at] != '.' && rec[at]|0x20 != 'e' {
			return at
		}
	}
	if i < len(rec) && (rec[i] == '-' || rec[i]-'0' <= 9) {
		return jsonscan.Skip(rec, i, 0)
	}
	return -1
}

// learn adds the path of a record that document.walk has read.
func (s *shapes) learn(rec []byte, n *names) {
	if s.steps >= mostSteps {
		return
	}
	l := learner{rec: rec}
	if past := l.object(jsonscan.Space(rec, 0), 0, n); past < 0 || len(l.values) > mostValues {
		return
	}
	link := &s.root
	at := 0
	for _, v := range l.values {
		to := v.from
		if v.kind == toText {
			to++
		}
		p := s.add(link, string(rec[at:to]), v)
		if p == nil {
			return
		}
		at, link = v.to, &p.then
	}
	end := len(rec)
	for end > at && jsonscan.Space(rec, end-1) == len(rec) { // blanks at the end are not the shape's
		end--
	}
	s.add(link, string(rec[at:end]), value{kind: toEnd})
}

// add finds or makes the step in a place; nil when there are too many.
func (s *shapes) add(link **step, text string, v value) *step {
	n := 0
	for ; *link != nil; link = &(*link).other {
		if p := *link; p.text == text && p.kind == v.kind && p.name == v.name {
			return p
		}
		n++
	}
	if n >= mostOthers || s.steps >= mostSteps {
		return nil
	}
	s.steps++
	*link = &step{text: text, kind: v.kind, name: v.name}
	return *link
}

// value is one scalar of a record and what it plays.
type value struct {
	from, to int
	kind     stepKind
	name     *name
}

// learner lists a record's scalars in their order; it gives them the roles that document.walk gives them.
type learner struct {
	rec    []byte
	values []value
}

// object walks over the object at an offset; n is nil where nothing inside plays a role. It gives the offset past it.
func (l *learner) object(at, depth int, n *names) int {
	f := jsonscan.Fields{Data: l.rec}
	if !f.Open(at, depth) {
		return -1
	}
	for f.Find() {
		var m *name
		if n != nil {
			m = n.find(f.Key())
		}
		past := l.any(f.At, depth+1, m)
		if past < 0 {
			return -1
		}
		f.PassTo(past)
	}
	if f.Bad >= 0 {
		return -1
	}
	return f.Past
}

// any walks over the value at an offset, whose field is m.
func (l *learner) any(at, depth int, m *name) int {
	if at >= len(l.rec) || len(l.values) > mostValues {
		return -1
	}
	switch c := l.rec[at]; c {
	case '{':
		if m != nil && m.kids != nil {
			return l.object(at, depth, m.kids)
		}
		return l.object(at, depth, nil)
	case '[':
		at = jsonscan.Space(l.rec, at+1)
		for n := 0; at < len(l.rec) && l.rec[at] != ']'; n++ {
			if n > 0 {
				if l.rec[at] != ',' {
					return -1
				}
				if at = jsonscan.Space(l.rec, at+1); at >= len(l.rec) {
					return -1
				}
			}
			var first *name
			if n == 0 && (l.rec[at] == '"' || l.rec[at]-'0' <= 9) { // of a list of header values the first counts
				first = m
			}
			if l.rec[at] == '{' { // a list's objects play no roles
				at = l.object(at, depth+1, nil)
			} else {
				at = l.any(at, depth+1, first)
			}
			if at < 0 {
				return -1
			}
			at = jsonscan.Space(l.rec, at)
		}
		if at >= len(l.rec) {
			return -1
		}
		return at + 1
	default:
		end := jsonscan.Skip(l.rec, at, depth)
		if end < 0 {
			return -1
		}
		kind := toNumber
		switch c {
		case '"':
			kind = toText
		case 't', 'f', 'n':
			kind = toWord
		}
		l.values = append(l.values, value{at, end, kind, m})
		return end
	}
}
