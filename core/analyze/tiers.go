package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/timeline"
)

// Two logs can tell of the same handshakes: the gateway's, and the application's behind it. Added up, every client would
// seem to have come twice, and the gateway itself would seem to be the worst of clients. So sources are compared when all
// is read, which makes the answer the same for any split and any order of merges, and of those that tell the same story the
// one that clients meet first is analysed.
//
// What shows that source B stands behind source A:
//
//	ids      the request ids of the one are in the other
//	clients  B names the same clients as A, and when a client came alone to the one it came at that moment to the other,
//	         with the same result
//	moments  B knows hardly any clients, as an application that sees its proxy's address only, and its handshakes come
//	         when A's do: those that come alone to the moment, those in a crowd in equal numbers for every few seconds
//
// Gateways that share a load do none of it: they have no id in common, a handshake is at one of them only, and both know
// many clients. Times are compared as widely as their stamps are wide; chance is measured by shifting B in time.
type tier struct {
	source uint32
	name   string
	rank   int // as the caller says
	listed bool
	known  int     // clients named
	tales  [2]tale // of attempts and of closes
}

// tale is what is compared of a source.
type tale struct {
	told  []telling // the earliest, in order
	byRow []telling // those of named clients, client by client
	byID  []telling // those with a request id, in order of it, each id once
	until int64     // what is later may be missing
	blur  int64     // the widest
}

// telling is one attempt or one close of a source.
type telling struct {
	at, blur int64 // the middle of what the stamp can mean, and half its width
	row      int32 // -1 for a client without a name
	path     timeline.Word
	result   int8 // of an attempt: 1 accepted, -1 not, 0 unknown
	used     bool
	id       uint64
	index    uint32 // of its part
	record   int64
}

const (
	mostTold    = 20_000        // compared of a source; fewer where there are many
	fewest      = 5             // matches without which nothing is concluded
	slack       = 500_000_000   // ns: how far clocks and the way between two tiers put one handshake apart
	lateSlack   = 2_000_000_000 // the same for ends, which gateways pass on late
	widest      = 1_000_000_000 // half of a stamp's width: whole minutes are no evidence
	aloneFor    = 5_000_000_000 // a client's only attempt within so much, before and after
	crowdBins   = 10            // stretches of time with handshakes, for comparing numbers
	enoughCover = 0.8           // of a source must be told elsewhere before it is left out
)

// kinship is what two sources have in common.
type kinship struct {
	why    string
	cover  [2]float64 // of the first's handshakes the share that the second tells, and the other way about
	common int        // handshakes told by both
	lead   float64    // how much earlier the first has them, ns; 0 where it is not beyond doubt
}

// behind is one source's place behind another.
type behind struct {
	outer int // in the list
	why   string
	cover float64 // of its handshakes
}

// compareSources leaves out the sources that stand behind others, and says so.
func (a *Analyzer) compareSources() {
	if a.options.Tiers || len(a.parts) < 2 || a.parts[0].Source == a.parts[len(a.parts)-1].Source {
		return
	}
	list := a.tell()
	inner := make([][]behind, len(list))
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			k, ok := a.kin(&list[i], &list[j])
			switch {
			case !ok:
			case outermost(&list[i], &list[j], &k) < 0:
				inner[j] = append(inner[j], behind{i, k.why, k.cover[1]})
			default:
				inner[i] = append(inner[i], behind{j, k.why, k.cover[0]})
			}
		}
	}
	outer := make([]int, len(list)) // that each is left out for; -1 for none
	for i := range list {
		outer[i] = -1
		covered, best := 0.0, behind{outer: -1}
		for _, b := range inner[i] {
			at := b.outer
			for at < i && outer[at] >= 0 {
				at = outer[at]
			}
			if at == i {
				continue // it is itself left out for this one
			}
			if covered += b.cover; best.outer < 0 || b.cover > best.cover {
				best = b
			}
		}
		if best.outer < 0 {
			continue
		}
		name, other, share := list[i].name, list[best.outer].name, figure.Percent(min(covered, 1))
		if covered < enoughCover {
			a.doubts = append(a.doubts, name+" and "+other+" tell in part of the same handshakes ("+share+" of the former's; "+best.why+
				"). Both are counted, and those twice: analyse them apart.")
			continue
		}
		outer[i] = best.outer
		if a.told == nil {
			a.told = map[int]string{}
		}
		a.told[int(list[i].source)] = other
		a.table.Leave(list[i].source)
		a.doubts = append(a.doubts, name+" tells of the same handshakes as "+other+" ("+share+" of them; "+best.why+"): it stands behind it. Only "+
			other+" is analysed, so that nobody is counted twice; --include tiers counts both.")
	}
}

// tell collects what the sources tell.
func (a *Analyzer) tell() []tier {
	var list []tier
	at := map[uint32]int{}
	for i := range a.parts { // in order
		p := &a.parts[i]
		if n := len(list); n == 0 || list[n-1].source != uint32(p.Source) {
			at[uint32(p.Source)] = n
			list = append(list, tier{source: uint32(p.Source), name: cmp.Or(p.Name, "source "+strconv.Itoa(p.Source+1)), rank: p.Tier})
		}
		list[len(list)-1].listed = list[len(list)-1].listed || p.listed+p.relayed > 0
	}
	most := max(min(mostTold, 20*mostTold/len(list)), 500)
	complete, parts := a.table.Complete(), a.table.Parts()
	row, seen := -1, make([]bool, len(list))
	a.table.Each(func(i int, m *timeline.Moment) {
		if i != row {
			row = i
			clear(seen)
		}
		if m.Time >= complete {
			return
		}
		s := a.table.Signature(m)
		part := parts[m.Part]
		t := &list[at[part.Source]]
		one := telling{at: m.Time + s.Resolution()/2, blur: s.Resolution() / 2, row: int32(i), path: s.Path, id: m.ID, index: part.Index, record: m.Record}
		if _, named := a.table.Key(i); !named {
			one.row = -1
		} else if n := at[part.Source]; !seen[n] {
			seen[n] = true
			t.known++
		}
		switch {
		case s.Kind == connlog.Close:
		case s.Outcome == connlog.OK:
			one.result = 1
		case s.Outcome != connlog.OutcomeUnknown:
			one.result = -1
		}
		told := &t.tales[s.Kind].told
		if *told = append(*told, one); len(*told) >= 2*most {
			*told = earliest(*told, most)
		}
	})
	for i := range list {
		for kind := range list[i].tales {
			list[i].tales[kind].prepare(most, complete)
		}
	}
	return list
}

func (t *tale) prepare(most int, complete int64) {
	t.told, t.until = earliest(t.told, most), complete
	if len(t.told) == most {
		t.until = t.told[most-1].at
	}
	for i := range t.told {
		one := &t.told[i]
		t.blur = max(t.blur, one.blur)
		if one.row >= 0 {
			t.byRow = append(t.byRow, *one)
		}
		if one.id != 0 {
			t.byID = append(t.byID, *one)
		}
	}
	order.By(t.byRow, func(a, b telling) int { return cmp.Compare(a.row, b.row) })
	order.By(t.byID, func(a, b telling) int { return cmp.Compare(a.id, b.id) })
	t.byID = slices.CompactFunc(t.byID, func(a, b telling) bool { return a.id == b.id })
}

// earliest sorts, and keeps the first ones.
func earliest(told []telling, most int) []telling {
	order.By(told, func(a, b telling) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.index, b.index), cmp.Compare(a.record, b.record), cmp.Compare(a.row, b.row), cmp.Compare(a.id, b.id))
	})
	return told[:min(len(told), most)]
}

// kin compares two sources by their attempts, or by their closes where one of them has hardly any attempts.
func (a *Analyzer) kin(x, y *tier) (k kinship, ok bool) {
	kind, give := connlog.Attempt, int64(slack)
	if min(len(x.tales[kind].told), len(y.tales[kind].told)) < fewest {
		kind, give = connlog.Close, lateSlack
	}
	p, q := &x.tales[kind], &y.tales[kind]
	c := comparison{a: a, until: min(p.until, q.until), give: give}
	if min(len(c.before(p.told)), len(c.before(q.told))) < fewest || p.blur > widest || q.blur > widest ||
		p.told[0].at > q.told[len(q.told)-1].at+aloneFor || q.told[0].at > p.told[len(p.told)-1].at+aloneFor {
		return k, false
	}
	if k, ok = c.ids(p, q); ok {
		return k, true
	}
	if k, ok = c.clients(p, q); ok {
		return k, true
	}
	if hides(y, x) {
		return c.moments(p, q)
	}
	if hides(x, y) {
		k, ok = c.moments(q, p)
		k.cover[0], k.cover[1] = k.cover[1], k.cover[0]
	}
	return k, ok
}

// hides reports that inner knows hardly any of the clients that outer knows.
func hides(inner, outer *tier) bool {
	return outer.known >= 4 && (inner.known <= 3 || inner.known*10 <= outer.known)
}

// outermost is below 0 if x is the tier that clients meet first, above if y is.
func outermost(x, y *tier, k *kinship) int {
	n, m := len(x.tales[connlog.Attempt].told), len(y.tales[connlog.Attempt].told)
	switch {
	case x.rank != y.rank:
		return cmp.Compare(x.rank, y.rank)
	case hides(y, x):
		return -1
	case hides(x, y):
		return 1
	case x.listed != y.listed: // the inner one is told for whom the outer one asks
		if y.listed {
			return -1
		}
		return 1
	case n-m > 2 && (n-m)*50 > n: // what the outer one refused the inner one never saw
		return -1
	case m-n > 2 && (m-n)*50 > m:
		return 1
	case k.lead != 0:
		return -cmp.Compare(k.lead, 0)
	}
	return cmp.Compare(x.source, y.source)
}
