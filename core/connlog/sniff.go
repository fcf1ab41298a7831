package connlog

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/order"
)

// Options is what the operator says about an input. The zero Options lets Sniff decide everything.
type Options struct {
	Format    string      // a format's name; "" and "auto" look
	Layout    string      // --log-format, the server's own template; only with a format that takes one
	Map       []Role      // which field plays which part
	Paths     []string    // WebSocket endpoints; a trailing * matches any rest
	Zone      *stamp.Zone // for stamps without a zone; nil is UTC
	Year      int         // for stamps without a year; 0 is 1970
	Day       int64       // for stamps without a date, days since 1970-01-01
	Group     string      // ua, path, host, query:KEY or field:NAME
	LineLimit int         // bytes; 0 is DefaultLineLimit
}

const (
	sniffed   = 50   // records at the beginning, and as many all over the head, that decide the format
	maxLayers = 3    // wrappers around each other
	maxPaths  = 1000 // learned path shapes
)

// Sniff decides how an input is read, from its head and what the operator says: framing, wrappers, formats and their
// layouts, and the paths at which handshakes succeeded. The head should be as long as can be afforded (64 MiB, by the
// house's convention), since paths are learned from all of it; it may end in the middle of a record.
func Sniff(c Catalogue, head []byte, o Options) (*Plan, error) {
	if utf16(head) {
		return nil, &fault.Error{Code: fault.Unsupported, Package: "connlog", Message: "the input is UTF-16", Expected: "UTF-8: convert it, for example with iconv -f utf-16 -t utf-8"}
	}
	if kind, way := archive(head); kind != "" {
		return nil, &fault.Error{Code: fault.Unsupported, Package: "connlog", Message: "the input is " + kind, Expected: "a log: unpack it, for example with " + way}
	}
	if o.LineLimit < 0 {
		return nil, fault.Value("connlog", "line_limit", "negative", "a number of bytes, 0 for the default")
	}
	if _, err := groupBy(o.Group); err != nil {
		return nil, err
	}
	if err := endpoints(o.Paths); err != nil {
		return nil, err
	}
	p := &Plan{Zone: o.Zone, Year: o.Year, Day: o.Day, Map: o.Map, Paths: o.Paths, Group: o.Group, LineLimit: o.LineLimit}
	if isArray(head) {
		p.Framing = Array
	} else if first := head[:min(len(head), DefaultLineLimit)]; bytes.IndexByte(first, '\n') < 0 && bytes.Count(first, []byte{'\r'}) > 1 {
		return nil, &fault.Error{Code: fault.Unsupported, Package: "connlog", Message: "the lines end with a carriage return alone", Expected: "line feeds: convert it, for example with tr '\\r' '\\n'"}
	}
	b := &Batch{}
	records, err := p.unwrap(&c, b, p.head(head))
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, 0, len(records))
	for _, r := range records {
		texts = append(texts, b.Text(r.Span))
	}
	if o.Format != "" && o.Format != "auto" {
		f, err := c.format(o.Format)
		if err != nil {
			return nil, err
		}
		layout := o.Layout
		if l, ok := f.(Learner); ok && layout == "" {
			layout = l.Learn(texts)
		}
		p.Formats = []Chosen{{f.Name(), layout}}
	} else if err := p.choose(&c, texts, o.Layout); err != nil {
		return nil, err
	}
	if _, _, err := p.configure(&c); err != nil {
		return nil, err
	}
	return p, p.learn(&c, head)
}

// archive names what an input is packed in that is not opened on the way, and a way to unpack it; "" for none.
func archive(head []byte) (kind, way string) {
	for _, a := range [...]struct{ magic, kind, way string }{
		{"PK\x03\x04", "a ZIP archive", "unzip -p FILE |"},
		{"BZh", "bzip2 data", "bzip2 -dc FILE |"},
		{"\xfd7zXZ\x00", "xz data", "xz -dc FILE |"},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so FILE |"},
		{"\x1f\x8b", "gzip inside of what it was packed in", "zcat FILE | zcat |"},
	} {
		if strings.HasPrefix(string(head[:min(len(head), len(a.magic))]), a.magic) && (a.magic != "BZh" || len(head) > 9 && string(head[4:10]) == "1AY&SY") {
			return a.kind, a.way
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive", "tar -xOf FILE |"
	}
	return "", ""
}

// utf16 reports whether a text begins with the mark of UTF-16 or, without one, has a NUL in most pairs of bytes, always on the
// same side.
func utf16(head []byte) bool {
	if len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) {
		return true
	}
	pairs := min(len(head), 4096) / 2
	var nuls [2]int
	for i, c := range head[:2*pairs] {
		if c == 0 {
			nuls[i&1]++
		}
	}
	return pairs >= 4 && max(nuls[0], nuls[1])*4 > pairs*3 && min(nuls[0], nuls[1])*20 <= pairs
}

// isArray reports whether the text begins as a JSON array of objects; a text log may begin with a bracket too. Objects
// without the array's brackets count as one when they cannot be a record a line: a comma follows the first, or it stands on
// several lines, and another or nothing comes next.
func isArray(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	i := jsonscan.Space(head, 0)
	if i < len(head) && head[i] == ',' {
		i = jsonscan.Space(head, i+1)
	}
	if i < len(head) && head[i] == '{' {
		end := jsonscan.Skip(head, i, 0)
		if end < 0 {
			return false
		}
		next := jsonscan.Space(head, end)
		if next < len(head) && head[next] == ',' {
			next = jsonscan.Space(head, next+1)
		} else if bytes.IndexByte(head[i:end], '\n') < 0 {
			return false
		}
		return next == len(head) || head[next] == '{' || head[next] == ']'
	}
	if i >= len(head) || head[i] != '[' {
		return false
	}
	i = jsonscan.Space(head, i+1)
	return i >= len(head) || head[i] == '{' || head[i] == ']' || head[i] == '['
}

// head finds the first records.
func (p *Plan) head(text []byte) (records [][]byte) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var e elements
	for i := 0; i < len(text) && len(records) < sniffed; {
		var rec []byte
		if p.Framing == Array {
			start, end := e.find(text, i)
			if end < 0 {
				break
			}
			rec, i = text[start:end], end
		} else {
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				if n = len(text) - i; n > p.limit() || len(records) > 0 && len(text) >= 1<<20 {
					break // the head's end, not the input's
				}
			}
			rec = bytes.TrimRight(bytes.Trim(text[i:i+n], "\x00"), "\r")
			i += n + 1
		}
		if !blank(rec) && len(rec) <= p.limit() {
			records = append(records, rec)
		}
		if len(records) == sniffed && p.Framing == Lines {
			return p.further(text[min(i, len(text)):], records)
		}
	}
	return records
}

// further adds as many lines again from all over the rest, because what begins later (a second program's lines, another
// layout) is to be known too.
func (p *Plan) further(rest []byte, records [][]byte) [][]byte {
	for k := range sniffed {
		line := rest[len(rest)/sniffed*k:]
		if k > 0 {
			n := bytes.IndexByte(line, '\n')
			if n < 0 {
				break
			}
			line = line[n+1:]
		}
		n := bytes.IndexByte(line, '\n')
		if n < 0 {
			break // the head's end, not the input's
		}
		if line = bytes.TrimRight(bytes.Trim(line[:n], "\x00"), "\r"); !blank(line) && len(line) <= p.limit() {
			records = append(records, line)
		}
	}
	return records
}

// unwrap chooses the layers that most records have, outermost first, and peels them.
func (p *Plan) unwrap(c *Catalogue, b *Batch, texts [][]byte) ([]Record, error) {
	records := make([]Record, 0, len(texts))
	for _, t := range texts {
		records = append(records, Record{Span: b.Keep(t), Written: None})
	}
	for range maxLayers {
		var best Wrapper
		most, sure := 0, 0
		for _, w := range c.Wrappers {
			n, sum := 0, 0
			for _, r := range records {
				if m := w.Match(b.Text(r.Span)); m > 0 {
					n++
					sum += m
				}
			}
			if 2*n > len(records) && (n > most || n == most && sum > sure) {
				best, most, sure = w, n, sum
			}
		}
		if best == nil || sure < 30*most {
			break
		}
		p.Wrappers = append(p.Wrappers, best.Name())
		p.Joined = p.Joined || best.Joins()
		var inside []Record
		var joint peeler
		for _, r := range records {
			before := len(inside)
			out, why := best.Peel(inside, b, r)
			if why == BadLayout || why == BadJSON || why == NotObject {
				inside = append(out[:before], r)
				continue
			}
			inside = out[:before]
			for _, one := range out[before:] {
				if one, whole := joint.join(b, one, p.limit()); whole && one.Len > 0 {
					inside = append(inside, one)
				}
			}
		}
		records = inside
	}
	return records, nil
}

// choose ranks the formats by the records that they know.
func (p *Plan) choose(c *Catalogue, texts [][]byte, layout string) error {
	type score struct {
		Chosen
		format               Format
		records, sure, place int
	}
	var scores []score
	known := make([]bool, len(texts))
	for place, f := range append([]Format{Base{}}, c.Formats...) {
		s := score{Chosen: Chosen{f.Name(), layout}, place: place}
		if layout != "" { // whose layout is it? Only who can read it may say whether it fits
			own, err := f.Configure(p.setup(layout))
			if err != nil {
				continue
			}
			f = own
		} else if dear, ok := f.(Preparer); ok {
			f = dear.Prepare()
		}
		s.format = f
		for _, t := range texts {
			if m := f.Match(t); m > 0 {
				s.records++
				s.sure += m
			}
		}
		if s.records == 0 {
			continue
		}
		if l, ok := f.(Learner); ok && layout == "" {
			s.Layout = l.Learn(texts)
		}
		if layout == "" {
			if _, err := f.Configure(p.setup(s.Layout)); err != nil {
				return err
			}
		}
		scores = append(scores, s)
	}
	order.By(scores, func(a, b score) int {
		return cmp.Or(-cmp.Compare(a.sure, b.sure), -cmp.Compare(a.records, b.records), cmp.Compare(a.place, b.place))
	})
	// The best format reads the input. Another joins only if it knows records that those before it do not.
	for _, s := range scores {
		news := 0
		for i, t := range texts {
			if !known[i] && s.format.Match(t) > 0 {
				known[i] = true
				news++
			}
		}
		if news > 0 {
			p.Formats = append(p.Formats, s.Chosen)
		}
	}
	if len(p.Formats) == 0 && layout != "" && len(texts) > 0 {
		return &fault.Error{Code: fault.BadValue, Package: "connlog", Field: "log-format", Value: "`" + layout + "`", Expected: "a layout that fits the log: none of the first records does"}
	}
	if len(p.Formats) == 0 {
		p.Formats, p.Unknown = []Chosen{{Name: (Base{}).Name()}}, true
	}
	return nil
}
