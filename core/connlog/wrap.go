package connlog

// Wrapper peels one layer off records: a container runtime's line, a syslog header, a collector's JSON envelope. Like a
// Format it is a value without state of its own.
type Wrapper interface {
	// Name is the word by which a plan names the wrapper, "cri".
	Name() string
	// Match says how surely a record is wrapped so: 0 not at all, 100 beyond doubt. It must be cheap.
	Match(record []byte) int
	// Joins says that a record can depend on the one before it (a partial line, a folded repeat), so that an input in
	// this wrapper cannot be split among readers.
	Joins() bool
	// Peel appends the record or records inside r to out. A record that does not have this layer gives BadLayout and is
	// then read bare. Written and Resolution are set where the layer tells them, and else inherited from r.
	Peel(out []Record, b *Batch, r Record) ([]Record, Reason)
}
