package render

import (
	"strings"
	"unicode/utf8"
)

// Sheet is a text page in the making: append paragraphs, headings, tables and charts, then take Bytes.
type Sheet struct {
	Options
	b []byte
}

// NewSheet begins an empty page.
func NewSheet(o Options) *Sheet { return &Sheet{Options: o} }

// Bytes is the page; it ends with a line end.
func (s *Sheet) Bytes() []byte { return s.b }

// style is an ANSI colour or weight.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// styled appends text in a style, if colours were asked for.
func (s *Sheet) styled(text string, as style) {
	if s.Color && as != plain && text != "" {
		s.b = append(append(append(append(s.b, "\x1b["...), as...), 'm'), text...)
		s.b = append(s.b, "\x1b[0m"...)
		return
	}
	s.b = append(s.b, text...)
}

func (s *Sheet) line() { s.b = append(s.b, '\n') }

// Heading begins a section: a blank line before it, unless it is the first.
func (s *Sheet) Heading(text string) {
	if len(s.b) > 0 {
		s.line()
	}
	s.styled(s.clean(text), bold)
	s.line()
}

// Paragraph appends text that wraps at the width; following lines stand as far in as the first word after the mark, which
// is "- " for an item of a list and empty for running text.
func (s *Sheet) Paragraph(mark, text string) { s.paragraph(mark, text, plain) }

func (s *Sheet) paragraph(mark, text string, as style) { s.item(mark, plain, text, as) }

// item is a paragraph whose mark has a style of its own.
func (s *Sheet) item(mark string, markAs style, text string, as style) {
	room := s.width() - width(mark)
	first := true
	flush := func(words string) {
		if first {
			s.styled(mark, markAs)
		} else {
			s.b = append(s.b, strings.Repeat(" ", width(mark))...)
		}
		first = false
		s.styled(words, as)
		s.line()
	}
	var row []byte
	used := 0
	for word := range strings.FieldsSeq(s.clean(text)) {
		w := width(word)
		for w > room { // no blank for a whole line: cut it where the line ends
			if used > 0 {
				flush(string(row))
				row, used = row[:0], 0
			}
			at := fitting(word, room)
			flush(word[:at])
			word = word[at:]
			w = width(word)
		}
		if used > 0 && used+1+w > room {
			flush(string(row))
			row, used = row[:0], 0
		}
		if used > 0 {
			row, used = append(row, ' '), used+1
		}
		row, used = append(row, word...), used+w
	}
	if used > 0 {
		flush(string(row))
	}
}

// clean makes text safe for a terminal: control characters, the invisible ones that change direction, and broken UTF-8
// become "·"; ASCII pages also spell the typographic characters that render itself uses.
func (s *Sheet) clean(text string) string { return clean(text, s.ASCII) }

func clean(text string, ascii bool) string {
	sound := true
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			sound = false
			break
		}
	}
	if sound {
		return text
	}
	b := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			b = append(b, ' ')
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == utf8.RuneError && n == 1,
			r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			b = append(b, dot(ascii)...)
		case ascii && r >= 0x80:
			b = append(b, spelled(r)...)
		default:
			b = append(b, text[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

func dot(ascii bool) string {
	if ascii {
		return "."
	}
	return "·"
}

func spelled(r rune) string {
	switch r {
	case '–', '−':
		return "-"
	case '·':
		return "|"
	case '…':
		return "..."
	case '×':
		return "x"
	case '±':
		return "+/-"
	case '≥':
		return ">="
	case '≤':
		return "<="
	case '“', '”':
		return `"`
	case '’':
		return "'"
	case 'µ', 'μ':
		return "u"
	}
	return "?"
}

// width counts columns. Wide East Asian characters count two, as terminals show them.
func width(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff) {
			n++
		}
	}
	return n
}

// fitting is how many bytes of text fit a width, at least one character.
func fitting(text string, to int) int {
	used := 0
	for i, r := range text {
		if used += width(string(r)); used > to && i > 0 {
			return i
		}
	}
	return len(text)
}

// shorten cuts text to a width, with an ellipsis for what is missing.
func (s *Sheet) shorten(text string, to int) string {
	if width(text) <= to {
		return text
	}
	mark := "…"
	if s.ASCII {
		mark = "~"
	}
	if to <= 1 {
		return mark
	}
	return text[:fitting(text, to-1)] + mark
}
