package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
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
	clock   wallClock
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

// account adds up what became of the records of all parts, which are sorted here.
func account(parts []reading, in *report.Input) (blind []string) {
	slices.SortFunc(parts, func(a, b reading) int { return a.before(&b) })
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
		in.Sources = append(in.Sources, report.Source{Name: p.Name, Format: p.format, Records: sum.Records})
		if !slices.Contains(in.Formats, p.format) {
			in.Formats = append(in.Formats, p.format)
		}
		for _, s := range p.blind {
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
	slices.SortFunc(skipped, func(a, b report.Skipped) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Reason, b.Reason))
	})
	in.Skipped = skipped
	return blind
}
