package analyze

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/stormlint/stormlint/core/timeline"
)

// comparison looks for one source's handshakes in another's, as far as both are known.
type comparison struct {
	a     *Analyzer
	until int64
	give  int64 // by how much the instants of one handshake may differ beside what the stamps leave open
}

// first is the place of the first telling at or after an instant.
func first(told []telling, at int64) int {
	n, _ := slices.BinarySearchFunc(told, at, func(t telling, at int64) int { return cmp.Compare(t.at, at) })
	return n
}

func (c *comparison) before(told []telling) []telling { return told[:first(told, c.until)] }

func (c *comparison) known(told []telling) (n int) {
	for i := range told {
		if told[i].at < c.until {
			n++
		}
	}
	return n
}

// ids looks for the request ids of one source in the other.
func (c *comparison) ids(p, q *tale) (k kinship, ok bool) {
	for i, j := 0, 0; i < len(p.byID) && j < len(q.byID); {
		switch x, y := &p.byID[i], &q.byID[j]; {
		case x.id < y.id:
			i++
		case x.id > y.id:
			j++
		default:
			if x.at < c.until && y.at < c.until {
				k.common++
			}
			i++
			j++
		}
	}
	n, m := c.known(p.byID), c.known(q.byID)
	if k.common < fewest || k.common*2 < min(n, m) {
		return k, false
	}
	k.cover = [2]float64{float64(k.common) / float64(n), float64(k.common) / float64(m)}
	k.why = "they share request ids"
	return k, true
}

// clients compares the attempts of each client in two sources.
func (c *comparison) clients(p, q *tale) (k kinship, ok bool) {
	var alone, found [2]int
	var lead, leads int64
	for rest, other := p.byRow, q.byRow; len(rest) > 0 && len(other) > 0; {
		x, y := run(rest), run(other)
		if x[0].row <= y[0].row {
			rest = rest[len(x):]
		}
		if y[0].row <= x[0].row {
			other = other[len(y):]
		}
		if x[0].row != y[0].row {
			continue
		}
		x, y = c.before(x), c.before(y)
		for i := range x {
			if lonely(x, i) && within(y, x[i].at) {
				alone[0]++
				if j := c.partner(&x[i], y, 0, q.blur, 0); j >= 0 {
					found[0]++
					lead += y[j].at - x[i].at
					leads++
				}
			}
		}
		for i := range y {
			if lonely(y, i) && within(x, y[i].at) {
				alone[1]++
				if c.partner(&y[i], x, 0, p.blur, 0) >= 0 {
					found[1]++
				}
			}
		}
		if alone[0]+alone[1] >= 100 && (found[0]+found[1])*2 < alone[0]+alone[1] {
			return k, false // gateways beside each other, of which there can be many
		}
		k.common += c.pairs(x, y, q.blur)
	}
	for side := range alone {
		ok = ok || found[side] >= fewest && found[side]*10 >= alone[side]*9
	}
	if !ok {
		return k, false
	}
	if mean := float64(lead) / float64(max(leads, 1)); math.Abs(mean) > float64(max(p.blur, q.blur))/2+1e6 {
		k.lead = mean
	}
	k.cover = [2]float64{float64(k.common) / float64(c.known(p.byRow)), float64(k.common) / float64(c.known(q.byRow))}
	k.why = "the same clients at the same moments"
	return k, true
}

// run is that of the first client's attempts.
func run(told []telling) []telling {
	n := 1
	for n < len(told) && told[n].row == told[0].row {
		n++
	}
	return told[:n]
}

// lonely reports that no other attempt of the list is near the i-th.
func lonely(told []telling, i int) bool {
	return (i == 0 || told[i].at-told[i-1].at > aloneFor) && (i == len(told)-1 || told[i+1].at-told[i].at > aloneFor)
}

// within reports that the list covers the instant.
func within(told []telling, at int64) bool {
	return len(told) > 0 && at >= told[0].at-aloneFor && at <= told[len(told)-1].at+aloneFor
}

// partner finds, from a place on, the first unused attempt of a list that may be t, shifted by some time; -1 for none. blur
// is the list's widest.
func (c *comparison) partner(t *telling, list []telling, shift, blur int64, from int) int {
	at := t.at + shift
	reach := blur + t.blur + c.give
	for i := max(from, first(list, at-reach)); i < len(list) && list[i].at <= at+reach; i++ {
		o := &list[i]
		if !o.used && max(o.at-at, at-o.at) <= o.blur+t.blur+c.give && agree(t, o) && c.samePath(t.path, o.path) {
			return i
		}
	}
	return -1
}

func agree(x, y *telling) bool { return x.result == 0 || y.result == 0 || x.result == y.result }

// samePath allows for a gateway that takes a prefix off.
func (c *comparison) samePath(x, y timeline.Word) bool {
	if x == y || x == 0 || y == 0 {
		return true
	}
	s, t := c.a.table.Text(x), c.a.table.Text(y)
	return strings.HasSuffix(s, t) || strings.HasSuffix(t, s)
}

// pairs counts the attempts that both lists have, each with one partner at most. blur is q's.
func (c *comparison) pairs(p, q []telling, blur int64) (n int) {
	from := 0
	for i := range p {
		for from < len(q) && q[from].used {
			from++
		}
		if j := c.partner(&p[i], q, 0, blur, from); j >= 0 {
			q[j].used = true
			n++
		}
	}
	for i := range q {
		q[i].used = false
	}
	return n
}

// moments compares an outer source with an inner one that hardly knows any clients.
func (c *comparison) moments(outer, inner *tale) (k kinship, ok bool) {
	p, q := c.before(outer.told), c.before(inner.told)
	alone, found, shifted, chance := 0, 0, 0, 0
	for i := range q {
		if !lonely(q, i) || !within(p, q[i].at) {
			continue
		}
		alone++
		if c.partner(&q[i], p, 0, outer.blur, 0) >= 0 {
			found++
		}
		for _, shift := range [...]int64{-29_000_000_000, -13_000_000_000, 11_000_000_000, 31_000_000_000} {
			if within(p, q[i].at+shift) {
				shifted++
				if c.partner(&q[i], p, shift, outer.blur, 0) >= 0 {
					chance++
				}
			}
		}
	}
	// By chance few of them would have found a partner.
	ok = found >= fewest+3 && found*10 >= alone*9 && chance*2 <= shifted
	if width := max(1_000_000_000, 20*max(outer.blur, inner.blur)); !ok && !sameCrowd(p, q, width) && !sameCrowd(accepted(p), accepted(q), width) {
		return k, false
	}
	k.common = c.pairs(q, p, outer.blur)
	k.cover = [2]float64{float64(k.common) / float64(len(p)), float64(k.common) / float64(len(q))}
	k.why = "at the same moments, and it knows hardly any clients"
	return k, true
}

func accepted(told []telling) (out []telling) {
	for i := range told {
		if told[i].result > 0 {
			out = append(out, told[i])
		}
	}
	return out
}

// sameCrowd reports that two sources have the same number of handshakes in every stretch of time of some width, far nearer
// than chance would have it: two independent counts of mean n differ by about 0.8 √(2n).
func sameCrowd(p, q []telling, width int64) bool {
	if min(len(p), len(q)) < 10*crowdBins {
		return false
	}
	to := min(p[len(p)-1].at, q[len(q)-1].at)
	bins, off, expected := 0, 0.0, 0.0
	i, j := 0, 0
	for at := max(p[0].at, q[0].at); at < to; at += width {
		i, j = i+first(p[i:], at), j+first(q[j:], at)
		if i < len(p) && j < len(q) {
			at = max(at, min(p[i].at, q[j].at)) // over what is empty
		}
		n, m := first(p[i:], at+width), first(q[j:], at+width)
		if n+m > 0 {
			bins++
			off += math.Abs(float64(n - m))
			expected += 0.8 * math.Sqrt(float64(n+m))
		}
	}
	return bins >= crowdBins && off <= 0.4*expected
}
