package analyze

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// stateName begins a state: one line of JSON with the accounting, then the timeline's bytes.
const stateName = "stormlint/analysis/3"

// State ends the own part and gives what is known so far, for another analyzer's Merge.
func (a *Analyzer) State() ([]byte, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	a.drain()
	b := jsonwrite.Object(nil)
	b = jsonwrite.String(jsonwrite.Key(b, "state"), stateName)
	b = jsonwrite.String(jsonwrite.Key(b, "reading"), a.options.reading())
	b = jsonwrite.Array(jsonwrite.Key(b, "parts"))
	for i := range a.parts {
		b = a.parts[i].appendJSON(b)
	}
	b = jsonwrite.End(jsonwrite.End(b, ']'), '}')
	return a.table.AppendState(append(b, '\n')), nil
}

// Merge adds another part's state. The bytes are not trusted: what is no state of the same version, or was read under
// other options, or was merged before, is refused. After a refusal in the middle of a state the analyzer is of no use.
func (a *Analyzer) Merge(state []byte) error {
	if err := a.usable(); err != nil {
		return err
	}
	head, rest, found := bytes.Cut(state, []byte{'\n'})
	if !found || !bytes.HasPrefix(head, []byte(`{"state":`)) {
		return badState("it does not begin as one")
	}
	var name, reading string
	var parts []part
	err := jsonscan.Object(head, func(key, value []byte) error {
		switch string(key) {
		case "state":
			return field(key, value, &name)
		case "reading":
			return field(key, value, &reading)
		case "parts":
			return jsonscan.Array(value, func(_ int, v []byte) error {
				var p part
				parts = append(parts, p)
				return parts[len(parts)-1].read(v)
			})
		}
		return badState("key " + jsonscan.Sample(key))
	})
	switch {
	case name != "" && name != stateName:
		return &fault.Error{Code: fault.Mismatch, Package: "analyze", Field: "state", Value: strconv.Quote(cut(name)), Expected: stateName}
	case err != nil:
		return err
	case name == "":
		return badState("it has no name")
	case reading != a.options.reading():
		return otherOptions(reading, a.options.reading())
	}
	a.broken = true
	rest, err = a.table.Merge(rest)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return badState("bytes after its end")
	}
	a.broken = false
	for i := range parts {
		a.parts = append(a.parts, parts[i].reading)
	}
	return nil
}

// Absorb adds all that another analyzer knows, as Merge does with its State, without the detour over bytes. The other one is
// of no use afterwards.
func (a *Analyzer) Absorb(b *Analyzer) error {
	if err := a.usable(); err != nil {
		return err
	}
	if err := b.usable(); err != nil {
		return err
	}
	if a == b {
		return badState("it is the analyzer's own")
	}
	if ours, theirs := a.options.reading(), b.options.reading(); ours != theirs {
		return otherOptions(theirs, ours)
	}
	b.drain()
	if err := a.table.Absorb(b.table); err != nil {
		return err
	}
	a.parts = append(a.parts, b.parts...)
	b.broken = true
	return nil
}

func otherOptions(theirs, ours string) error {
	return &fault.Error{Code: fault.BadState, Package: "analyze", Message: "the state was made under other options: " + strconv.Quote(cut(theirs)), Expected: strconv.Quote(ours)}
}

func (a *Analyzer) usable() error {
	switch {
	case a.broken:
		return badState("an earlier one was broken off in the middle; begin again")
	case a.finished != nil:
		return &fault.Error{Code: fault.Closed, Package: "analyze", Message: "the analysis is finished"}
	}
	return nil
}

func badState(what string) error {
	return &fault.Error{Code: fault.BadState, Package: "analyze", Message: "no state can be read: " + what}
}

func field(key, value []byte, into any) error {
	return jsonscan.Read("analyze", "state."+string(key), value, into)
}

func cut(s string) string { return s[:min(len(s), 200)] }

func (r *reading) appendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "source"), int64(r.Source))
	b = jsonwrite.Int(jsonwrite.Key(b, "index"), int64(r.Index))
	b = jsonwrite.Int(jsonwrite.Key(b, "tier"), int64(r.Tier))
	b = jsonwrite.String(jsonwrite.Key(b, "name"), r.Name)
	b = jsonwrite.String(jsonwrite.Key(b, "format"), r.format)
	b = jsonwrite.Strings(jsonwrite.Key(b, "blind"), r.blind)
	b = jsonwrite.Int(jsonwrite.Key(b, "records"), r.counts.Records)
	b = jsonwrite.Int(jsonwrite.Key(b, "used"), r.counts.Used)
	b = jsonwrite.Int(jsonwrite.Key(b, "ignored"), r.counts.Ignored)
	b = jsonwrite.Int(jsonwrite.Key(b, "lines"), r.counts.Lines)
	b = jsonwrite.Int(jsonwrite.Key(b, "bytes"), r.counts.Bytes)
	b = jsonwrite.Int(jsonwrite.Key(b, "unread"), r.counts.Unread)
	b = jsonwrite.Int(jsonwrite.Key(b, "outside"), r.outside)
	b = jsonwrite.Int(jsonwrite.Key(b, "listed"), r.listed)
	b = jsonwrite.Int(jsonwrite.Key(b, "relayed"), r.relayed)
	b = jsonwrite.Int(jsonwrite.Key(b, "opens"), r.opens)
	b = jsonwrite.String(jsonwrite.Key(b, "unopened"), r.unopened)
	b = jsonwrite.Int(jsonwrite.Key(b, "from"), r.from)
	b = jsonwrite.Int(jsonwrite.Key(b, "to"), r.to)
	b = jsonwrite.Int(jsonwrite.Key(b, "resolution"), r.resolution)
	b = jsonwrite.Int(jsonwrite.Key(b, "twice"), r.twice.lines)
	b = jsonwrite.Int(jsonwrite.Key(b, "twice_second"), r.twice.second)
	b = jsonwrite.Int(jsonwrite.Key(b, "twice_from"), r.twice.from)
	b = jsonwrite.Int(jsonwrite.Key(b, "twice_offset"), r.twice.offset)
	b = jsonwrite.String(jsonwrite.Key(b, "twice_zone"), r.twice.zone)
	b = jsonwrite.Bool(jsonwrite.Key(b, "clock_lost"), r.clock.lost)
	b = jsonwrite.Array(jsonwrite.Key(b, "clock"))
	for _, n := range r.clock.runs {
		b = jsonwrite.Int(b, n)
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "skipped"))
	for _, s := range r.counts.Skipped {
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "reason"), string(s.Reason))
		b = jsonwrite.Int(jsonwrite.Key(b, "count"), s.Count)
		b = jsonwrite.Int(jsonwrite.Key(b, "first"), s.First)
		b = jsonwrite.Int(jsonwrite.Key(b, "line"), s.Line)
		b = jsonwrite.String(jsonwrite.Key(b, "sample"), s.Sample)
		b = jsonwrite.End(b, '}')
	}
	return jsonwrite.End(jsonwrite.End(b, ']'), '}')
}

// part is a reading as it comes back.
type part struct{ reading }

func (r *part) read(value []byte) error {
	err := jsonscan.Object(value, func(key, value []byte) error {
		switch string(key) {
		case "source":
			return field(key, value, &r.Source)
		case "index":
			return field(key, value, &r.Index)
		case "tier":
			return field(key, value, &r.Tier)
		case "name":
			return field(key, value, &r.Name)
		case "format":
			return field(key, value, &r.format)
		case "blind":
			return field(key, value, &r.blind)
		case "records":
			return field(key, value, &r.counts.Records)
		case "used":
			return field(key, value, &r.counts.Used)
		case "ignored":
			return field(key, value, &r.counts.Ignored)
		case "lines":
			return field(key, value, &r.counts.Lines)
		case "bytes":
			return field(key, value, &r.counts.Bytes)
		case "unread":
			return field(key, value, &r.counts.Unread)
		case "outside":
			return field(key, value, &r.outside)
		case "listed":
			return field(key, value, &r.listed)
		case "relayed":
			return field(key, value, &r.relayed)
		case "opens":
			return field(key, value, &r.opens)
		case "unopened":
			return field(key, value, &r.unopened)
		case "from":
			return field(key, value, &r.from)
		case "to":
			return field(key, value, &r.to)
		case "resolution":
			return field(key, value, &r.resolution)
		case "twice":
			return field(key, value, &r.twice.lines)
		case "twice_second":
			return field(key, value, &r.twice.second)
		case "twice_from":
			return field(key, value, &r.twice.from)
		case "twice_offset":
			return field(key, value, &r.twice.offset)
		case "twice_zone":
			return field(key, value, &r.twice.zone)
		case "clock_lost":
			return field(key, value, &r.clock.lost)
		case "clock":
			return field(key, value, &r.clock.runs)
		case "skipped":
			return jsonscan.Array(value, func(_ int, v []byte) error { return r.readSkip(v) })
		}
		return badState("key " + jsonscan.Sample(key))
	})
	if err != nil {
		return err
	}
	c := &r.counts
	sum := c.Used + c.Ignored
	for _, s := range c.Skipped {
		sum += s.Count
	}
	if min(c.Records, c.Used, c.Ignored, c.Lines, c.Bytes, c.Unread, r.outside, r.listed, r.relayed, r.opens) < 0 || !r.extent.valid() || !r.twice.valid() || c.Records != sum || !r.clock.valid() ||
		!slices.IsSortedFunc(c.Skipped, func(a, b connlog.Skip) int { return bytes.Compare([]byte(a.Reason), []byte(b.Reason)) }) {
		return badState("its accounting")
	}
	return r.validate()
}

func (r *part) readSkip(value []byte) error {
	var s connlog.Skip
	var reason string
	err := jsonscan.Object(value, func(key, value []byte) error {
		switch string(key) {
		case "reason":
			return field(key, value, &reason)
		case "count":
			return field(key, value, &s.Count)
		case "first":
			return field(key, value, &s.First)
		case "line":
			return field(key, value, &s.Line)
		case "sample":
			return field(key, value, &s.Sample)
		}
		return badState("key " + jsonscan.Sample(key))
	})
	s.Reason = connlog.Reason(reason)
	if err == nil && (s.Count <= 0 || s.First < 0 || s.Line < 0) {
		err = badState("its accounting")
	}
	r.counts.Skipped = append(r.counts.Skipped, s)
	return err
}
