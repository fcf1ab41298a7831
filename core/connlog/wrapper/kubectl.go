package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Kubectl peels what `kubectl logs --prefix` and stern put before a line:
//
//	[pod/gw-0/nginx] 192.0.2.10 - - […]
//	traefik-687cf57f46-dx6v7 traefik {"ClientHost":…}
type Kubectl struct{}

// Name is "kubectl".
func (Kubectl) Name() string { return "kubectl" }

// Joins is false.
func (Kubectl) Joins() bool { return false }

func (Kubectl) cut(text []byte) (at int) {
	s := uncolour(text)
	if bytes.HasPrefix(s, []byte("[pod/")) {
		if n := bytes.Index(s, []byte("] ")); n > 0 && n < 200 {
			return len(text) - len(s) + n + 2
		}
		return 0
	}
	pod := bytes.IndexByte(s[:min(len(s), 260)], ' ')
	if pod < 3 || bytes.IndexByte(s[:pod], '-') < 0 || !label(uncoloured(s[:pod])) {
		return 0
	}
	s = uncolour(s[pod+1:])
	box := bytes.IndexByte(s[:min(len(s), 80)], ' ')
	if box < 1 || !label(uncoloured(s[:box])) {
		return 0
	}
	s = uncolour(s[box+1:])
	if !inside(s) {
		return 0
	}
	return len(text) - len(s)
}

// uncoloured cuts a colour sequence at the end of a word.
func uncoloured(w []byte) []byte {
	if n := bytes.IndexByte(w, 0x1b); n >= 0 {
		return w[:n]
	}
	return w
}

// label reports a name as Kubernetes allows it.
func label(w []byte) bool {
	if len(w) == 0 || len(w) > 253 || w[0]-'0' <= 9 {
		return false
	}
	for _, c := range w {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}

// Match wants one of the two prefixes.
func (w Kubectl) Match(text []byte) int {
	if w.cut(text) > 0 {
		return 80
	}
	return 0
}

// Peel takes the prefix off.
func (w Kubectl) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	at := w.cut(text)
	if at == 0 {
		return out, connlog.BadLayout
	}
	return append(out, rest(r, text, at)), connlog.Used
}
