package format

import "github.com/stormlint/stormlint/core/jsonscan"

// A record that had to be mended once is of a template that writes all of its records so: `"status":,` and \x22 again and
// again. Its shape is learned as it was before it was mended, a value left out being part of the text between the others,
// so that the next one need not be copied to be read.

// readRough takes a record apart along the path of an earlier one that had to be mended; false if none fits.
func (d *document) readRough(rec []byte, n *names) bool {
	*d = document{rec: rec, rough: true}
	return n.rough.read(d)
}

// learnRough adds the path of a record that was read when it was mended.
func (s *shapes) learnRough(raw []byte, n *names) {
	if s.steps >= mostSteps {
		return
	}
	type change struct{ old, new piece }
	var changes []change
	mended := mendNoting(nil, raw, func(old, new piece) { changes = append(changes, change{old, new}) })
	l := learner{rec: mended}
	if past := l.object(jsonscan.Space(mended, 0), 0, n); past < 0 || len(l.values) > mostValues {
		return
	}
	at, k, shift := 0, 0, 0 // shift: how much further on the mended record is
	before := func(i int) int {
		for k < len(changes) && changes[k].new.to <= i {
			shift = changes[k].new.to - changes[k].old.to
			k++
		}
		return i - shift
	}
	link := &s.root
	for _, v := range l.values {
		from := before(v.from)
		if k < len(changes) && changes[k].new == (piece{v.from, v.to}) {
			continue // it was left out
		}
		to := from
		if v.kind == toText {
			to++
		}
		p := s.add(link, string(raw[at:to]), v)
		if p == nil {
			return
		}
		at, link = before(v.to), &p.then
	}
	end := len(raw)
	for end > at && jsonscan.Space(raw, end-1) == len(raw) {
		end--
	}
	s.add(link, string(raw[at:end]), value{kind: toEnd})
}

// roughText is the offset past the quote that ends the string whose text begins at i, in which nginx's escapes stand beside
// JSON's; negative if mend would not make a string of it.
func roughText(rec []byte, i int) int {
	for i < len(rec) {
		switch c := rec[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c != '\\':
			i++
			continue
		}
		if i+1 >= len(rec) {
			return -1
		}
		switch rec[i+1] {
		case 'x':
			if _, ok := hex(rec, i+2, 2); !ok {
				return -1
			}
			i += 4
		case 'u':
			if _, ok := hex(rec, i+2, 4); !ok {
				return -1
			}
			i += 6
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		default:
			return -1
		}
	}
	return -1
}
