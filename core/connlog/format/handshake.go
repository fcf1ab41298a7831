package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// evidence says whether the line itself shows that the request asked for a WebSocket.
type evidence uint8

const (
	untold evidence = iota // no field tells; the status and the path must
	asked                  // an Upgrade field, a type ws, a scheme ws://
	plain                  // a field that would show it does not
)

// exchange is one HTTP request as a gateway's line tells it. The event holds what the line says of it, with Time as
// printed and Duration as printed; settle turns it into an attempt, a close, both or neither.
type exchange struct {
	connlog.Event
	upgrade     evidence
	established bool // the handshake succeeded, whatever the status
	limiter     bool // a flag says that a limiter refused it
	get         bool // the method is GET, or CONNECT of HTTP/2, or not known
	looked      bool // known is set
	known       connlog.Known
}

// endpoint looks the path up, once.
func (x *exchange) endpoint(b *connlog.Batch, s *connlog.Setup) connlog.Known {
	if !x.looked {
		x.looked, x.known = true, s.Paths.Has(b.Text(x.Path))
	}
	return x.known
}

// fresh clears x for the next line.
func (x *exchange) fresh() {
	*x = exchange{Event: connlog.Event{Time: connlog.None, Duration: connlog.None, Interval: connlog.None,
		RetryAfter: connlog.None}, get: true}
}

// dialect says how a server stamps its lines; see Traits.
type dialect struct {
	written connlog.Written
	stamped connlog.Stamped
	// The status with which the server answers a plain GET of a WebSocket endpoint, 0 if it has none of its own: at a path
	// where handshakes succeed such a line is no attempt.
	plainGET uint16
}

// The four ways in which servers stamp.
var (
	endAtClose       = dialect{written: connlog.AtClose, stamped: connlog.StampEnd}
	startAtClose     = dialect{written: connlog.AtClose, stamped: connlog.StampStart}
	endAtHandshake   = dialect{written: connlog.AtHandshake, stamped: connlog.StampEnd}
	startAtHandshake = dialect{written: connlog.AtHandshake, stamped: connlog.StampStart}
)

// push appends a copy of an event and returns it for filling.
func push(b *connlog.Batch, e *connlog.Event) *connlog.Event {
	b.Events = append(b.Events, *e)
	return &b.Events[len(b.Events)-1]
}

// settle appends the events of x: section by section of "is it a handshake?" in the package comment.
func (d dialect) settle(b *connlog.Batch, s *connlog.Setup, r connlog.Record, x *exchange) connlog.Reason {
	if x.Transport == connlog.TransportUnknown {
		x.Transport = connlog.WebSocket
	}
	if x.established {
		return d.session(b, r, x)
	}
	if !x.established && x.Path.Len > 0 && d.prelude(b, x) {
		return connlog.Ignored
	}
	if x.upgrade == plain || !x.get {
		return connlog.Ignored
	}
	if x.upgrade == untold {
		if x.Status == 426 || x.Status == 304 {
			return connlog.Ignored
		}
		if x.Status >= 200 && x.Status < 300 || x.Status == 0 && x.Outcome == connlog.OutcomeUnknown {
			return connlog.Ignored
		}
		known := x.endpoint(b, s)
		if known == connlog.NotKnown || known == connlog.KnownByUse && d.plainGET != 0 && x.Status == d.plainGET {
			return connlog.Ignored
		}
	}
	if x.Outcome == connlog.OutcomeUnknown {
		x.Outcome = outcome(x.Status, x.limiter)
	}
	e := push(b, &x.Event)
	e.Kind, e.TimeSource = connlog.Attempt, connlog.PrintedStart
	if d.stamped == connlog.StampEnd || d.stamped == connlog.StampEvent {
		e.TimeSource = connlog.PrintedEnd
		if d.written != connlog.AtHandshake {
			better(e, r)
		}
		if e.Duration > 0 && d.stamped == connlog.StampEnd {
			e.Time, e.TimeSource = e.Time-e.Duration, connlog.EndMinusDuration
		}
	}
	return connlog.Used
}

// prelude knows the requests by which libraries prepare a socket, and reports those that are no attempts. socket.io polls
// before it upgrades: a poll with a session id belongs to a session that is counted already, one without begins a new one.
// SignalR negotiates by POST and SockJS asks /info: when these fail, the socket is never asked for, so that the failure
// is the attempt; when they succeed, the handshake that follows is.
func (d dialect) prelude(b *connlog.Batch, x *exchange) (not bool) {
	path := b.Text(x.Path)
	if query := b.Text(x.Query); bytes.Contains(query, []byte("transport=polling")) {
		if bytes.Contains(query, []byte("sid=")) {
			return true
		}
		x.Transport = connlog.Polling
		return false
	}
	if bytes.HasSuffix(path, []byte("/negotiate")) && (x.Status >= 400 || x.Status == 0) {
		x.get = true
		if x.upgrade == plain {
			x.upgrade = untold
		}
	}
	return false
}

// session appends the events of a handshake that succeeded.
func (d dialect) session(b *connlog.Batch, r connlog.Record, x *exchange) connlog.Reason {
	e := push(b, &x.Event)
	e.Kind, e.Outcome, e.TimeSource = connlog.Attempt, connlog.OK, connlog.PrintedStart
	e.Cause, e.ClosedBy, e.CloseCode, e.LateBy = connlog.Span{}, connlog.PartyUnknown, 0, 0
	if d.written != connlog.AtClose {
		if d.stamped == connlog.StampEnd {
			e.TimeSource = connlog.PrintedEnd
		}
		e.Duration = connlog.None // the handshake's own
		return connlog.Used
	}
	e.Duration = connlog.None
	if d.stamped == connlog.StampEnd {
		c := x.Event
		c.Kind, c.Outcome, c.TimeSource = connlog.Close, connlog.OutcomeUnknown, connlog.PrintedEnd
		better(&c, r)
		if c.Duration == connlog.None {
			*e = c // when it began cannot be known: nothing is invented
			return connlog.Used
		}
		e.Time, e.Resolution, e.TimeSource = c.Time-c.Duration, c.Resolution, connlog.EndMinusDuration
		push(b, &c)
		return connlog.Used
	}
	if x.Duration == connlog.None || x.Time == connlog.None {
		return connlog.Used
	}
	c := push(b, &x.Event)
	c.Kind, c.Outcome = connlog.Close, connlog.OutcomeUnknown
	c.Time, c.TimeSource = x.Time+x.Duration, connlog.StartPlusDuration
	return connlog.Used
}

// better replaces an END of whole seconds by the wrapper's time of writing, if the two agree within 2 s; it is never a
// start.
func better(e *connlog.Event, r connlog.Record) {
	if r.Written == connlog.None || r.Resolution >= e.Resolution {
		return
	}
	if gap := r.Written - e.Time; e.Time == connlog.None || gap >= -1e9 && gap < 3e9 {
		e.Time, e.Resolution, e.TimeSource = r.Written, r.Resolution, connlog.FromWrapper
	}
}

// outcome is what an HTTP status says of a handshake that did not succeed.
func outcome(status uint16, limiter bool) connlog.Outcome {
	switch {
	case status == 429 || limiter:
		return connlog.Limited
	case status == 408 || status == 444 || status == 460 || status == 499 || status == 0:
		return connlog.Aborted
	case status >= 500:
		return connlog.Upstream
	}
	return connlog.Refused
}
