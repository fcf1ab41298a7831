package gateway

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/jsonwrite"
)

// accessLog writes a line per attempt or session in one of the three forms; a nil log writes nothing.
type accessLog struct {
	mu     sync.Mutex
	out    *bufio.Writer
	format LogFormat
	line   []byte
	err    error
}

func newAccessLog(w io.Writer, format LogFormat) *accessLog {
	return &accessLog{out: bufio.NewWriter(w), format: format}
}

func (l *accessLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Flush(); l.err == nil {
		l.err = err
	}
	return l.err
}

func (l *accessLog) write(form func(b []byte) []byte) {
	l.mu.Lock()
	l.line = form(l.line[:0])
	if _, err := l.out.Write(l.line); err != nil && l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
}

// refused notes an attempt that gave no session; status 0 means that the client was gone before an answer, and 1013 that
// the handshake was accepted only to say so.
func (l *accessLog) refused(r *request, status int, now time.Time) {
	if l == nil {
		return
	}
	l.write(func(b []byte) []byte {
		switch l.format {
		case Nginx:
			switch status {
			case 0:
				status = 499
			case 1013:
				status = 101
			}
			return nginxLine(b, r, status, now)
		case Envoy:
			flags := "-"
			switch status {
			case 0:
				flags = "DC"
			case 1013:
				status = 101
			case 429:
				flags = "RL"
			default:
				flags = "UO"
			}
			return envoyLine(b, r, status, flags, now)
		}
		b = ownEvent(b, r, "retry", r.at)
		switch status {
		case 0:
			b = jsonwrite.String(jsonwrite.Key(b, "outcome"), "aborted")
		case 429, 1013:
			b = jsonwrite.String(jsonwrite.Key(b, "outcome"), "limited")
		default:
			b = jsonwrite.String(jsonwrite.Key(b, "outcome"), "upstream")
		}
		if status == 1013 {
			b = jsonwrite.Int(jsonwrite.Key(b, "close_code"), 1013)
		} else if status != 0 {
			b = jsonwrite.Int(jsonwrite.Key(b, "status"), int64(status))
		}
		return append(b, "}\n"...)
	})
}

// opened notes the beginning of a session, in the form that writes at the handshake.
func (l *accessLog) opened(r *request, now time.Time) {
	if l == nil || l.format != OwnJSON {
		return
	}
	l.write(func(b []byte) []byte {
		b = ownEvent(b, r, "connect", r.at)
		return append(b, "}\n"...)
	})
}

// closed notes the end of a session.
func (l *accessLog) closed(c *session, now time.Time) {
	if l == nil {
		return
	}
	l.write(func(b []byte) []byte {
		switch l.format {
		case Nginx:
			return nginxLine(b, &c.request, 101, now)
		case Envoy:
			return envoyLine(b, &c.request, 101, "-", now)
		}
		b = ownEvent(b, &c.request, "disconnect", now)
		b = jsonwrite.Millis(jsonwrite.Key(b, "duration_ms"), int64(now.Sub(c.request.at)))
		by := "server"
		if c.by == "client" {
			by = "client"
		}
		b = jsonwrite.String(jsonwrite.Key(b, "closed_by"), by)
		if c.code != 0 {
			b = jsonwrite.Int(jsonwrite.Key(b, "close_code"), int64(c.code))
		}
		return append(b, "}\n"...)
	})
}

func ownEvent(b []byte, r *request, kind string, at time.Time) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Time(jsonwrite.Key(b, "timestamp"), at.UnixNano(), 1e6)
	b = jsonwrite.String(jsonwrite.Key(b, "client_ip"), r.peer)
	b = jsonwrite.String(jsonwrite.Key(b, "event_type"), kind)
	b = jsonwrite.String(jsonwrite.Key(b, "path"), r.path)
	b = jsonwrite.String(jsonwrite.Key(b, "conn"), r.peer+":"+r.port)
	if r.agent != "" {
		b = jsonwrite.String(jsonwrite.Key(b, "user_agent"), r.agent)
	}
	return b
}

// nginxLine is combined, then $request_time and $msec: log_format storm '$remote_addr - $remote_user [$time_local]
// "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time $msec';
func nginxLine(b []byte, r *request, status int, now time.Time) []byte {
	b = append(b, r.peer...)
	b = append(b, " - - ["...)
	b = now.UTC().AppendFormat(b, "02/Jan/2006:15:04:05 -0700")
	b = append(b, "] \"GET "...)
	b = append(b, escaped(r.path)...)
	b = append(b, " HTTP/1.1\" "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, " 0 \"-\" \""...)
	b = append(b, dashed(r.agent)...)
	b = append(b, "\" "...)
	b = strconv.AppendFloat(b, now.Sub(r.at).Seconds(), 'f', 3, 64)
	b = append(b, ' ')
	b = strconv.AppendFloat(b, float64(now.UnixMilli())/1000, 'f', 3, 64)
	return append(b, '\n')
}

// envoyLine is Envoy's default format; the peer stands in the X-Forwarded-For column, as behind a hop that set it.
func envoyLine(b []byte, r *request, status int, flags string, now time.Time) []byte {
	client := r.forwarded
	if client == "" {
		client = r.peer
	}
	b = append(b, '[')
	b = r.at.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = append(b, "] \"GET "...)
	b = append(b, escaped(r.path)...)
	b = append(b, " HTTP/1.1\" "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, flags...)
	b = append(b, " 0 0 "...)
	b = strconv.AppendInt(b, now.Sub(r.at).Milliseconds(), 10)
	b = append(b, " - \""...)
	b = append(b, escaped(client)...)
	b = append(b, "\" \""...)
	b = append(b, dashed(r.agent)...)
	b = append(b, "\" \"-\" \""...)
	b = append(b, dashed(r.host)...)
	return append(b, "\" \"-\"\n"...)
}

func dashed(s string) string {
	if s == "" {
		return "-"
	}
	return escaped(s)
}

// escaped keeps a hostile header from breaking the line: control characters, quotes and backslashes become \xHH.
func escaped(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == '"' || r == '\\' || r >= 0x7f }) {
		return s
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
