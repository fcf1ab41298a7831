package report

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// MaxBins is the most bins that a report carries; finer pictures of a shorter range are asked for one by one.
const MaxBins = 2000

// Arrivals counts attempts, opens and closes in bins of equal width. The three slices have equal length; bin i covers
// From + i·Bin up to, not including, From + (i+1)·Bin.
type Arrivals struct {
	From     int64 // a multiple of Bin; 0 without bins
	Bin      int64 // ns; 0 without bins
	Attempts []int64
	Opens    []int64 // attempts that were accepted
	Closes   []int64
}

// AppendJSON appends {"from","bin_ms","attempts","opens","closes"}.
func (a *Arrivals) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Key(b, "from")
	if len(a.Attempts) == 0 {
		b = jsonwrite.Null(b)
	} else {
		b = jsonwrite.Time(b, a.From, a.Bin)
	}
	b = jsonwrite.Millis(jsonwrite.Key(b, "bin_ms"), a.Bin)
	b = appendCounts(jsonwrite.Key(b, "attempts"), a.Attempts)
	b = appendCounts(jsonwrite.Key(b, "opens"), a.Opens)
	b = appendCounts(jsonwrite.Key(b, "closes"), a.Closes)
	return jsonwrite.End(b, '}')
}

func appendCounts(b []byte, list []int64) []byte {
	b = jsonwrite.Array(b)
	for _, n := range list {
		b = jsonwrite.Int(b, n)
	}
	return jsonwrite.End(b, ']')
}

// widths are the bins that people read easily; beyond them come whole days.
var widths = [...]int64{
	civil.Millisecond, 2 * civil.Millisecond, 5 * civil.Millisecond,
	10 * civil.Millisecond, 20 * civil.Millisecond, 50 * civil.Millisecond,
	100 * civil.Millisecond, 200 * civil.Millisecond, 500 * civil.Millisecond,
	civil.Second, 2 * civil.Second, 5 * civil.Second, 10 * civil.Second, 15 * civil.Second, 30 * civil.Second,
	civil.Minute, 2 * civil.Minute, 5 * civil.Minute, 10 * civil.Minute, 15 * civil.Minute, 30 * civil.Minute,
	civil.Hour, 2 * civil.Hour, 3 * civil.Hour, 6 * civil.Hour, 12 * civil.Hour,
}

// Bins chooses the width for events from one instant to another, both included: the narrowest readable one that is not
// below least (ns, such as the stamps' resolution) and needs at most most bins. start is the first bin's beginning.
func Bins(from, to, least int64, most int) (start, width int64, n int) {
	try := func(w int64) bool {
		start = floor(from, w)
		// Unsigned, because the span of two int64 instants may not fit an int64.
		count := (uint64(to)-uint64(start))/uint64(w) + 1
		width, n = w, int(min(count, 1<<30))
		return w >= least && count <= uint64(max(most, 1))
	}
	for _, w := range widths {
		if try(w) {
			return start, width, n
		}
	}
	for days := int64(1); days < 100_000; days *= 2 {
		if try(days * civil.Day) {
			break
		}
	}
	return start, width, n
}

// floor is the greatest multiple of w (> 0) that is not above v; at the very bottom of the range it is v's own minimum.
func floor(v, w int64) int64 {
	r := v % w
	if r < 0 {
		r += w
	}
	if v < None+r {
		return None
	}
	return v - r
}

// Lifetimes counts sessions by how long they lived: Sessions[0] under a second, Sessions[i] under 2^i seconds and not
// under half of it.
type Lifetimes struct{ Sessions []int64 }

// Add counts one session's life in ns.
func (l *Lifetimes) Add(life int64) {
	i := 0
	for i < 33 && life >= civil.Second<<i {
		i++
	}
	for len(l.Sessions) <= i {
		l.Sessions = append(l.Sessions, 0)
	}
	l.Sessions[i]++
}

// Merge adds what another has counted.
func (l *Lifetimes) Merge(o *Lifetimes) {
	for i, n := range o.Sessions {
		if i == len(l.Sessions) {
			l.Sessions = append(l.Sessions, 0)
		}
		l.Sessions[i] += n
	}
}

// AppendJSON appends {"under_ms":[…],"sessions":[…]}.
func (l *Lifetimes) AppendJSON(b []byte) []byte {
	b = jsonwrite.Array(jsonwrite.Key(jsonwrite.Object(b), "under_ms"))
	for i := range l.Sessions {
		b = jsonwrite.Int(b, 1000<<i)
	}
	b = appendCounts(jsonwrite.Key(jsonwrite.End(b, ']'), "sessions"), l.Sessions)
	return jsonwrite.End(b, '}')
}
