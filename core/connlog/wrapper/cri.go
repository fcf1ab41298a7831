package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// CRI peels the lines of Kubernetes container runtimes (containerd, CRI-O) under /var/log/pods:
//
//	2026-11-30T16:46:06.869412345Z stdout F 192.0.2.10 - - […]
//
// F ends a line and P cuts one that goes on in the next line of the same stream, so that such a file cannot be split.
type CRI struct{}

// Name is "cri".
func (CRI) Name() string { return "cri" }

// Joins is true: partial lines.
func (CRI) Joins() bool { return true }

func (CRI) cut(text []byte) (t stamp.Time, stream uint32, partial bool, at int) {
	t, n := stamp.ISO(text)
	if n == 0 || !t.Zoned || n+10 > len(text) {
		return t, 0, false, 0
	}
	switch s := text[n : n+8]; {
	case string(s) == " stdout ":
		stream = 1
	case string(s) == " stderr ":
		stream = 2
	default:
		return t, 0, false, 0
	}
	n += 8
	if text[n] != 'F' && text[n] != 'P' {
		return t, 0, false, 0
	}
	partial = text[n] == 'P'
	if n+1 < len(text) && text[n+1] == ':' { // tags after a colon
		if m := bytes.IndexByte(text[n:], ' '); m > 0 {
			return t, stream, partial, n + m + 1
		}
	}
	return t, stream, partial, min(n+2, len(text))
}

// Match wants a stamp, a stream and a tag.
func (w CRI) Match(text []byte) int {
	if _, _, _, at := w.cut(text); at > 0 {
		return 100
	}
	return 0
}

// Peel takes the header off.
func (w CRI) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	t, stream, partial, at := w.cut(text)
	if at == 0 {
		return out, connlog.BadLayout
	}
	r.Stream, r.Partial = stream, partial
	written(&r, t, nil)
	if partial {
		r.Span = r.Sub(at, len(text)-at) // its blanks belong to the line
		return append(out, r), connlog.Used
	}
	return append(out, rest(r, text, at)), connlog.Used
}
