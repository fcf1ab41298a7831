package compat

import (
	"bytes"
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
)

const expectedInput = "a JSON array of objects, or two objects or more on lines of their own"

// Feed takes the next chunk of the part, cut anywhere. It keeps nothing of the chunk.
func (a *Accumulator) Feed(chunk []byte) error {
	if a.closed {
		return &fault.Error{Code: fault.Closed, Package: "compat", Message: "fed after its end"}
	}
	at := 0
	for len(a.carry) > 0 && !a.Refused() {
		if at == len(chunk) {
			return nil
		}
		head := len(a.carry)
		n := min(len(chunk)-at, max(1024, head))
		a.carry = append(a.carry, chunk[at:at+n]...)
		next := 0
		for next < head {
			to, ok := a.step(a.carry, next, false)
			if !ok || a.Refused() {
				break
			}
			next = to
		}
		if next >= head {
			at += next - head
			a.carry = a.carry[:0]
			break
		}
		a.carry = append(a.carry[:0], a.carry[next:]...)
		at += n
		if len(a.carry) > a.options.LineLimit {
			a.refuse(&fault.Error{Code: fault.TooLarge, Package: "compat", Message: "a record longer than the limit"})
		}
	}
	a.chunk(chunk, at)
	return nil
}

// chunk reads what it can and keeps the rest in hand. The fast lane goes first wherever a record has just ended; what
// stops it goes through the general lane and is learned.
func (a *Accumulator) chunk(buf []byte, at int) {
	ended := -1 // where the last record ended, if in this chunk
	for at < len(buf) && !a.Refused() {
		if !a.general && a.here.bad == nil && (a.here.last == element || a.here.framing == connlog.Lines) {
			if to := a.fast(buf, at); to > at {
				at, ended = to, to
			}
		}
		a.took = -1
		to, ok := a.step(buf, at, false)
		if !ok {
			a.carry = append(a.carry[:0], buf[at:]...)
			return
		}
		at = to
		if a.took >= 0 {
			if ended >= 0 {
				a.shapes.Learn(buf, ended, a.took, a.took, to)
			}
			ended = to
		}
	}
}

// close reads what is left in hand.
func (a *Accumulator) close() {
	if a.closed {
		return
	}
	a.closed = true
	for at := 0; at < len(a.carry) && !a.Refused(); {
		to, ok := a.step(a.carry, at, true)
		if !ok {
			break
		}
		at = to
	}
	a.carry = nil
	a.settled()
	if a.start && a.here.part.Index == 0 {
		a.here.framing = connlog.Lines // nothing but white space
	}
}

// step reads one token or record from buf[at:], white space before it included, and gives the offset behind it. ok is
// false when it needs more text, which final says will not come.
func (a *Accumulator) step(buf []byte, at int, final bool) (next int, ok bool) {
	i := jsonscan.Space(buf, at)
	if a.start {
		if i < len(buf) && buf[i] == 0xef {
			if i+3 > len(buf) && !final {
				return at, false
			}
			if i == 0 && len(buf) >= 3 && string(buf[:3]) == "\ufeff" && a.here.lines == 0 {
				return 3, true
			}
		}
		if i == len(buf) {
			a.pass(buf[at:i])
			return i, true
		}
		a.start = false
		a.here.framing = connlog.Lines
		if buf[i] == '[' {
			a.here.framing = connlog.Array
			a.here.step(opening)
			a.pass(buf[at:i])
			return i + 1, true
		}
	}
	if a.here.framing == connlog.Lines {
		return a.line(buf, at, final)
	}
	if i == len(buf) {
		a.pass(buf[at:i])
		return i, true
	}
	var t token
	switch buf[i] {
	case ',':
		t = comma
	case ']':
		t = closing
	default:
		return a.element(buf, at, i, final)
	}
	a.pass(buf[at:i])
	if e := a.here.step(t); e != nil {
		a.refuse(e)
	}
	return i + 1, true
}

// pass counts the line ends of text that holds no record.
func (a *Accumulator) pass(text []byte) { a.here.lines += int64(bytes.Count(text, []byte{'\n'})) }

// refuse notes the part's first fault, in the record and line that come next.
func (a *Accumulator) refuse(e *fault.Error) {
	if a.here.bad == nil {
		e.Record, e.Line = a.here.records+1, a.here.lines+1
		a.here.bad = e
	}
	a.here.hollow = false
}

// line reads one line of NDJSON.
func (a *Accumulator) line(buf []byte, at int, final bool) (next int, ok bool) {
	end := bytes.IndexByte(buf[at:], '\n')
	next = at + end + 1
	if end < 0 {
		if !final {
			return at, false
		}
		next = len(buf)
	}
	text := buf[at:next]
	i := jsonscan.Space(text, 0)
	if i == len(text) {
		a.pass(text)
		return next, true
	}
	if a.here.bad != nil { // {} was not alone
		a.here.hollow = false
		return next, true
	}
	if len(text) > a.options.LineLimit+1 {
		a.refuse(&fault.Error{Code: fault.TooLarge, Package: "compat", Message: "a record longer than the limit"})
		return next, true
	}
	f := jsonscan.Fields{Data: text}
	if text[i] != '{' {
		a.notObject(text, i)
		return next, true
	}
	f.Open(i, 0)
	if a.record(&f, text, i) {
		if rest := jsonscan.Space(text, f.Past); rest < len(text) {
			a.refuse(syntax(text, rest, "not one object on its line"))
		} else {
			a.take(at + i)
			return at + f.Past, true
		}
	}
	return next, true
}

// element reads one element of an array that begins at i.
func (a *Accumulator) element(buf []byte, at, i int, final bool) (next int, ok bool) {
	text := buf
	if len(buf)-i > a.options.LineLimit+1 {
		text = buf[:i+a.options.LineLimit+1]
	}
	end := i
	f := jsonscan.Fields{Data: text}
	sound := false
	if buf[i] == '{' {
		f.Open(i, 1)
		lines := a.here.lines
		a.pass(buf[at:i])
		sound = a.record(&f, text, i)
		if a.here.bad != nil && f.Bad == len(text) && !final && len(text) == len(buf) {
			a.here.bad, a.here.lines = nil, lines // cut off by the chunk, not by the input
			return at, false
		}
		end = f.Past
	} else {
		end = jsonscan.Skip(text, i, 1)
		if (end < 0 && ^end == len(text) || end == len(text)) && !final && len(text) == len(buf) {
			return at, false
		}
		a.pass(buf[at:i])
		a.notObject(text, i)
	}
	if f.Bad == len(text) && len(text) < len(buf) {
		a.here.bad = nil
		a.refuse(&fault.Error{Code: fault.TooLarge, Package: "compat", Message: "a record longer than the limit"})
		return len(buf), true
	}
	if e := a.here.step(element); e != nil {
		a.here.bad = nil
		a.refuse(e)
		return len(buf), true
	}
	if !sound {
		return len(buf), true
	}
	a.take(i)
	a.pass(buf[i:end])
	return end, true
}

func (a *Accumulator) notObject(text []byte, i int) {
	end := jsonscan.Skip(text, i, 1)
	if end < 0 {
		a.refuse(syntax(text, ^end, "not valid JSON"))
		return
	}
	a.refuse(&fault.Error{Code: fault.BadValue, Package: "compat", Message: "not an object", Value: sample(text[i:end]), Expected: expectedInput})
}

// syntax is the fault of text that stops fitting at byte i; it shows that byte alone, since what follows depends on how
// the input was cut.
func syntax(text []byte, i int, message string) *fault.Error {
	e := &fault.Error{Code: fault.BadSyntax, Package: "compat", Message: message}
	switch {
	case i >= len(text):
		e.Message += ", it ends too early"
	case text[i] == '\n':
		e.Message += ", unexpected end of line"
	default:
		e.Message += ", unexpected " + strconv.Quote(string(text[i:i+1]))
	}
	return e
}

// sample shows a value in an error: masked and cut.
func sample(raw []byte) string {
	const most = 40
	cut := len(raw) > 4*most
	if cut {
		raw = raw[:4*most]
	}
	s := connlog.Mask(nil, raw)
	if len(s) > most {
		s, cut = s[:most], true
	}
	if cut {
		s = append(s, "..."...)
	}
	return string(s)
}
