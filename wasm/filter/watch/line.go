package watch

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// Handshake is one handshake as it is logged.
type Handshake struct {
	Text
	Peer     bool   // the client is the TCP peer; else it came from a header
	Header   bool   // the key is a header's value
	Conn     uint64 // joins a session's begin and end; 0 for none
	H2       bool
	Begin    int64 // ns since 1970
	End      int64
	Status   int           // of the answer; 0 without one
	Limited  bool          // refused by a limit
	Session  bool          // a session began: 101, or 2xx to an extended CONNECT
	ClosedBy connlog.Party // of a session's end
	Late     int64         // the client may have learned of the end this much later, ns
	Cause    string        // the proxy's word for the end
}

// whole cuts an instant to the ms that lines have.
func whole(ns int64) int64 { return ns - ns%civil.Millisecond }

// Writer writes events in stormlint's own form, one JSON object each, which `stormlint analyze` reads.
type Writer struct {
	batch   connlog.Batch
	cleaner connlog.Cleaner
	out     []byte
}

// Attempt is the line of a handshake whose answer is known; valid until the next call.
func (w *Writer) Attempt(h *Handshake) []byte {
	e := w.event(h)
	e.Time, e.TimeSource = whole(h.Begin), connlog.PrintedStart
	e.Status = uint16(min(max(h.Status, 0), 999))
	switch {
	case h.Session:
		e.Outcome = connlog.OK
	case h.Limited || h.Status == 429:
		e.Outcome = connlog.Limited
	case h.Status >= 500:
		e.Outcome = connlog.Upstream
	case h.Status >= 300:
		e.Outcome = connlog.Refused
	default:
		e.Outcome = connlog.Aborted
	}
	if e.Outcome != connlog.OK && h.End > h.Begin {
		e.Duration = whole(h.End) - whole(h.Begin)
	}
	return w.append(e)
}

// Close is the line of a session's end.
func (w *Writer) Close(h *Handshake) []byte {
	e := w.event(h)
	e.Kind, e.Time, e.TimeSource = connlog.Close, whole(h.End), connlog.PrintedEnd
	e.Duration = max(whole(h.End)-whole(h.Begin), 0)
	e.ClosedBy, e.LateBy = h.ClosedBy, h.Late
	e.Cause = w.keep([]byte(h.Cause[:min(len(h.Cause), longestText)]))
	return w.append(e)
}

func (w *Writer) event(h *Handshake) *connlog.Event {
	w.batch.Reset(nil)
	e := w.batch.Add()
	e.Resolution = civil.Millisecond
	e.Client = w.keep(h.words[client])
	e.ClientSource = connlog.Forwarded
	switch {
	case h.Header:
		e.ClientSource = connlog.Header
	case h.Peer:
		e.ClientSource = connlog.Peer
	}
	e.UserAgent, e.Path, e.Host = w.keep(h.words[userAgent]), w.keep(h.words[path]), w.keep(h.words[host])
	e.Transport = connlog.WebSocket
	if h.H2 {
		e.Transport = connlog.WebSocketH2
	}
	if h.Conn != 0 {
		var b [16]byte
		for i := range b {
			b[i] = "0123456789abcdef"[h.Conn>>(60-4*i)&15]
		}
		e.Conn = w.batch.Keep(b[:])
	}
	return e
}

func (w *Writer) keep(text []byte) connlog.Span {
	if len(text) == 0 {
		return connlog.Span{}
	}
	return w.batch.Keep(text)
}

func (w *Writer) append(e *connlog.Event) []byte {
	w.cleaner.Clean(&w.batch, e)
	w.out = connlog.Append(w.out[:0], &w.batch, e)
	return w.out
}
