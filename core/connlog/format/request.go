package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// request reads a request line, GET /ws?v=1 HTTP/1.1, into x: the method, the path and the query apart, and the host if
// the target is a whole URL. Nothing is unescaped, and quotes may stand in it raw. It returns false if there is none,
// as for binary rubbish or the close frame that a client sends on a refused connection.
func request(rec []byte, p piece, s connlog.Span, x *exchange) bool {
	b := p.of(rec)
	n := bytes.IndexByte(b, ' ')
	if n < 1 || n > 16 {
		return false
	}
	x.get = n == 3 && b[0] == 'G' && b[1] == 'E' && b[2] == 'T' || n == 1 && b[0] == '-' || n == 7 && string(b[:7]) == "CONNECT"
	target := piece{p.from + n + 1, p.to}
	if m := protocol(b); m >= n {
		target.to = p.from + m
		if v := b[m+6:]; len(v) > 0 && (v[0] == '2' || v[0] == '3') {
			x.Transport = connlog.WebSocketH2
		}
	}
	if target.to == p.to && hyper(b) { // hypercorn leaves "HTTP/" out
		target.to = p.from + bytes.LastIndexByte(b, ' ')
		if b[len(b)-1] == '2' {
			x.Transport = connlog.WebSocketH2
		}
	}
	if target.to <= target.from || rec[target.from] != '/' && bytes.Index(target.of(rec), []byte("://")) < 1 {
		return false // no path and no URL: no request, but perhaps a credential
	}
	return url(rec, target, s, x)
}

// protocol is where " HTTP/" begins at the end of a request line, -1 without it.
func protocol(b []byte) int {
	for _, m := range [...]int{len(b) - 9, len(b) - 7} { // HTTP/1.1 and HTTP/2
		if m > 0 && b[m] == ' ' && string(b[m+1:m+6]) == "HTTP/" {
			return m
		}
	}
	return lastIndex(b, " HTTP/", 1)
}

// url reads a path or a whole URL into x.
func url(rec []byte, t piece, s connlog.Span, x *exchange) bool {
	b := t.of(rec)
	if len(b) == 0 {
		return false
	}
	if b[0] != '/' {
		if n := bytes.Index(b, []byte("://")); n > 0 && n <= 5 {
			if b[0] == 'w' {
				x.upgrade = asked
			}
			t.from += n + 3
			b = t.of(rec)
			end := bytes.IndexAny(b, "/?#")
			if end < 0 {
				end = len(b)
			}
			x.Host = s.Sub(t.from, end)
			t.from += end
			b = t.of(rec)
		}
	}
	if n := bytes.IndexByte(b, '#'); n >= 0 { // a fragment, which browsers never send
		b = b[:n]
	}
	if n := bytes.IndexByte(b, '?'); n >= 0 {
		x.Query = s.Sub(t.from+n+1, len(b)-n-1)
		b = b[:n]
	}
	x.Path = s.Sub(t.from, len(b))
	return true
}

// unescape gives the text of a quoted piece, with the server's escapes undone in the batch's arena where there are any.
func unescape(b *connlog.Batch, rec []byte, p piece, s connlog.Span) connlog.Span {
	if p.absent(rec) {
		return connlog.Span{}
	}
	if bytes.IndexByte(p.of(rec), '\\') < 0 {
		return p.in(s)
	}
	var buf [256]byte
	return b.Keep(appendUnescaped(buf[:0], p.of(rec)))
}

// appendUnescaped undoes \xNN (nginx in upper case, Apache in lower), \uNNNN (Tomcat, of one Latin-1 character), \" and
// \\ and the letters of C.
func appendUnescaped(out, in []byte) []byte {
	for i := 0; i < len(in); i++ {
		c := in[i]
		if c != '\\' || i+1 == len(in) {
			out = append(out, c)
			continue
		}
		i++
		switch in[i] {
		case 'x':
			if v, ok := hex(in, i+1, 2); ok {
				out = append(out, byte(v))
				i += 2
				continue
			}
			out = append(out, '\\', 'x')
		case 'u':
			if v, ok := hex(in, i+1, 4); ok {
				if v < 0x80 {
					out = append(out, byte(v))
				} else if v < 0x800 {
					out = append(out, 0xC0|byte(v>>6), 0x80|byte(v&63))
				} else {
					out = append(out, 0xE0|byte(v>>12), 0x80|byte(v>>6&63), 0x80|byte(v&63))
				}
				i += 4
				continue
			}
			out = append(out, '\\', 'u')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case '"', '\\':
			out = append(out, in[i])
		default:
			out = append(out, '\\', in[i])
		}
	}
	return out
}

// hex reads n hexadecimal digits at in[i:].
func hex(in []byte, i, n int) (v int, ok bool) {
	if i+n > len(in) {
		return 0, false
	}
	for _, c := range in[i : i+n] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | int(c)
	}
	return v, true
}
