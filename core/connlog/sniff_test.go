package connlog

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

// spoken is a small text format for these tests: TIME CLIENT PATH STATUS.
type spoken struct{ setup *Setup }

func (spoken) Name() string                       { return "spoken" }
func (spoken) Traits() Traits                     { return Traits{} }
func (spoken) Configure(s *Setup) (Format, error) { return spoken{s}, nil }
func (spoken) Match(rec []byte) int {
	if f := bytes.Fields(rec); len(f) == 4 && len(f[0]) == 20 {
		return 80
	}
	return 0
}
func (s spoken) Read(b *Batch, r Record) Reason {
	rec := b.Text(r.Span)
	f := bytes.Fields(rec)
	if len(f) != 4 {
		return BadLayout
	}
	if s.setup.Paths.Has(f[2]) == NotKnown && string(f[3]) != "101" {
		return Ignored
	}
	e := b.Add()
	e.Client = r.Sub(bytes.Index(rec, f[1]), len(f[1]))
	e.Path = r.Sub(bytes.Index(rec, f[2]), len(f[2]))
	if string(f[3]) == "101" {
		e.Outcome = OK
	}
	return Used
}

// boxed is a wrapper for these tests: "box: TEXT", with "box+ TEXT" for a piece that goes on.
type boxed struct{}

func (boxed) Name() string { return "boxed" }
func (boxed) Joins() bool  { return true }
func (boxed) Match(rec []byte) int {
	if bytes.HasPrefix(rec, []byte("box")) {
		return 90
	}
	return 0
}
func (w boxed) Peel(out []Record, b *Batch, r Record) ([]Record, Reason) {
	rec := b.Text(r.Span)
	if w.Match(rec) == 0 {
		return out, BadLayout
	}
	return append(out, Record{Span: r.Sub(5, len(rec)-5), Written: None, Partial: rec[3] == '+'}), Used
}

var known = Catalogue{Formats: []Format{spoken{}}, Wrappers: []Wrapper{boxed{}}}

func TestSniff(t *testing.T) {
	line := "2026-10-25T10:00:00Z 192.0.2.10 /room/17/chat 101\n"
	fail := "2026-10-25T10:00:01Z 192.0.2.10 /room/18/chat 503\n"
	for name, c := range map[string]struct {
		text, want string
		used       int64
	}{
		"base":    {lines(good, good2), `["base",""]`, 2},
		"array":   {array(good, good2), `"framing":"array"`, 2},
		"nothing": {"", `["base",""]`, 0},
		"text":    {line + fail, `"formats":[["spoken",""]]`, 2},
		"learned": {line + fail, `"learned":["/room/*/chat"]`, 2},
		"mixed":   {line + good + "\n" + line + fail, `[["spoken",""],["base",""]]`, 4},
		"wrapped": {"box: " + line + "box: " + fail, `"wrappers":["boxed"]`, 2},
		"pieces":  {"box+ " + line[:20] + "\nbox: " + line[20:] + "box: " + fail, `"joined":true`, 2},
		"twice":   {"box: box: " + line + "box: box: " + fail, `"wrappers":["boxed","boxed"]`, 2},
		"bracket": {"[2026-10-25] x\n", `"framing":"lines"`, 0},
	} {
		p, err := Sniff(known, []byte(c.text), Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := string(p.AppendJSON(nil)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s lacks %s", name, got, c.want)
		}
		r, err := NewReader(p, known, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		b := &Batch{}
		r.Feed([]byte(c.text), true)
		for r.Next(b) {
		}
		if r.Counts.Used != c.used {
			t.Errorf("%s: %+v", name, r.Counts)
		}
		if p.Joined && Boundary(p, []byte(c.text), 3) != len(c.text) {
			t.Errorf("%s: split", name)
		}
	}
}

func TestSniffRefuses(t *testing.T) {
	for want, o := range map[string]Options{
		`connlog: unknown format: x, expected auto or one of those that ` + "`stormlint formats` lists": {Format: "x"},
		`connlog: group-by is x, expected ua, path, host, query:KEY or field:NAME`:                      {Group: "x"},
		`connlog: line_limit is negative, expected a number of bytes, 0 for the default`:                {LineLimit: -1},
	} {
		if _, err := Sniff(known, nil, o); err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
	if _, err := Sniff(known, []byte("\xff\xfe[\x00"), Options{}); err == nil || err.(*fault.Error).Code != fault.Unsupported {
		t.Error(err)
	}
	if _, err := Sniff(known, []byte(good+"\r"+good2+"\r"), Options{}); err == nil || !strings.Contains(err.Error(), "carriage return") {
		t.Error(err)
	}
	if _, err := Sniff(known, []byte("["+good+",\r"+good2+"\r]"), Options{}); err != nil { // white space of an array
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{lines(good, good2, good3), array(good, good2, good3), "[" + good + ",\n{\"a\": \"b\n" + good + "] x", "\ufeff[" + good, "a\x00b\r\n" + good,
		"[" + good[:60] + "\"" + good[60:] + "," + good + "]", good + ",{\"a\":1," + good + "],[" + good + "]"} {
		f.Add([]byte(s), uint8(7), uint16(30))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8, at uint16) {
		p, err := Sniff(Catalogue{}, text, Options{LineLimit: 200})
		if err != nil {
			return
		}
		events, counts := read(t, p, string(text), 0)
		sum := counts.Used + counts.Ignored
		for _, s := range counts.Skipped {
			sum += s.Count
		}
		if sum != counts.Records || counts.Bytes != int64(len(text)) || counts.Lines != int64(bytes.Count(text, newline)) {
			t.Fatalf("%q: %+v", text, counts)
		}
		again, counts2 := read(t, p, string(text), 0, max(1, int(size)))
		if strings.Join(again, "\n") != strings.Join(events, "\n") || counts2.Records != counts.Records {
			t.Fatalf("%q in chunks of %d:\n got %v %+v\nwant %v %+v", text, size, again, counts2, events, counts)
		}
		cut := Boundary(p, text, int(at))
		if cut == 0 || cut == len(text) {
			return
		}
		_, left := read(t, p, string(text[:cut]), 0)
		_, right := read(t, p, string(text[cut:]), 1)
		left.Follow(&right)
		if left.Records != counts.Records || left.Used != counts.Used {
			t.Fatalf("%q cut at %d: %+v, want %+v", text, cut, left, counts)
		}
	})
}

// UTF-16 is told with its mark and without, from either side; a log with a hole of NULs is none.
func TestUTF16(t *testing.T) {
	wide := func(text string, first bool) string {
		var b []byte
		for _, c := range []byte(text) {
			if first {
				b = append(b, 0, c)
			} else {
				b = append(b, c, 0)
			}
		}
		return string(b)
	}
	line := "192.0.2.1 - - [30/Nov/2026:10:00:00 +0000] \"GET /ws?token=hunter2 HTTP/1.1\" 101\n"
	for in, want := range map[string]bool{
		"\xff\xfea\x00": true, "\xfe\xff\x00a": true, wide(line, true): true, wide(line, false): true,
		line: false, strings.Repeat("\x00", 4096) + line: false, line + wide(line, false)[:20]: false, "": false, "a\x00": false,
	} {
		if got := utf16([]byte(in)); got != want {
			t.Errorf("utf16(%q) = %v", in, got)
		}
	}
}

// What is packed in a way that is not opened is named, with a way to unpack it.
func TestArchive(t *testing.T) {
	tar := "access.log" + strings.Repeat("\x00", 247) + "ustar\x0000"
	for in, want := range map[string]string{
		"PK\x03\x04\x14\x00": "unzip", "BZh91AY&SY\x00": "bzip2", "\xfd7zXZ\x00\x00": "xz", "7z\xbc\xaf\x27\x1c\x00": "7z", "\x1f\x8b\x08": "zcat", tar: "tar",
		"BZh is a word\n": "", "PK": "", "": "", "{\"timestamp\":1}": "",
	} {
		_, err := Sniff(Catalogue{}, []byte(in), Options{})
		var f *fault.Error
		if got := errors.As(err, &f) && f.Code == fault.Unsupported; got != (want != "") || got && !strings.Contains(f.Expected, want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// A path that no request has is refused, not looked for in vain.
func TestEndpointsAsRequestsHaveThem(t *testing.T) {
	for named, refused := range map[string]bool{
		"/": false, "/ws": false, "/live*": false, "*": false, "/a-b/c_d.e~f%20": false, "/*": false,
		"": true, "ws": true, "ws*": true, " /ws": true, "/ws?v=1": true, "/ws#top": true, "wss://example.org/ws": true, "/room/*/ws": true, "/ws**": true,
	} {
		if _, err := Sniff(known, []byte("{}"), Options{Paths: []string{"/ok", named}}); (err != nil) != refused {
			t.Errorf("%q: %v", named, err)
		} else if err != nil && !strings.HasPrefix(err.Error(), `connlog: path is "`+named+`", expected the path of a request`) {
			t.Errorf("%q: %v", named, err)
		}
	}
}
