package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// EnvoyWasm peels Envoy's own log, into which a proxy-wasm filter writes; with Istio's form of it:
//
//	[2026-11-30 23:35:01.001][123][info][wasm] [source/…/context.cc:1160] wasm log stormlint stormlint: {"timestamp":…}
//	2026-11-30T23:35:01.001Z	info	envoy wasm external/…/context.cc:1160	wasm log stormlint: {"timestamp":…}	thread=25
//
// What is inside has stamps of its own. Envoy's other lines are none of handshakes and are ignored.
type EnvoyWasm struct{}

// Name is "envoy-wasm".
func (EnvoyWasm) Name() string { return "envoy-wasm" }

// Joins is false.
func (EnvoyWasm) Joins() bool { return false }

// own reports a line of Envoy's log: a stamp, a thread, a level and a component, each in brackets.
func (EnvoyWasm) own(text []byte) bool {
	if len(text) < 32 || text[0] != '[' || text[1]-'0' > 9 {
		return false
	}
	for i, what := range []func(c byte) bool{
		func(c byte) bool { return c-'0' <= 9 || c == '-' || c == ':' || c == '.' || c == ' ' },
		func(c byte) bool { return c-'0' <= 9 },
		func(c byte) bool { return c-'a' <= 25 },
		func(c byte) bool { return c-'a' <= 25 || c == '_' },
	} {
		end := bytes.IndexByte(text[:min(len(text), 40)], ']')
		if end < 2 || text[0] != '[' || i == 0 && end < 20 {
			return false
		}
		for _, c := range text[1:end] {
			if !what(c) {
				return false
			}
		}
		text = text[end+1:]
		if len(text) == 0 {
			return false
		}
	}
	return text[0] == ' '
}

// cut finds the object that a filter wrote.
func (EnvoyWasm) cut(text []byte) (at, end int) {
	at = bytes.Index(text[:min(len(text), 400)], []byte("wasm log "))
	if at < 1 || text[at-1] != ' ' && text[at-1] != '\t' {
		return 0, 0
	}
	open := bytes.Index(text[at:min(len(text), at+300)], []byte(": {"))
	end = bytes.LastIndexByte(text, '}') + 1
	if open < 0 || end <= at+open {
		return 0, 0
	}
	return at + open + 2, end
}

// Match wants Envoy's brackets or the words before a filter's object.
func (w EnvoyWasm) Match(text []byte) int {
	text = uncolour(text)
	if at, _ := w.cut(text); at > 0 || w.own(text) {
		return 95
	}
	return 0
}

// Peel takes the object out.
func (w EnvoyWasm) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	at, end := w.cut(text)
	switch {
	case at == 0 && w.own(uncolour(text)):
		return out, connlog.Ignored
	case at == 0:
		return out, connlog.BadLayout
	}
	r.Span = r.Sub(at, end-at)
	return append(out, r), connlog.Used
}
