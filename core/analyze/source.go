package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/report"
)

// Part says which piece of which input an analyzer reads. Sources are numbered in the order in which the operator named
// them, parts in the order in which they follow each other in their source; both count from 0.
type Part struct {
	Source int
	Index  int
	Name   string // the source as the operator named it; the same for all its parts
	Tier   int    // 0 for the gateway that clients meet first; of two tellings of one request its is kept
}

func (p *Part) validate() error {
	const most = 1<<31 - 1
	if p.Source < 0 || p.Source > most || p.Index < 0 || p.Index > most || p.Tier < 0 || p.Tier > most {
		return fault.Value("analyze", "part", strconv.Itoa(p.Source)+"/"+strconv.Itoa(p.Index), "numbers from 0")
	}
	return nil
}

// reading is what a part's records came to.
type reading struct {
	Part
	format  string // the title of the plan's first format
	blind   []string
	counts  connlog.Counts
	outside int64 // events beyond the asked-for range
	listed  int64 // events with a forwarded list
	relayed int64 // events whose client somebody in front told the server
	opens   int64 // attempts that succeeded
	clock   wallClock
	twice   repetition
	extent

	unopened string // what to say if none succeeded
}

// extent is the range of instants of events.
type extent struct {
	from, to   int64 // None without an event
	resolution int64 // the coarsest stamp, ns
}

var nothing = extent{from: report.None, to: report.None}

// span widens the range.
func (x *extent) span(from, to, resolution int64) {
	if from == report.None {
		return
	}
	if x.from == report.None || from < x.from {
		x.from = from
	}
	if x.to == report.None || to > x.to {
		x.to = to
	}
	x.resolution = max(x.resolution, resolution)
}

func (x *extent) valid() bool {
	return x.from <= x.to && (x.from == report.None) == (x.to == report.None) && x.resolution >= 0
}

func (r *reading) before(o *reading) int {
	return cmp.Or(cmp.Compare(r.Source, o.Source), cmp.Compare(r.Index, o.Index))
}

// blindSpots says in sentences what a kind of log cannot show.
func blindSpots(t *connlog.Traits) []string {
	out := t.BlindSpots()
	for i, sentence := range out {
		out[i] = t.Title + ": " + sentence
	}
	return out
}

// account adds up what became of the records of all parts, which are in order. told names the sources that are left out.
func account(parts []reading, in *report.Input, told map[int]string) (blind []string) {
	var skipped []report.Skipped
	for from := 0; from < len(parts); {
		to := from
		var sum connlog.Counts
		for ; to < len(parts) && parts[to].Source == parts[from].Source; to++ {
			sum.Follow(&parts[to].counts)
		}
		p := &parts[from]
		in.Records += sum.Records
		in.Used += sum.Used
		in.Ignored += sum.Ignored
		in.Sources = append(in.Sources, report.Source{Name: p.Name, Format: p.format, Records: sum.Records, ToldBy: told[p.Source]})
		if sum.Records > 0 && !slices.Contains(in.Formats, p.format) { // nothing tells what an empty source is
			in.Formats = append(in.Formats, p.format)
		}
		said := p.blind
		if outer := told[p.Source]; outer != "" {
			said = []string{prefixed(p.Name, "handshakes that reached it by another way than through "+outer+" are not counted.")}
		}
		for _, s := range said {
			if !slices.Contains(blind, s) {
				blind = append(blind, s)
			}
		}
		for _, s := range sum.Skipped {
			i := slices.IndexFunc(skipped, func(f report.Skipped) bool { return f.Reason == string(s.Reason) })
			if i >= 0 {
				skipped[i].Count += s.Count
				continue
			}
			skipped = append(skipped, report.Skipped{
				Reason: string(s.Reason), Count: s.Count, Source: p.Name, FirstRecord: s.First + 1, FirstLine: s.Line + 1, Sample: s.Sample,
			})
		}
		from = to
	}
	order.By(skipped, func(a, b report.Skipped) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Reason, b.Reason))
	})
	in.Skipped = skipped
	return blind
}
