package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// inside reports whether text looks like the beginning of a log line of its own: JSON, a stamp, a bracketed stamp soon, a
// level of Python's logging.
func inside(text []byte) bool {
	text = uncolour(text)
	if len(text) < 8 {
		return false
	}
	switch {
	case text[0] == '{', text[0] == '#':
		return true
	case text[0] == '<' && text[1]-'0' <= 9:
		return true
	}
	for _, w := range []string{"INFO:", "WARNING:", "ERROR:", "DEBUG:", "engine", "socket.io", "ws 2", "wss 2", "http 2", "https 2", "h2 2", "message repeated ", "last message repeated ", "info: ", "CONNECTED TO", "Main ", "REFUSED CONNECTION", "New client connected from ", "New connection from ", "Client "} {
		if bytes.HasPrefix(text, []byte(w)) {
			return true
		}
	}
	if _, n := stamp.ISO(text); n > 0 {
		return true
	}
	if _, n := stamp.Epoch(text); n > 0 && n < len(text) && text[n] == ':' {
		return true
	}
	if n := bytes.IndexByte(text[:min(len(text), 96)], '['); n >= 0 && n+12 < len(text) {
		at := text[n+1:]
		if at[0] == 'I' || at[0] == 'W' || at[0] == 'E' || at[0] == 'D' {
			at = at[2:]
		}
		return at[0]-'0' <= 9
	}
	return false
}

// uncolour passes the ANSI colour sequences at the start of text.
func uncolour(text []byte) []byte {
	for len(text) > 2 && text[0] == 0x1b && text[1] == '[' {
		n := bytes.IndexByte(text[:min(len(text), 16)], 'm')
		if n < 0 {
			break
		}
		text = text[n+1:]
	}
	return text
}

// rest is the record from byte i on, without blanks at its end.
func rest(r connlog.Record, text []byte, i int) connlog.Record {
	end := len(text)
	for end > i && (text[end-1] == ' ' || text[end-1] == '\r' || text[end-1] == '\n') {
		end--
	}
	r.Span = r.Sub(i, end-i)
	return r
}

// written notes the time of writing.
func written(r *connlog.Record, t stamp.Time, z *stamp.Zone) {
	r.Written, r.Resolution = t.In(z), t.Resolution
}
