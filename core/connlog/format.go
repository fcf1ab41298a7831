package connlog

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
	NoTime      Reason = "no timestamp"
	BadKind     Reason = "unknown event type"
	BadInterval Reason = "retry interval cannot be read"
	BadClient   Reason = "client cannot be read"
	BadDuration Reason = "duration cannot be read"
	BadStatus   Reason = "status cannot be read"
	LineTooLong Reason = "line longer than the limit"
	CutShort    Reason = "cut off at the end of the input"
	NULBytes    Reason = "NUL bytes"
)

// Format reads the records of one kind of log. A Format is a value without state of its own: what it learned (a layout,
// a zone, field names) it holds in fields that Configure filled, so that any number of readers can share it.
type Format interface {
	// Name is the word for --format, "nginx".
	Name() string
	// Match says how surely one record, without its line end and peeled of wrappers, is of this format: 0 not at all,
	// 100 beyond doubt. It must be cheap: it runs on the first lines for every format.
	Match(record []byte) int
	// Read appends the record's events to b, whose Input holds the record from offset at to offset end, and returns what
	// became of it. Read sets neither Record nor Offset; its caller does.
	Read(b *Batch, at, end int) Reason
}
