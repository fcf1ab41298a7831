package report

import "github.com/stormlint/stormlint/core/jsonwrite"

// Input accounts for every record: Records = Used + Ignored + the sum of Skipped.
type Input struct {
	Records    int64
	Used       int64
	Ignored    int64 // sound, and not about WebSockets
	Skipped    []Skipped
	Sources    []Source
	Formats    []string // distinct, in the order of the sources
	From, To   int64    // the first and last instant of any event; None without one
	Resolution int64    // the coarsest stamp used, ns; 0 for exact
}

// Skipped is one reason for which records were left out.
type Skipped struct {
	Reason      string
	Count       int64
	Source      string // of the first such record
	FirstRecord int64  // counted from 1 within that source
	FirstLine   int64  // its line, counted from 1
	Sample      string // the first such record, masked and cut
}

// Source is one input.
type Source struct {
	Name    string
	Format  string
	Records int64
	ToldBy  string // the source that tells of the same handshakes, for which this one is left out; "" where it is analysed
}

// AppendJSON appends the accounting as the next value.
func (in *Input) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "records"), in.Records)
	b = jsonwrite.Int(jsonwrite.Key(b, "used"), in.Used)
	b = jsonwrite.Int(jsonwrite.Key(b, "ignored"), in.Ignored)
	b = jsonwrite.Array(jsonwrite.Key(b, "skipped"))
	for _, s := range in.Skipped {
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "reason"), s.Reason)
		b = jsonwrite.Int(jsonwrite.Key(b, "count"), s.Count)
		b = jsonwrite.String(jsonwrite.Key(b, "source"), s.Source)
		b = jsonwrite.Int(jsonwrite.Key(b, "first_record"), s.FirstRecord)
		b = jsonwrite.Int(jsonwrite.Key(b, "first_line"), s.FirstLine)
		b = jsonwrite.String(jsonwrite.Key(b, "sample"), s.Sample)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "sources"))
	for _, s := range in.Sources {
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "name"), s.Name)
		b = jsonwrite.String(jsonwrite.Key(b, "format"), s.Format)
		b = jsonwrite.Int(jsonwrite.Key(b, "records"), s.Records)
		if s.ToldBy != "" {
			b = jsonwrite.String(jsonwrite.Key(b, "told_by"), s.ToldBy)
		}
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Strings(jsonwrite.Key(b, "formats"), in.Formats)
	b = appendInstant(jsonwrite.Key(b, "from"), in.From, in.Resolution)
	b = appendInstant(jsonwrite.Key(b, "to"), in.To, in.Resolution)
	b = jsonwrite.Millis(jsonwrite.Key(b, "resolution_ms"), in.Resolution)
	return jsonwrite.End(b, '}')
}
