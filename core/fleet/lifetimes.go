package fleet

import (
	"math"
	"math/bits"
	"slices"
)

// Lifetimes sums how long sessions lived that ended together. Its sums are whole ms, so they are the same in any order.
type Lifetimes struct {
	n      int64
	sum    int64 // ms
	hi, lo uint64
}

// Add takes one session's life in ns; negative lives are ignored.
func (l *Lifetimes) Add(life int64) {
	if life < 0 {
		return
	}
	ms := uint64(life / 1_000_000)
	l.n++
	l.sum += int64(ms)
	hi, lo := bits.Mul64(ms, ms)
	var carry uint64
	l.lo, carry = bits.Add64(l.lo, lo, 0)
	l.hi, _ = bits.Add64(l.hi, hi, carry)
}

// Merge adds another part's sessions.
func (l *Lifetimes) Merge(o Lifetimes) {
	var carry uint64
	l.n += o.n
	l.sum += o.sum
	l.lo, carry = bits.Add64(l.lo, o.lo, 0)
	l.hi, _ = bits.Add64(l.hi, o.hi, carry)
}

// N is the number of sessions.
func (l *Lifetimes) N() int64 { return l.n }

// Mean is in ns, 0 without sessions.
func (l *Lifetimes) Mean() float64 {
	if l.n == 0 {
		return 0
	}
	return float64(l.sum) / float64(l.n) * 1e6
}

// CV is the standard deviation by the mean: below some 0.1 the sessions were ended by a clock (idle timeout, age limit),
// far above it by an event (reload, deploy, cut cable). 0 for fewer than two sessions.
func (l *Lifetimes) CV() float64 {
	if l.n < 2 || l.sum == 0 {
		return 0
	}
	n, mean := float64(l.n), float64(l.sum)/float64(l.n)
	squares := float64(float64(l.hi)*0x1p64) + float64(l.lo)
	variance := squares/n - float64(mean*mean)
	return math.Sqrt(max(variance, 0)) / mean
}

func sortWhole(v []uint64) { slices.Sort(v) }
