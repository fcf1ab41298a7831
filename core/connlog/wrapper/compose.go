package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Compose peels `docker compose logs`, with or without colour:
//
//	nginx-1    | 192.0.2.10 - - […]
//
// Names have any width; with -t an RFC 3339 stamp follows, which is a layer of its own (Stamped). Lines of several
// containers are mixed.
type Compose struct{}

// Name is "compose".
func (Compose) Name() string { return "compose" }

// Joins is false.
func (Compose) Joins() bool { return false }

func (Compose) cut(text []byte) (at int) {
	s := uncolour(text)
	bar := bytes.IndexByte(s[:min(len(s), 80)], '|')
	if bar < 2 || s[bar-1] != ' ' {
		return 0
	}
	name := bytes.TrimRight(s[:bar], " ")
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return 0
		}
	}
	after := uncolour(s[bar+1:])
	if len(after) == 0 || after[0] != ' ' {
		return 0
	}
	return len(text) - len(after) + 1
}

// Match wants a name and a bar.
func (w Compose) Match(text []byte) int {
	if w.cut(text) > 0 {
		return 90
	}
	return 0
}

// Peel takes the name off.
func (w Compose) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	at := w.cut(text)
	if at == 0 {
		return out, connlog.BadLayout
	}
	return append(out, rest(r, text, at)), connlog.Used
}
