package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// OTLP peels OpenTelemetry's JSON, as the file exporter writes it:
//
//	{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"…","body":{"stringValue":"…"},"attributes":[{"key":"client.address",
//	 "value":{"stringValue":"192.0.2.10"}}]}]}]}]}
//
// A log record without attributes is its body's line. One with attributes becomes an object of them, with the names as they
// are and the body as "body", which is then read by its field names.
type OTLP struct{}

// Name is "otlp".
func (OTLP) Name() string { return "otlp" }

// Joins is false.
func (OTLP) Joins() bool { return false }

// Match wants resourceLogs.
func (OTLP) Match(text []byte) int {
	if len(text) > 0 && text[0] == '{' && bytes.HasPrefix(text[jsonscan.Space(text, 1):], []byte(`"resourceLogs"`)) {
		return 100
	}
	return 0
}

// Peel gives every log record.
func (w OTLP) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	if w.Match(text) == 0 {
		return out, connlog.BadLayout
	}
	if jsonscan.Skip(text, 0, 0) < 0 {
		return out, connlog.BadJSON
	}
	var walk func(at, depth int)
	walk = func(at, depth int) {
		f := jsonscan.Fields{Data: text}
		if depth > 8 || !f.Open(at, depth) {
			return
		}
		for f.Next() {
			if text[f.At] != '[' {
				continue
			}
			switch string(text[f.KeyAt:f.KeyEnd]) {
			case "resourceLogs", "scopeLogs", "instrumentationLibraryLogs":
				each(text, f.At, f.End, func(at, end int) { walk(at, depth+2) })
			case "logRecords":
				each(text, f.At, f.End, func(at, end int) {
					if one, ok := w.record(b, r, text, at); ok {
						out = append(out, one)
					}
				})
			}
		}
	}
	walk(0, 0)
	return out, connlog.Used
}

// record reads one log record.
func (OTLP) record(b *connlog.Batch, r connlog.Record, text []byte, at int) (connlog.Record, bool) {
	f := jsonscan.Fields{Data: text}
	if !f.Open(at, 6) {
		return r, false
	}
	var body, attributes, when [2]int
	for f.Next() {
		v := [2]int{f.At, f.End}
		switch string(text[f.KeyAt:f.KeyEnd]) {
		case "timeUnixNano":
			when = v
		case "observedTimeUnixNano":
			if when[1] == 0 {
				when = v
			}
		case "body":
			if at, end, ok := anyValue(text, f.At); ok {
				body = [2]int{at, end}
			}
		case "attributes":
			if text[f.At] == '[' {
				attributes = v
			}
		}
	}
	if when[1] > 0 {
		if t, ok := stamp.Any(bare(text[when[0]:when[1]])); ok {
			written(&r, t, nil)
		}
	}
	n := 0
	if attributes[1] > 0 {
		each(text, attributes[0], attributes[1], func(int, int) { n++ })
	}
	if n == 0 {
		if body[1] == 0 {
			return r, false
		}
		var ok bool
		r.Span, ok = value(b, r, text, body[0], body[1])
		return r, ok && (text[body[0]] == '"' || text[body[0]] == '{')
	}
	flat := append(make([]byte, 0, 512), `{"body":`...)
	if body[1] > 0 {
		flat = append(flat, text[body[0]:body[1]]...)
	} else {
		flat = append(flat, "null"...)
	}
	if when[1] > 0 {
		flat = append(append(flat, `,"timeUnixNano":`...), text[when[0]:when[1]]...)
	}
	each(text, attributes[0], attributes[1], func(at, end int) {
		f := jsonscan.Fields{Data: text}
		if !f.Open(at, 8) {
			return
		}
		var key, val [2]int
		for f.Next() {
			switch string(text[f.KeyAt:f.KeyEnd]) {
			case "key":
				key = [2]int{f.At, f.End}
			case "value":
				if at, end, ok := anyValue(text, f.At); ok {
					val = [2]int{at, end}
				}
			}
		}
		if key[1] > 0 && text[key[0]] == '"' && val[1] > 0 {
			flat = append(append(append(append(flat, ','), text[key[0]:key[1]]...), ':'), text[val[0]:val[1]]...)
		}
	})
	r.Span = b.Keep(append(flat, '}'))
	return r, true
}

// anyValue finds what {"stringValue":…} and its kin hold.
func anyValue(text []byte, at int) (from, to int, ok bool) {
	f := jsonscan.Fields{Data: text}
	if !f.Open(at, 7) {
		return 0, 0, false
	}
	for f.Next() {
		switch string(text[f.KeyAt:f.KeyEnd]) {
		case "stringValue", "intValue", "doubleValue", "boolValue":
			from, to, ok = f.At, f.End, true
		}
	}
	return from, to, ok
}
