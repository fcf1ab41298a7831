package analyze

import (
	"cmp"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/timeline"
)

// Analyzer reads one part of an input, or several one after another by merging, and tells what happened. Make one with
// New. It is not safe for concurrent use; parallel work takes an analyzer for each worker.
type Analyzer struct {
	options  Options
	protocol *protocol
	grouped  bool // the operator names what groups are; otherwise it is the user agent's product
	reader   *connlog.Reader
	batch    connlog.Batch
	table    *timeline.Table
	parts    []reading // the own part first
	key      []byte

	atClose, unordered bool // of the plan's first format

	longSpellings []longSpelling
	spellings     []timeline.Spelling // of a batch's events
	foreseen      []uint32            // of them: the client's number plus one, 0 where it is not known yet

	extent // of what is analysed, since begin

	repeats  []repeat       // hours that the plan's zone passes twice; nil where stamps carry their zone
	told     map[int]string // sources that are left out, and the one for which
	doubts   []string       // about the sources
	settled  bool           // the sources are compared: Again begins behind that
	drained  bool           // the own part's reader has seen its end
	broken   bool           // a state that could not be read was half merged
	finished *finished
	shares   int // see Share
	each     func(n int, do func(k int))
}

// New prepares an analyzer for one part under a plan (see connlog.Sniff). The catalogue holds the formats that the plan
// may name. Errors are *fault.Error.
func New(o Options, plan *connlog.Plan, c connlog.Catalogue, part Part) (*Analyzer, error) {
	o, err := o.validate()
	if err != nil {
		return nil, err
	}
	if err := part.validate(); err != nil {
		return nil, err
	}
	protocol, err := findProtocol(o.Protocol)
	if err != nil {
		return nil, err
	}
	reader, err := connlog.NewReader(plan, c, part.Index)
	if err != nil {
		return nil, err
	}
	traits, err := plan.Traits(c)
	if err != nil {
		return nil, err
	}
	own := reading{Part: part, format: traits[0].Title, extent: nothing}
	if len(plan.Formats) > 0 {
		own.format = plan.Formats[0].Name
	}
	zoned := true
	for i := range traits {
		own.blind = append(own.blind, blindSpots(&traits[i])...)
		own.unopened = cmp.Or(own.unopened, traits[i].Unopened)
		zoned = zoned && traits[i].Zone
	}
	a := &Analyzer{
		atClose: traits[0].Written == connlog.AtClose, unordered: traits[0].Unordered,
		options: o, protocol: protocol, grouped: plan.Group != "", reader: reader, parts: []reading{own},
		table: timeline.New(timeline.Part{Source: uint32(part.Source), Index: uint32(part.Index)}, o.Seed),
	}
	if !zoned && plan.Zone != nil {
		a.repeats = repeatedHours(plan.Zone)
	}
	return a, nil
}

// Begin ends the own part and begins another, of the same source or of another one, as if it had been read by an analyzer of
// its own and merged; but that costs nothing.
func (a *Analyzer) Begin(plan *connlog.Plan, c connlog.Catalogue, part Part) error {
	if err := a.usable(); err != nil {
		return err
	}
	next, err := New(a.options, plan, c, part)
	if err != nil {
		return err
	}
	a.drain()
	if err := a.table.Begin(timeline.Part{Source: uint32(part.Source), Index: uint32(part.Index)}); err != nil {
		return err
	}
	a.parts = append(a.parts, a.parts[0])
	a.parts[0] = next.parts[0]
	a.atClose, a.unordered, a.reader, a.repeats, a.drained = next.atClose, next.unordered, next.reader, next.repeats, false
	return nil
}

// Feed reads the next piece of the part, which may begin and end anywhere. Nothing of it is kept.
func (a *Analyzer) Feed(chunk []byte) error {
	if a.drained {
		return &fault.Error{Code: fault.Closed, Package: "analyze", Message: "the part has ended: its state was taken or it was finished"}
	}
	a.read(chunk, false)
	return nil
}

func (a *Analyzer) read(chunk []byte, last bool) {
	a.reader.Feed(chunk, last)
	for a.reader.Next(&a.batch) {
		events := a.batch.Events
		a.foresee(events)
		for i := range events {
			a.add(&events[i], a.foreseen[i], a.spellings[i])
		}
	}
}

// add takes one event; foreseen is its client's number plus one, where foresee knew it, and s how the client is spelled.
func (a *Analyzer) add(e *connlog.Event, foreseen uint32, s timeline.Spelling) {
	own := &a.parts[0]
	if e.Time == connlog.None {
		return
	}
	if !a.unordered {
		own.clock.see(e, a.atClose)
	}
	if a.options.outside(e.Time) {
		own.outside++
		return
	}
	if e.Forwarded.Len > 0 {
		own.listed++
	}
	if e.ClientSource == connlog.Forwarded || e.ClientSource == connlog.Header {
		own.relayed++
	}
	own.span(e.Time, e.Time, e.Resolution)
	if e.Kind == connlog.Attempt && e.Outcome == connlog.OK {
		own.opens++
	}
	if len(a.repeats) > 0 {
		own.twice.see(a.repeats, e)
	}
	if foreseen > 0 {
		a.table.AddTo(foreseen-1, &a.batch, e)
		return
	}
	a.key = a.options.appendKey(a.key[:0], &a.batch, e)
	if number, ok := a.named(e, s); ok {
		a.table.AddTo(number, &a.batch, e)
		return
	}
	a.table.Add(&a.batch, e, a.key)
}

// Progress tells how many records the own part has had so far, and whether it could end here: what was fed ends between
// two records (see connlog.Reader.Between).
func (a *Analyzer) Progress() (records int64, between bool) {
	return a.reader.Counts.Records, a.reader.Between()
}

// drain lets the reader see the end of the own part.
func (a *Analyzer) drain() {
	if !a.drained {
		a.read(nil, true)
		a.drained = true
		a.parts[0].counts = a.reader.Counts
	}
}

// Events reads a chunk and hands out its batches instead of keeping them; last says that nothing follows. It serves
// --events, which prints what was read.
func (a *Analyzer) Events(chunk []byte, last bool, visit func(*connlog.Batch) error) error {
	a.reader.Feed(chunk, last)
	for a.reader.Next(&a.batch) {
		if err := visit(&a.batch); err != nil {
			return err
		}
	}
	return nil
}
