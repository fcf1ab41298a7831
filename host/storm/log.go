package storm

import (
	"bufio"
	"io"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/connlog"
)

// eventLog writes what the clients see in stormlint's own form; a log without a writer writes nothing.
type eventLog struct {
	mu    sync.Mutex
	out   *bufio.Writer
	path  string
	batch connlog.Batch
	line  []byte
	err   error
}

func newEventLog(w io.Writer, uri string) *eventLog {
	if w == nil {
		return &eventLog{}
	}
	l := &eventLog{out: bufio.NewWriterSize(w, 64<<10), path: "/"}
	if target, err := url.Parse(uri); err == nil && target.Path != "" {
		l.path = target.Path
	}
	return l
}

func (l *eventLog) close() error {
	if l.out == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Flush(); l.err == nil {
		l.err = err
	}
	return l.err
}

func (l *eventLog) write(number int, at time.Time, fill func(e *connlog.Event)) {
	if l.out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batch.Reset(nil)
	e := l.batch.Add()
	e.Time, e.Resolution, e.TimeSource = at.UnixNano(), 1, connlog.PrintedStart
	e.Client = l.batch.Keep([]byte(source(number).String()))
	e.ClientSource, e.Transport = connlog.Peer, connlog.WebSocket
	e.Path = l.batch.Keep([]byte(l.path))
	fill(e)
	l.line = append(connlog.Append(l.line[:0], &l.batch, e), '\n')
	if _, err := l.out.Write(l.line); err != nil && l.err == nil {
		l.err = err
	}
}

func (l *eventLog) opened(number int, at, now time.Time) {
	l.write(number, at, func(e *connlog.Event) { e.Kind, e.Outcome, e.Status = connlog.Attempt, connlog.OK, 101 })
}

func (l *eventLog) failed(number int, kind Kind, at, now time.Time) {
	l.write(number, at, func(e *connlog.Event) {
		e.Kind, e.Duration = connlog.Attempt, int64(now.Sub(at))
		e.Cause = l.batch.Keep([]byte(kind))
		status, err := strconv.Atoi(string(kind))
		switch {
		case err == nil && status >= 400 && status < 600:
			e.Status = uint16(status)
			e.Outcome = connlog.Refused
			if status == 429 {
				e.Outcome = connlog.Limited
			} else if status >= 500 {
				e.Outcome = connlog.Upstream
			}
		case kind == secure:
			e.Outcome = connlog.TLS
		case kind == timedOut:
			e.Outcome = connlog.Aborted
		default:
			e.Outcome = connlog.Upstream
		}
	})
}

func (l *eventLog) closed(number int, code ws.StatusCode, opened, now time.Time) {
	l.write(number, now, func(e *connlog.Event) {
		e.Kind, e.Duration, e.ClosedBy, e.CloseCode = connlog.Close, int64(now.Sub(opened)), connlog.ByServer, uint16(code)
	})
}
