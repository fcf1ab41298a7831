package analyze

import (
	"cmp"
	"slices"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/figure"
)

// repeat is a stretch, an hour as a rule, that a zone passes twice because its clocks are set back: the instants of its
// first passing, which is how stamps without a zone are read.
type repeat struct {
	from, to int64
	offset   int64 // of the first passing, s
	zone     string
}

// repeatedHours lists a zone's.
func repeatedHours(z *stamp.Zone) (list []repeat) {
	for i := 1; i < len(z.Steps); i++ {
		old, at := int64(z.Steps[i-1].Offset), z.Steps[i].From
		if back := old - int64(z.Steps[i].Offset); back > 0 {
			list = append(list, repeat{(at - back) * civil.Second, at * civil.Second, old, z.Name})
		}
	}
	return list
}

// repetition counts a part's lines whose stamps can mean two instants.
type repetition struct {
	lines        int64
	second       int64 // of them, those that were read as the second passing (see stamp.Zone.Following)
	from, offset int64 // of the first repeated stretch in which one lies
	zone         string
}

// see takes one event of a log whose stamps have no zone. Of a line that gives two events that counts whose instant is printed.
func (n *repetition) see(repeats []repeat, e *connlog.Event) {
	printed := e.Time
	switch e.TimeSource {
	case connlog.PrintedStart, connlog.PrintedEnd:
	case connlog.EndMinusDuration:
		if e.Duration == connlog.None {
			return // its close is printed
		}
		printed += e.Duration
	default:
		return
	}
	i, found := slices.BinarySearchFunc(repeats, printed, func(r repeat, at int64) int { return cmp.Compare(r.from, at) })
	if !found {
		i--
	}
	if i < 0 || printed >= 2*repeats[i].to-repeats[i].from {
		return
	}
	r := &repeats[i]
	if printed >= r.to {
		n.second += int64(max(e.Count, 1))
	}
	if n.lines == 0 || r.from < n.from {
		n.from, n.offset, n.zone = r.from, r.offset, r.zone
	}
	n.lines += int64(max(e.Count, 1))
}

func (n *repetition) valid() bool {
	return n.lines >= n.second && n.second >= 0 && n.offset >= -86400 && n.offset <= 86400 && n.from > -1<<62 && n.from < 1<<62
}

// repeated warns of stamps that can mean two instants, source by source.
func (a *Analyzer) repeated() (out []string) {
	for from := 0; from < len(a.parts); { // in order, since account
		sum := repetition{}
		to := from
		for ; to < len(a.parts) && a.parts[to].Source == a.parts[from].Source; to++ {
			n := a.parts[to].twice
			if n.lines > 0 && (sum.lines == 0 || n.from < sum.from) {
				sum.from, sum.offset, sum.zone = n.from, n.offset, n.zone
			}
			sum.lines += n.lines
			sum.second += n.second
		}
		name := a.parts[from].Name
		from = to
		if sum.lines == 0 {
			continue
		}
		local := civil.AppendRFC3339(nil, sum.from+sum.offset*civil.Second, civil.Second)
		day, clock := string(local[:10]), string(local[11:16])
		out = append(out, prefixed(name, figure.Several(sum.lines, "stamp")+" without a zone can mean two instants: on "+day+" the clocks of "+sum.zone+
			" went back to "+clock+" and passed the time after it twice. "+sum.taken()))
	}
	return out
}

// taken says which passing was taken.
func (n *repetition) taken() string {
	if n.second == 0 {
		return "The first passing is taken; those of the second are too early by as much as the clocks went back."
	}
	return "The lines run on and their stamps go back there once: " + figure.Count(n.lines-n.second) + " before that are taken for the first passing, " + figure.Count(n.second) + " after it for the second."
}

// prefixed puts a source's name before a sentence, if it has one.
func prefixed(name, sentence string) string {
	if name == "" {
		return sentence
	}
	return name + ": " + sentence
}
