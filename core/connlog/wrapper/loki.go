package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// Loki peels the answers of Loki's query API and the bodies of its push API:
//
//	{"status":"success","data":{"resultType":"streams","result":[{"stream":{…},"values":[["1796057166869412345","…"]]}]}}
//	{"streams":[{"stream":{…},"values":[["1796057166869412345","…"]]}]}
type Loki struct{}

// Name is "loki".
func (Loki) Name() string { return "loki" }

// Joins is false.
func (Loki) Joins() bool { return false }

// Match wants values in streams.
func (Loki) Match(text []byte) int {
	if len(text) > 0 && text[0] == '{' && bytes.Contains(text, []byte(`"values"`)) &&
		(bytes.Contains(text, []byte(`"streams"`)) || bytes.Contains(text, []byte(`"result"`)) || bytes.Contains(text, []byte(`"stream"`))) {
		return 95
	}
	return 0
}

// Peel gives every line of every stream.
func (Loki) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	if len(text) == 0 || text[0] != '{' {
		return out, connlog.NotObject
	}
	if jsonscan.Skip(text, 0, 0) < 0 {
		return out, connlog.BadJSON
	}
	before := len(out)
	var walk func(at, depth int)
	walk = func(at, depth int) {
		f := jsonscan.Fields{Data: text}
		if depth > 4 || !f.Open(at, depth) {
			return
		}
		for f.Next() {
			key := text[f.KeyAt:f.KeyEnd]
			switch {
			case text[f.At] == '{' && string(key) == "data":
				walk(f.At, depth+1)
			case text[f.At] == '[' && (string(key) == "result" || string(key) == "streams"):
				each(text, f.At, f.End, func(at, end int) { walk(at, depth+2) })
			case text[f.At] == '[' && string(key) == "values":
				each(text, f.At, f.End, func(at, end int) {
					if one, ok := entry(b, r, text, at, end); ok {
						out = append(out, one)
					}
				})
			}
		}
	}
	walk(0, 0)
	if len(out) == before {
		return out, connlog.BadLayout
	}
	return out, connlog.Used
}

// entry reads ["ns","line"].
func entry(b *connlog.Batch, r connlog.Record, text []byte, at, end int) (connlog.Record, bool) {
	if text[at] != '[' {
		return r, false
	}
	n, ok := 0, false
	each(text, at, end, func(at, end int) {
		switch n {
		case 0:
			if t, good := stamp.Any(bare(text[at:end])); good {
				written(&r, t, nil)
			}
		case 1:
			if text[at] == '"' {
				r.Span, ok = value(b, r, text, at, end)
			}
		}
		n++
	})
	return r, ok
}
