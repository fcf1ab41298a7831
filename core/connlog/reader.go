package connlog

import (
	"bytes"

	"github.com/stormlint/stormlint/core/jsonscan"
)

// batchSize is how many events a batch holds before Next hands it out: enough to work in bulk, few enough for the cache.
const batchSize = 128

// Reader turns one part of an input into batches of events. It takes the input in chunks cut anywhere:
//
//	r, err := connlog.NewReader(plan, catalogue, part)
//	for each chunk {
//		r.Feed(chunk, last)
//		for r.Next(&batch) {
//			use batch.Events before the next call
//		}
//	}
//	r.Counts says what became of every record
//
// Memory is bounded by the plan's line limit, whatever the input.
type Reader struct {
	Counts Counts // of the part so far

	plan     *Plan
	formats  []Format
	wrappers []Wrapper
	peeler   peeler
	group    grouping
	setup    *Setup
	lane     *lane // nil where the records are not in the base form, bare
	ended    int   // where the last record ended in this chunk, -1 if none did
	quick    int64 // records that took the fast lane

	chunk  []byte
	at     int  // how much of chunk is consumed
	last   bool // no chunk follows
	offset int64
	first  bool // the input begins here: a byte order mark may

	carry    []byte // a record that began in an earlier chunk, as far as it is known
	carrying bool
	dropped  bool // it is longer than the limit: carry holds its head only
	length   int  // its length so far
	lines    int64
	elements elements

	show  func(Shown) // nil, or who wants to see
	shown []int64     // these records, ascending
}

// NewReader prepares a reader for one part of an input: part 0 begins where the input begins, any other part at a
// Boundary of the plan.
func NewReader(plan *Plan, c Catalogue, part int) (*Reader, error) {
	formats, wrappers, err := plan.configure(&c)
	if err != nil {
		return nil, err
	}
	r := &Reader{plan: plan, formats: formats, wrappers: wrappers, first: part == 0}
	r.elements.begun = part > 0
	if r.group, err = groupBy(plan.Group); err != nil {
		return nil, err
	}
	if _, base := formats[0].(Base); base && len(wrappers) == 0 && r.group.by != 'f' && plan.limit() > longest {
		r.lane, r.setup = newLane(), plan.setup("")
	}
	return r, nil
}

// Feed hands over the next chunk, which the reader uses until Next has returned false; last says that none follows.
func (r *Reader) Feed(chunk []byte, last bool) {
	r.chunk, r.at, r.last, r.ended = chunk, 0, last, -1
	r.Counts.Bytes += int64(len(chunk))
}

// Next fills the batch with the next events and reports whether there are any; false means that the chunk is used up.
func (r *Reader) Next(b *Batch) bool {
	if r.carrying {
		if !r.finishCarried(b) {
			return false
		}
		if len(b.Events) > 0 {
			return true
		}
	}
	b.Reset(r.chunk)
	for r.at < len(r.chunk) && len(b.Events) < batchSize {
		if r.ended == r.at {
			if to := r.lane.run(r, b, r.at); to > r.ended {
				r.ended = to
				continue
			}
		}
		start, end, next := r.frame()
		if end < 0 && !r.last {
			r.hold(start)
			break
		}
		cut := end < 0
		if cut {
			end, next, r.elements.in = len(r.chunk), len(r.chunk), false
		}
		r.advance(start)
		used := r.Counts.Used
		if start < end {
			r.record(b, start, end, end-start, cut)
		}
		if r.lane != nil && r.Counts.Used > used {
			if r.ended >= 0 {
				r.lane.learn(r.chunk, r.ended, start, end)
			}
			// What follows the object on its line stays before the next record, where the fast lane expects it.
			for end > start && r.chunk[end-1] != '}' {
				end--
			}
			r.advance(end)
			r.ended = end
			continue
		}
		r.advance(next)
	}
	if r.last && !r.carrying && r.at == len(r.chunk) {
		r.peeler.flush(r, b)
	}
	return len(b.Events) > 0
}

// Between reports whether the part could end here: everything fed so far ends between two records, and another part
// could begin with what follows. It is asked when Next has returned false.
func (r *Reader) Between() bool {
	if r.carrying {
		return false
	}
	return r.plan.Framing == Lines || r.elements.begun && !r.elements.ended
}

// frame finds the next record in the chunk: its stretch, and where the one after it may begin. end is negative when the
// record goes on beyond the chunk.
func (r *Reader) frame() (start, end, next int) {
	if r.plan.Framing == Lines {
		n := bytes.IndexByte(r.chunk[r.at:], '\n')
		if n < 0 {
			return r.at, -1, 0
		}
		return r.at, r.at + n, r.at + n + 1
	}
	start, end = r.elements.find(r.chunk, r.at)
	return start, end, end
}

// advance counts what lies before the offset as passed.
func (r *Reader) advance(next int) {
	if r.plan.Framing == Lines {
		if next > r.at && r.chunk[next-1] == '\n' {
			r.Counts.Lines++
		}
	} else {
		r.Counts.Lines += int64(bytes.Count(r.chunk[r.at:next], newline))
	}
	r.offset += int64(next - r.at)
	r.at = next
}

var newline = []byte{'\n'}

// hold keeps the unfinished record at the end of the chunk.
func (r *Reader) hold(start int) {
	if r.plan.Framing == Array {
		r.Counts.Lines += int64(bytes.Count(r.chunk[r.at:start], newline))
	}
	r.offset += int64(start - r.at)
	r.at = start
	if start == len(r.chunk) {
		return
	}
	r.carry, r.carrying, r.dropped, r.length, r.lines = r.carry[:0], true, false, 0, 0
	r.append(r.chunk[start:])
	r.at = len(r.chunk)
}

func (r *Reader) append(text []byte) {
	r.length += len(text)
	if r.plan.Framing == Array {
		r.lines += int64(bytes.Count(text, newline))
	}
	if !r.dropped && r.length > r.plan.limit() {
		r.dropped = true
		if len(r.carry) > 8*SampleSize {
			r.carry = append([]byte(nil), r.carry[:8*SampleSize]...) // and let go of the rest
		}
	}
	if !r.dropped {
		r.carry = append(r.carry, text...)
	} else if n := 8*SampleSize - len(r.carry); n > 0 {
		r.carry = append(r.carry, text[:min(n, len(text))]...)
	}
}

// finishCarried completes the record that began in an earlier chunk; false when it goes on beyond this one too.
func (r *Reader) finishCarried(b *Batch) bool {
	b.Reset(r.carry)
	var end, next int
	if r.plan.Framing == Lines {
		end = bytes.IndexByte(r.chunk[r.at:], '\n')
		if end >= 0 {
			end += r.at
		}
		next = end + 1
	} else {
		_, end = r.elements.find(r.chunk, r.at)
		next = end
	}
	closed := end >= 0
	if !closed {
		end, next = len(r.chunk), len(r.chunk)
	}
	cut := !closed && r.last
	r.append(r.chunk[r.at:end])
	r.at = next
	if !closed && !r.last {
		return false
	}
	b.Reset(r.carry)
	if cut {
		r.elements.in = false
	}
	r.record(b, 0, len(r.carry), r.length, cut)
	if r.plan.Framing == Lines {
		if closed {
			r.Counts.Lines++
		}
	} else {
		r.Counts.Lines += r.lines
	}
	r.offset += int64(r.length + next - end)
	r.carrying = false
	return true
}

// record reads one framed record, whose bytes are b.Input[start:end] and which is length bytes long in the input. cut
// says that the input ended before the record did.
func (r *Reader) record(b *Batch, start, end, length int, cut bool) {
	c := &r.Counts
	sound := c.Records - c.Used - c.Ignored
	r.take(b, start, end, length, cut)
	if c.Records-c.Used-c.Ignored > sound {
		c.Unread += int64(length)
	}
}

// take is record without the count of bytes.
func (r *Reader) take(b *Batch, start, end, length int, cut bool) {
	in := b.Input
	if r.first {
		r.first = false
		if end-start >= 3 && string(in[start:start+3]) == "\ufeff" {
			start += 3
		}
	}
	for start < end && in[start] == 0 { // a log file's hole
		start++
	}
	if r.plan.Framing == Lines && end > start && in[end-1] == '\r' {
		end--
	}
	if blank(in[start:end]) {
		if length > end-start && end > 0 && in[end-1] == 0 {
			r.Counts.add(NULBytes, r.Counts.Lines, func() string { return "" })
		}
		return
	}
	if length > r.plan.limit() {
		r.Counts.add(LineTooLong, r.Counts.Lines, func() string { return r.sample(in[start:end]) })
		return
	}
	rec := Record{Span: Span{uint32(start), uint32(end - start)}, Written: None}
	if len(r.wrappers) > 0 {
		r.peeler.peel(r, b, rec)
		return
	}
	r.read(b, rec, cut)
}

// read gives one bare record to the formats and counts it.
func (r *Reader) read(b *Batch, rec Record, cut bool) {
	if r.show != nil {
		r.pass(b.Text(rec.Span))
	}
	before := len(b.Events)
	why := r.formats[0].Read(b, rec)
	if len(r.formats) > 1 && (foreign(why) || why == Ignored && r.formats[0].Match(b.Text(rec.Span)) == 0) {
		for _, f := range r.formats[1:] {
			b.Events = b.Events[:before]
			other := f.Read(b, rec)
			if foreign(other) || other == Ignored && f.Match(b.Text(rec.Span)) == 0 {
				continue
			}
			why = other
			break
		}
	}
	if (why == Used || why == Ignored) && r.plan.Framing == Lines && r.runsOn(b, rec) {
		why = RunOn
	}
	if why != Used {
		b.Events = b.Events[:before]
	}
	if why == BadLayout || why == BadJSON {
		switch {
		case cut:
			why = CutShort
		case bytes.IndexByte(b.Text(rec.Span), 0) >= 0:
			why = NULBytes
		}
	}
	if why == BadTime && exchangeable(b.Text(rec.Span)) {
		why = Exchanged
	}
	for i := before; i < len(b.Events); i++ {
		e := &b.Events[i]
		e.Record, e.Offset = r.Counts.Records, r.offset
		if rec.Repeat > 0 {
			e.Count = rec.Repeat
		}
	}
	r.group.finishAll(b, b.Events[before:])
	switch why {
	case Used:
		r.Counts.Records++
		r.Counts.Used++
		return
	case Ignored:
		r.Counts.Records++
		r.Counts.Ignored++
		return
	}
	r.Counts.add(why, r.Counts.Lines, func() string { return r.sample(b.Text(rec.Span)) })
}

// sample is Sample; what stands between an array's elements is a piece of JSON, whatever it looks like.
func (r *Reader) sample(record []byte) string {
	return sample(record, r.plan.Framing == Array || notation(record))
}

// exchangeable reports whether a record that has no other stamp prints a date of which nobody knows whether the day or the
// month comes first: 11/12/2026, 11.12.2026, 11-12-2026.
func exchangeable(text []byte) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i]-'0' <= 9 }
	for i := 1; i+8 < len(text); i++ {
		c := text[i]
		if c != '/' && c != '.' && c != '-' || !digit(i-1) || digit(i-3) {
			continue
		}
		j := i + 1
		for j < i+3 && digit(j) {
			j++
		}
		if j > i+1 && j < len(text) && text[j] == c && digit(j+1) && digit(j+2) && digit(j+3) && digit(j+4) && !digit(j+5) {
			return true
		}
	}
	return false
}

// foreign reports a reason by which a format says that a record is not of its kind.
func foreign(why Reason) bool { return why == BadLayout || why == BadJSON || why == NotObject }

func blank(text []byte) bool { return jsonscan.Space(text, 0) == len(text) }
