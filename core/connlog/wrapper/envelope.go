package wrapper

import (
	"bytes"
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// Envelope peels a JSON object that carries a line, or an object, in one of its fields and the time of writing in another.
// Docker, Journald and the others are values of it.
type Envelope struct {
	name   string
	line   string // keys that carry the line, best first
	time   string // keys that carry the time, best first
	needs  string // keys of which one must be there besides
	refuse string // keys that say that the object is the record itself
	only   bool   // no other keys than these are allowed
	within string // the key of the object that holds all this
}

// The envelopes of collectors and runtimes.
var (
	// Docker is the json-file driver's: {"log":"…\n","stream":"stdout","time":"…Z"}.
	Docker = Envelope{name: "docker", line: "log", time: "time", needs: "stream", refuse: "kubernetes date"}
	// Journald is `journalctl -o json`: MESSAGE, which is an array of bytes where the text is not UTF-8, and the time in
	// microseconds as a string.
	Journald = Envelope{name: "journald", line: "MESSAGE", time: "_SOURCE_REALTIME_TIMESTAMP __REALTIME_TIMESTAMP", needs: "__REALTIME_TIMESTAMP _BOOT_ID __CURSOR"}
	// FluentBit is Fluent Bit's and Fluentd's: {"date":1796057166.869412,"log":"…"}; log_processed is the line parsed.
	FluentBit = Envelope{name: "fluentbit", line: "log_processed log", time: "date time @timestamp timestamp", needs: "date kubernetes docker tag container_name container_id log_processed", refuse: "message"}
	// Filebeat is Filebeat's and Logstash's: {"@timestamp":"…","message":"…"} with fields of theirs beside.
	Filebeat = Envelope{name: "filebeat", line: "message", time: "@timestamp", needs: "agent @version input log fields tags host", refuse: "source client http client_ip remote_addr status status_code url level lvl"}
	// CloudWatchLine is one event of an export: {"timestamp":1796057166869,"message":"…"}.
	CloudWatchLine = Envelope{name: "cloudwatch-line", line: "message", time: "timestamp", refuse: "level", only: true, needs: "timestamp id eventId ingestionTime logStreamName logGroup logStream"}
	// Splunk is an exported event: {"_raw":"…","_time":"…"}.
	Splunk = Envelope{name: "splunk", line: "_raw", time: "_time"}
	// SplunkResult is the same inside {"preview":false,"result":{…}}.
	SplunkResult = Envelope{name: "splunk-result", line: "_raw", time: "_time", within: "result"}
	// LokiLine is `logcli -o jsonl`: {"labels":{…},"line":"…","timestamp":"…"}.
	LokiLine = Envelope{name: "loki-line", line: "line", time: "timestamp", needs: "labels"}
	// GCP is Cloud Logging's textPayload or jsonPayload; a record with httpRequest is read as it is.
	GCP = Envelope{name: "gcp-payload", line: "textPayload jsonPayload", time: "timestamp", refuse: "httpRequest"}
)

// Name is the envelope's word, "docker".
func (w Envelope) Name() string { return w.name }

// Joins is false.
func (w Envelope) Joins() bool { return false }

// has reports whether a list of words holds the key.
func has(words string, key []byte) bool { return rank(words, key) > 0 }

// rank is the place of the key in a list of words, from 1; 0 if it is not there.
func rank(words string, key []byte) int {
	n := 1
	for len(words) > 0 {
		w, rest, _ := strings.Cut(words, " ")
		if w == string(key) {
			return n
		}
		words = rest
		n++
	}
	return 0
}

// found is where the envelope's fields stand.
type found struct {
	line, time     [2]int
	lineAt, timeAt int // their ranks, 0 for none
	needed, wrong  bool
}

func (w Envelope) find(text []byte) (f found, ok bool) {
	i := jsonscan.Space(text, 0)
	fields := jsonscan.Fields{Data: text}
	if !fields.Open(i, 0) {
		return f, false
	}
	f.needed = w.needs == ""
	depth := 0
	for fields.Next() {
		key := text[fields.KeyAt:fields.KeyEnd]
		if w.within != "" && depth == 0 {
			if string(key) == w.within && text[fields.At] == '{' {
				inner := w
				inner.within = ""
				in, ok := inner.findAt(text, fields.At)
				return in, ok
			}
			continue
		}
		w.see(&f, text, key, fields.At, fields.End)
	}
	return f, fields.Bad < 0
}

func (w Envelope) findAt(text []byte, at int) (f found, ok bool) {
	fields := jsonscan.Fields{Data: text}
	if !fields.Open(at, 1) {
		return f, false
	}
	f.needed = w.needs == ""
	for fields.Next() {
		w.see(&f, text, text[fields.KeyAt:fields.KeyEnd], fields.At, fields.End)
	}
	return f, fields.Bad < 0
}

func (w Envelope) see(f *found, text, key []byte, at, end int) {
	known := false
	if n := rank(w.line, key); n > 0 && (f.lineAt == 0 || n <= f.lineAt) && (text[at] == '"' || text[at] == '{' || text[at] == '[') {
		f.line, f.lineAt, known = [2]int{at, end}, n, true
	}
	if n := rank(w.time, key); n > 0 {
		known = true
		if (f.timeAt == 0 || n <= f.timeAt) && text[at] != 'n' {
			f.time, f.timeAt = [2]int{at, end}, n
		}
	}
	if has(w.needs, key) {
		f.needed, known = true, true
	}
	if has(w.refuse, key) || w.only && !known {
		f.wrong = true
	}
}

// Match wants the line, and what else the envelope has.
func (w Envelope) Match(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	f, ok := w.find(text)
	if !ok || f.lineAt == 0 || !f.needed || f.wrong {
		return 0
	}
	if f.timeAt == 0 {
		return 60
	}
	return 95
}

// Peel takes the line out.
func (w Envelope) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	if len(text) == 0 || text[0] != '{' {
		return out, connlog.NotObject
	}
	f, ok := w.find(text)
	switch {
	case !ok:
		return out, connlog.BadJSON
	case f.lineAt == 0 || !f.needed || f.wrong:
		return out, connlog.BadLayout
	}
	if f.timeAt > 0 {
		if t, ok := stamp.Any(bare(text[f.time[0]:f.time[1]])); ok {
			written(&r, t, nil)
		}
	}
	r.Span, ok = value(b, r, text, f.line[0], f.line[1])
	if !ok {
		return out, connlog.BadLayout
	}
	return append(out, r), connlog.Used
}

// bare is a value's text without its quotes.
func bare(v []byte) []byte {
	if len(v) >= 2 && v[0] == '"' {
		return v[1 : len(v)-1]
	}
	return v
}

// value gives the span of a line: an object as it stands, a string without its quotes, escapes and line end, or the bytes
// of an array of numbers.
func value(b *connlog.Batch, r connlog.Record, text []byte, at, end int) (connlog.Span, bool) {
	v := text[at:end]
	switch v[0] {
	case '{':
		return r.Sub(at, end-at), true
	case '[':
		var line []byte
		n, any := 0, false
		for _, c := range v[1:] {
			switch {
			case c-'0' <= 9:
				n, any = n*10+int(c-'0'), true
			case c == ',' || c == ']':
				if !any || n > 255 {
					return connlog.Span{}, false
				}
				line = append(line, byte(n))
				n, any = 0, false
			case c != ' ':
				return connlog.Span{}, false
			}
		}
		return b.Keep(trim(line)), true
	}
	if bytes.IndexByte(v, '\\') < 0 {
		s := trim(v[1 : len(v)-1])
		return r.Sub(at+1, len(s)), true
	}
	var buf [1024]byte
	return b.Keep(trim(jsonscan.AppendText(buf[:0], v))), true
}

func trim(s []byte) []byte { return bytes.TrimRight(s, "\r\n ") }
