// Package decode reads JSON with a library: sonic where its just-in-time compiler runs, encoding/json elsewhere.
//
// The log reader has a scanner of its own, the same in every environment and faster than both. This package exists for two
// things: programs on the host that read stormlint's reports back (Unmarshal), and a second opinion on the log reader:
// `analyze --decoder sonic` and `--decoder std` take every JSON record apart with the library, and the report must be the
// same, byte for byte.
//
//	decoder   takes a record apart with
//	own       core/jsonscan
//	sonic     bytedance/sonic on amd64 and arm64; elsewhere std, and Named says so
//	std       encoding/json, map[string]json.RawMessage
package decode

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Library is one way of reading JSON.
type Library struct {
	Name      string // "sonic" or "std"
	unmarshal func(data []byte, into any) error
}

// Std is encoding/json.
func Std() Library { return Library{"std", json.Unmarshal} }

// Named gives the library for a decoder's name: nil for "own". Where sonic cannot compile, "sonic" gives std.
func Named(name string) (*Library, error) {
	switch name {
	case "own":
		return nil, nil
	case "sonic":
		l := Fastest()
		return &l, nil
	case "std":
		l := Std()
		return &l, nil
	}
	return nil, fault.Value("decode", "decoder", name, "own, sonic or std")
}

// Unmarshal is encoding/json's, by the fastest library.
func Unmarshal(data []byte, into any) error { return Fastest().unmarshal(data, into) }

// Format reads a format's JSON records with the library: a record is taken apart into its fields, written again and given
// to the format. Records that are no JSON object go to the format as they are.
func (l Library) Format(f connlog.Format) connlog.Format { return format{f, l} }

type format struct {
	connlog.Format
	library Library
}

func (f format) Configure(s *connlog.Setup) (connlog.Format, error) {
	inner, err := f.Format.Configure(s)
	if err != nil {
		return nil, err
	}
	return format{inner, f.library}, nil
}

// Learn looks as the format itself does.
func (f format) Learn(records [][]byte) string {
	if l, ok := f.Format.(connlog.Learner); ok {
		return l.Learn(records)
	}
	return ""
}

func (f format) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	record := b.Text(r.Span)
	if i := jsonscan.Space(record, 0); i == len(record) || record[i] != '{' {
		return f.Format.Read(b, r)
	}
	fields, err := f.library.fields(record)
	if err != nil {
		if jsonscan.Check(record) != nil {
			return f.Format.Read(b, r) // both refuse it; the format may know how to mend it
		}
		return connlog.BadJSON
	}
	r.Span = b.Keep(rewritten(fields))
	return f.Format.Read(b, r)
}

// fields takes one object apart. A library that accepts more than encoding/json does is held to the same grammar.
func (l Library) fields(record []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := l.unmarshal(record, &fields); err != nil {
		return nil, err
	}
	return fields, jsonscan.Check(record)
}

func rewritten(fields map[string]json.RawMessage) []byte {
	b := jsonwrite.Object(nil)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		b = jsonwrite.Raw(jsonwrite.Key(b, key), fields[key])
	}
	return jsonwrite.End(b, '}')
}
