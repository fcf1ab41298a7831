package wrapper

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Stamped peels an RFC 3339 stamp with its zone before a line, as `docker logs -t`, `kubectl logs --timestamps`, CloudWatch's
// exports to S3 and `logcli` put it there:
//
//	2026-11-30T16:46:06.869412345Z 192.0.2.10 - - […]
type Stamped struct{}

// Name is "stamped".
func (Stamped) Name() string { return "stamped" }

// Joins is false.
func (Stamped) Joins() bool { return false }

func (Stamped) cut(text []byte) (t stamp.Time, at int) {
	s := uncolour(text)
	t, n := stamp.ISO(s)
	if n == 0 || !t.Zoned || s[10] != 'T' || n+1 >= len(s) || s[n] != ' ' {
		return t, 0
	}
	in := uncolour(s[n+1:])
	if len(in) > 0 && in[0] == '{' && len(in) > 2 && in[1]|0x20 >= 'a' && in[1]|0x20 <= 'z' { // logcli's {app="gw"} labels
		for i, c := range in {
			if c == '}' && i+2 < len(in) {
				in = in[i+2:]
				break
			}
		}
	}
	if !inside(in) {
		return t, 0
	}
	return t, len(text) - len(in)
}

// Match wants a stamp before a line of its own.
func (w Stamped) Match(text []byte) int {
	if _, at := w.cut(text); at > 0 {
		return 60
	}
	return 0
}

// Peel takes the stamp off.
func (w Stamped) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	t, at := w.cut(text)
	if at == 0 {
		return out, connlog.BadLayout
	}
	written(&r, t, nil)
	return append(out, rest(r, text, at)), connlog.Used
}
