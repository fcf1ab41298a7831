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
}

func (r *reading) before(o *reading) int {
	return cmp.Or(cmp.Compare(r.Source, o.Source), cmp.Compare(r.Index, o.Index))
}

// blindSpots says in sentences what a kind of log cannot show.
func blindSpots(t *connlog.Traits) []string {
	var out []string
	say := func(is bool, sentence string) {
		if is {
			out = append(out, t.Title+": "+sentence)
		}
	}
	say(t.Written == connlog.AtClose, "a line is written when a connection ends, so sessions still open at the end are not in the log.")
	say(!t.Closes && !t.Duration, "ends of sessions are not logged, so lifetimes, and waits after an end, are unknown.")
	say(t.Written == connlog.AtClose && !t.Duration, "lines have no duration, so it is unknown when an established connection began.")
	say(!t.Refusals, "refused handshakes are not logged.")
	say(!t.Client, "clients are not named.")
	say(!t.UserAgent, "user agents are not logged, so versions cannot be told apart.")
	say(!t.Zone && t.Stamped != connlog.StampNone, "stamps have no zone; they were read in the one given, or as UTC.")
	say(t.Resolution >= 1e9, "stamps are whole seconds, so waits are known to about a second.")
	say(t.LateBy > 0, "the client may see an end up to "+strconv.FormatInt(t.LateBy/1e9, 10)+" s after the log has it.")
	for _, s := range t.Blind {
		say(true, s)
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
