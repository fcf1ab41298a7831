package gateway

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
)

// accessLog writes a line per attempt or session in one of the three forms; a nil log writes nothing.
type accessLog struct {
	mu     sync.Mutex
	out    *bufio.Writer
	format LogFormat
	line   []byte
	batch  connlog.Batch
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
		return l.event(b, r, r.at, func(e *connlog.Event) {
			e.Duration = int64(now.Sub(r.at))
			switch status {
			case 0:
				e.Outcome = connlog.Aborted
			case 429:
				e.Outcome, e.Status = connlog.Limited, 429
			case 1013:
				e.Outcome, e.CloseCode = connlog.Limited, 1013
			default:
				e.Outcome, e.Status = connlog.Upstream, uint16(status)
			}
		})
	})
}

// opened notes the beginning of a session, in the form that writes at the handshake.
func (l *accessLog) opened(r *request, now time.Time) {
	if l == nil || l.format != OwnJSON {
		return
	}
	l.write(func(b []byte) []byte {
		return l.event(b, r, r.at, func(e *connlog.Event) { e.Outcome, e.Status = connlog.OK, 101 })
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
		return l.event(b, &c.request, now, func(e *connlog.Event) {
			e.Kind, e.Duration, e.ClosedBy, e.CloseCode = connlog.Close, int64(now.Sub(c.opened)), connlog.ByServer, uint16(c.code)
			if c.by == "client" {
				e.ClosedBy = connlog.ByClient
			}
		})
	})
}

// event is one line of stormlint's own form.
func (l *accessLog) event(b []byte, r *request, at time.Time, fill func(e *connlog.Event)) []byte {
	l.batch.Reset(nil)
	e := l.batch.Add()
	e.Time, e.Resolution, e.TimeSource = at.UnixNano(), 1, connlog.PrintedStart
	keep := func(text string) connlog.Span { return l.batch.Keep([]byte(text)) }
	e.Client, e.ClientSource, e.Transport = keep(r.peer), connlog.Peer, connlog.WebSocket
	port, _ := strconv.ParseUint(r.port, 10, 16)
	e.Port = uint16(port)
	e.Path, e.Host, e.UserAgent = keep(r.path), keep(r.host), keep(r.agent)
	e.Conn, e.Forwarded = keep(r.peer+":"+r.port), keep(r.forwarded)
	fill(e)
	return append(connlog.Append(b, &l.batch, e), '\n')
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
