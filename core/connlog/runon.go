package connlog

import "bytes"

// Several lines in one: a line end was lost, or is none that anybody counts as one (a lone carriage return, a vertical tab,
// U+2028). A reader of text takes what its format names and leaves what follows alone, so it would use the first of the
// lines and say nothing of the others. Such a record is skipped, under RunOn, and its bytes count as not read.
//
// The rule looks at the record alone, so that chunks, parts and engines agree: behind its first stamp stands another one,
// and the text around that one is a record in its own right, which gives an event. Nothing else counts: a second date in a
// path or a user agent is no record, as servers escape the quotes there, and a line of no interest behind another one takes
// nothing from the figures.

const (
	shortestTwo = 96      // less than two records of any format take, in bytes
	mostStamps  = 16      // further stamps of a record that are looked at: a client can write as many as it likes
	longestLead = 512     // bytes of a record before its stamp
	longestTail = 1 << 14 // bytes of a record that are read to see whether it is one
)

// runsOn reports whether a record that was read holds another one. Its price for a line that does not is one search for the
// bracket of a stamp, or for the colons of one.
func (r *Reader) runsOn(b *Batch, rec Record) bool {
	if rec.Len < shortestTwo {
		return false
	}
	text := b.Text(rec.Span)
	if text[0] == '{' || text[0] == '[' && text[1] == '{' {
		return false // JSON says itself where it ends
	}
	first, mark, dated := -1, byte('['), bracketed
	tries := mostStamps
	for {
		for at := 0; ; {
			i := bytes.IndexByte(text[at:], mark)
			if i < 0 {
				break
			}
			at += i + 1
			if !dated(text, at) {
				continue
			}
			if first < 0 {
				first = at
			} else if r.another(b, rec, first, at) {
				return true
			} else if tries--; tries == 0 {
				return false
			}
			at += 5 // past the rest of the same stamp
		}
		if first >= 0 || mark == ':' {
			return false
		}
		mark, dated = ':', timed
	}
}

// bracketed reports whether a date follows the bracket before i: 30/Nov/2026, 2026-11-30.
func bracketed(t []byte, i int) bool {
	return i+8 < len(t) && digit(t[i]) && digit(t[i+1]) && (t[i+2] == '/' || digit(t[i+2]) && digit(t[i+3]) && t[i+4] == '-')
}

// timed reports whether the colon before i is the first one of a time of day: 16:46:06.
func timed(t []byte, i int) bool {
	return i >= 3 && i+4 < len(t) && t[i+2] == ':' && digit(t[i-3]) && digit(t[i-2]) && digit(t[i]) && digit(t[i+1]) && digit(t[i+3]) && digit(t[i+4])
}

func digit(c byte) bool { return c-'0' <= 9 }

// another reports whether a record that gives an event has its stamp at second, as the whole has its own at first. As many
// words come before the stamp; the first of them may be glued to the end of the line before.
func (r *Reader) another(b *Batch, rec Record, first, second int) bool {
	const most = 64 // bytes of that word
	text := b.Text(rec.Span)
	if first > longestLead {
		return false
	}
	words := bytes.Count(text[:first], blankByte)
	at := second
	for at > max(first, second-longestLead) {
		if at--; text[at] == ' ' {
			if words--; words < 0 {
				at++
				break
			}
		}
	}
	end := at
	for end < second && text[end] != ' ' {
		end++
	}
	before := len(b.Events)
	found := false
	for ; at < end && !found; at++ {
		if end-at > most {
			at = end - most
		}
		for _, f := range r.formats {
			size := min(len(text)-at, longestTail)
			if f.Match(text[at:at+size]) == 0 {
				continue
			}
			tail := rec
			tail.Span = rec.Sub(at, size)
			found = f.Read(b, tail) == Used
			b.Events = b.Events[:before]
			if found {
				break
			}
		}
	}
	return found
}

var blankByte = []byte{' '}
