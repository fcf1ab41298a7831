package connlog

import (
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Reason says what became of a record: Used, Ignored, or a word that names why it was skipped.
type Reason string

// The two reasons that are not faults; every other word counts as skipped.
const (
	Used    Reason = ""        // the record gave events
	Ignored Reason = "ignored" // the record is sound and not about WebSockets
)

// The reasons for skipping that more than one format uses; a format may add words of its own, in the same form.
const (
	BadJSON     Reason = "not valid JSON"
	NotObject   Reason = "not a JSON object"
	BadLayout   Reason = "line does not fit the format"
	BadTime     Reason = "timestamp cannot be read"
	Exchanged   Reason = "timestamp does not tell the day from the month" // 11/12/2026: nothing is guessed
	NoTime      Reason = "no timestamp"
	BadKind     Reason = "unknown event type"
	BadInterval Reason = "retry interval cannot be read"
	BadClient   Reason = "client cannot be read"
	BadDuration Reason = "duration cannot be read"
	BadStatus   Reason = "status cannot be read"
	LineTooLong Reason = "line longer than the limit"
	CutShort    Reason = "cut off at the end of the input"
	NULBytes    Reason = "NUL bytes"
	RunOn       Reason = "several lines in one" // a line end was lost, or is no line feed
)

// Record is one log record peeled of its wrappers. Its bytes lie in the batch: in the input, or in the arena where a
// wrapper had to be unescaped. A piece of a record is named by Sub, wherever the record lies.
type Record struct {
	Span
	Written    int64 // when the wrapper says the record was written, ns since 1970 UTC; None without one
	Resolution int64 // of Written, ns
	Repeat     uint32
	Partial    bool   // the text goes on in the next record of the same Stream; its reader joins them
	Stream     uint32 // which of a wrapper's interleaved streams, such as 1 for stdout and 2 for stderr
}

// Sub names n bytes from byte i of the span.
func (s Span) Sub(i, n int) Span { return Span{s.Off + uint32(i), uint32(n)} }

// Format reads the records of one kind of log. A Format is a value without state of its own: what it learned (a layout,
// a zone, field names) it holds in fields that Configure filled. What Configure gives serves one reader: it may remember
// what makes it faster, never what would change a reading.
type Format interface {
	// Name is the word for --format, "nginx".
	Name() string
	// Match says how surely one record, without its line end and peeled of wrappers, is of this format: 0 not at all,
	// 100 beyond doubt. It must be cheap: it runs on the first lines for every format.
	Match(record []byte) int
	// Traits says what such a log can and cannot know.
	Traits() Traits
	// Configure gives the format as it reads under a setup. It fails with a *fault.Error where the setup's layout or map
	// cannot be used. A format is read only after Configure.
	Configure(s *Setup) (Format, error)
	// Read appends the record's events to b and returns what became of it. Read sets neither Record nor Offset nor
	// Count; its caller does. It leaves Query for the caller to take Group from and to clear.
	Read(b *Batch, r Record) Reason
}

// Learner is a Format whose layout cannot be told from one line: it looks at the first records and returns what it
// learned as text, which the plan carries to every part as Setup.Layout. "" means that there was nothing to learn.
type Learner interface {
	Format
	Learn(records [][]byte) string
}

// Preparer is a Format whose Match is dear until it is prepared; Sniff prepares it once for all first records.
type Preparer interface {
	Format
	Prepare() Format
}

// Setup is what a reader must know beyond the bytes: what the operator said and what Sniff learned, the same for all
// parts of an input. The zero Setup is the documented default.
type Setup struct {
	Zone   *stamp.Zone // for stamps without a zone; nil is UTC
	Year   int         // for stamps without a year; 0 is 1970
	Day    int64       // for stamps without a date, days since 1970-01-01
	Layout string      // what a Learner learned, or the operator's --log-format or template
	Map    []Role      // --map
	Paths  *Paths      // which paths are WebSocket endpoints; nil knows only the usual ones
	Group  string      // --group-by, "" for none
	Clock  stamp.Clock // remembers between the records of one reader; the zero value is ready
}

// Role is one --map entry: the field of the log that plays a part, such as client=peer.addr.
type Role struct{ Name, Field string }

// Traits says what a kind of log can know; a false or zero field is a blind spot that the report names.
type Traits struct {
	Title      string // for people, "nginx access log"
	Written    Written
	Stamped    Stamped
	Duration   bool     // lines tell how long a session lived
	Closes     bool     // closes are in the log
	Refusals   bool     // failed handshakes are in the log
	Client     bool     // lines name the client
	UserAgent  bool     // lines may carry the user agent
	Zone       bool     // the stamp carries its zone
	Unordered  bool     // lines are delivered in no order of time
	Joined     bool     // an attempt and its close are joined by Conn, not by duration
	Resolution int64    // of the stamp, ns; 0 when there is no stamp
	LateBy     int64    // the most by which a client may see an end after the log has it
	Blind      []string // what else such a log cannot show, one sentence each
	Unopened   string   // what to say of a log in which no handshake succeeded, if it is the server's habit that hides them
}

// Written says when a server writes the line.
type Written uint8

// The moments of writing.
const (
	WrittenUnknown Written = iota
	AtClose
	AtHandshake
	AtBoth
)

// Stamped says what instant the line's stamp means.
type Stamped uint8

// The meanings of a stamp.
const (
	StampNone Stamped = iota
	StampStart
	StampEnd
	StampEvent
)
