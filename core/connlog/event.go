package connlog

import (
	"math"
	"slices"
)

// None is the value of an instant, a duration or an interval that the log does not tell.
const None = math.MinInt64

// Kind says what happened.
type Kind uint8

// The kinds of event. A log line gives none, one or two of them.
const (
	Attempt Kind = iota // a client tried a handshake
	Close               // a session ended
)

// Outcome says how an attempt ended; closes have OutcomeUnknown.
type Outcome uint8

// The outcomes of an attempt.
const (
	OutcomeUnknown Outcome = iota
	OK                     // a session began
	Refused                // 4xx: the server said no
	Limited                // 429, or 503 with a limiter's flag: the server said later
	Upstream               // 502, 503, 504: nobody behind the gateway answered
	Aborted                // the client went away first (499, 0 with a flag)
	TLS                    // the handshake below the handshake failed
)

// Party says who ended a session.
type Party uint8

// The parties that end sessions.
const (
	PartyUnknown Party = iota
	ByClient
	ByServer
	ByProxyTimeout
	ByProxy
	ByTakeover // a second connection of the same identity pushed the first out
)

// TimeSource says how an event's instant was got from the line.
type TimeSource uint8

// The ways to an instant.
const (
	TimeUnknown TimeSource = iota
	PrintedStart
	PrintedEnd
	EndMinusDuration
	StartPlusDuration
	FromWrapper
)

// ClientSource says where the client's name came from.
type ClientSource uint8

// The places a client's name is taken from.
const (
	ClientUnknown ClientSource = iota
	Peer                       // the TCP peer
	Forwarded                  // X-Forwarded-For or Forwarded, through declared proxies
	Header                     // another header, or a column the operator named
	ProxyProtocol
)

// Transport says what was carried.
type Transport uint8

// The transports a gateway's log shows.
const (
	TransportUnknown Transport = iota
	WebSocket
	WebSocketH2
	Polling
	SSE
	MQTT
)

// Span names bytes of a batch: of its input, or of its arena when the text had to be unescaped. The zero Span is empty.
type Span struct{ Off, Len uint32 }

// arena marks a Span that lies in Batch.Arena.
const arena = 1 << 31

// Event is one attempt or one close, as a log tells it. Instants are ns since 1970 UTC, spans of time are ns; None means
// that the log does not say. Text lives in the batch (see Batch.Text) and dies with it.
type Event struct {
	Time       int64  // the instant
	Resolution int64  // the half-open width of what the stamp can mean: 1e9 for whole seconds; 0 is exact
	Duration   int64  // of a close: the session's life; of a failed attempt: how long it took
	Interval   int64  // the wait before this attempt as the log itself states it
	RetryAfter int64  // the wait that the server asked for with a refusal
	LateBy     int64  // of a close: the client may have learned of it up to this much later than Time; 0 for most formats
	Offset     int64  // of the record's first byte in its part
	Record     int64  // of the part, from 0
	ID         uint64 // 64-bit hash of the request id, 0 without one: equal ids of equal kind are one event, and a known outcome is the better telling

	Client    Span // the client as the log prints it: an address in any form, a host name, an id
	Forwarded Span // the forwarded list as printed, newest last
	Conn      Span // what joins an attempt and its close, whose client is then the attempt's: connection id, client id, socket id; a close joined to an attempt that was not OK is only that attempt's end
	Path      Span // without its query
	Query     Span // only until --group-by has taken its key; never kept, never printed
	Host      Span
	UserAgent Span
	Group     Span // the value that --group-by asks for
	Cause     Span // the raw word for the end: "cD--", "DC", "transport close"

	Count     uint32 // how many equal events the line stands for ("message repeated N times"); 0 means 1
	Status    uint16 // HTTP status as printed, 0 for none
	CloseCode uint16 // WebSocket close code, 0 for none
	Port      uint16 // the client's port, 0 for unknown

	Kind         Kind
	Outcome      Outcome
	ClosedBy     Party
	TimeSource   TimeSource
	ClientSource ClientSource
	Transport    Transport
}

// Batch is a run of events read from one stretch of input. A batch is reused; its events and their text are valid until
// the next read into it.
type Batch struct {
	Input  []byte // the stretch that Spans point into
	Arena  []byte // unescaped text
	Events []Event
}

// Text gives the bytes of a span; do not keep or change them.
func (b *Batch) Text(s Span) []byte {
	if s.Off&arena != 0 {
		off := s.Off &^ arena
		return b.Arena[off : off+s.Len]
	}
	return b.Input[s.Off : s.Off+s.Len]
}

// Keep copies text into the arena and names it.
func (b *Batch) Keep(text []byte) Span {
	off := uint32(len(b.Arena))
	b.Arena = append(b.Arena, text...)
	return Span{off | arena, uint32(len(text))}
}

// Add appends an event with every number at None and every span empty, and returns it for filling; the pointer is valid
// until the next Add.
func (b *Batch) Add() *Event {
	n := len(b.Events)
	if n == cap(b.Events) {
		b.Events = slices.Grow(b.Events, batchSize)
	}
	b.Events = b.Events[:n+1]
	e := &b.Events[n]
	*e = Event{}
	e.Time, e.Duration, e.Interval, e.RetryAfter = None, None, None, None
	return e
}

// Reset empties the batch for the next stretch of input and keeps its memory.
func (b *Batch) Reset(input []byte) {
	b.Input, b.Arena, b.Events = input, b.Arena[:0], b.Events[:0]
}
