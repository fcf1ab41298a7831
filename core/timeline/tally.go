package timeline

import (
	"slices"

	"github.com/stormlint/stormlint/core/order"
)

// tally counts in bins of a base width that doubles until no more than a fixed number of bins is in use. The width that
// is reached depends only on which instants were counted, because a subset never needs wider bins than the whole; so
// tallies merge exactly.
type tally struct {
	shift uint8 // a bin is base << shift wide; the base is the owner's
	bins  []bin // in order, none of them empty
}

type bin struct {
	at    int64 // number of the bin
	count uint32
}

// add counts n in the bin of a number at shift 0.
func (t *tally) add(at int64, n uint32, most int) {
	at >>= t.shift
	i := len(t.bins)
	if i == 0 || t.bins[i-1].at < at {
		t.bins = append(t.bins, bin{at, n})
	} else if last := &t.bins[i-1]; last.at == at { // as a rule: what is counted comes in order of time
		last.count = plus(last.count, n)
		return
	} else {
		i, found := slices.BinarySearchFunc(t.bins, at, func(b bin, at int64) int {
			switch {
			case b.at < at:
				return -1
			case b.at > at:
				return 1
			}
			return 0
		})
		if found {
			t.bins[i].count = plus(t.bins[i].count, n)
			return
		}
		t.bins = order.Insert(t.bins, i, bin{at, n})
	}
	for len(t.bins) > most {
		t.fold()
	}
}

// fold doubles the width.
func (t *tally) fold() {
	t.shift++
	out := t.bins[:0]
	for _, b := range t.bins {
		b.at >>= 1
		if n := len(out); n > 0 && out[n-1].at == b.at {
			out[n-1].count = plus(out[n-1].count, b.count)
		} else {
			out = append(out, b)
		}
	}
	t.bins = out
}

// merge adds another tally of the same base and limit.
func (t *tally) merge(o *tally, most int) {
	for t.shift < o.shift {
		t.fold()
	}
	sum := make([]bin, 0, len(t.bins)+len(o.bins))
	i := 0
	for _, b := range o.bins {
		b.at >>= t.shift - o.shift
		for i < len(t.bins) && t.bins[i].at <= b.at {
			sum = append(sum, t.bins[i])
			i++
		}
		if n := len(sum); n > 0 && sum[n-1].at == b.at {
			sum[n-1].count = plus(sum[n-1].count, b.count)
		} else {
			sum = append(sum, b)
		}
	}
	t.bins = append(sum, t.bins[i:]...)
	for len(t.bins) > most {
		t.fold()
	}
}

// plus adds without overflow: a full counter stays full.
func plus(a, b uint32) uint32 {
	if s := a + b; s >= a {
		return s
	}
	return 1<<32 - 1
}
