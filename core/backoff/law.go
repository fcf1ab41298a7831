package backoff

import (
	"math"

	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// Law is the distribution of one wait: uniform on a range, clamped to bounds, cut to steps, with a share of zeros. The
// zero value is the constant 0.
type Law struct {
	low, width  float64 // ns: the draw is low + q·width
	least, most float64 // ns: clamps; most 0 is none
	step        float64 // ns; 0 is none
	zero        float64 // share of waits that are 0 before anything else
	comb        bool
}

const endless = 1 << 63 // ns, as a float: waits from here on are the longest Duration, 292 years

// At is the quantile at u: never falling in u, from the shortest to the longest wait.
func (l *Law) At(u uint64) lapse.Duration {
	q := stat.Unit(u)
	if l.zero > 0 {
		if q < l.zero {
			return 0
		}
		q = (q - l.zero) / (1 - l.zero)
	}
	return l.wait(q)
}

// wait is the quantile of the law without its zeros.
func (l *Law) wait(q float64) lapse.Duration {
	if l.comb {
		q = teeth(q)
	}
	v := l.low + float64(q*l.width)
	if v < l.least {
		v = l.least
	}
	if l.most > 0 && v > l.most {
		v = l.most
	}
	if l.step > 0 {
		v = float64(math.Floor(v/l.step) * l.step)
	}
	if v >= endless {
		return math.MaxInt64
	}
	return lapse.Duration(v + 0.5)
}

// teeth moves q in [0, 1) onto the ten bands of Socket.IO's jitter, in ascending order: five below the middle, five
// above, each a tenth of one side wide, with a gap of a tenth between.
func teeth(q float64) float64 {
	tenth := float64(q * 10)
	band := math.Floor(tenth)
	inside := tenth - band
	side := 0.0 // in tenths of one side, from the middle
	if band < 5 {
		side = -(9 - float64(2*band) - inside)
	} else {
		side = float64(2*band) - 9 + inside
	}
	return 0.5 + side/20
}

// Min is the shortest wait that is drawn with any chance.
func (l *Law) Min() lapse.Duration {
	if l.zero > 0 {
		return 0
	}
	return l.wait(0)
}

// Max is the longest wait, the law's upper end.
func (l *Law) Max() lapse.Duration { return l.wait(1 - 0x1p-53) }

// Mean is the expected wait in ns; steps are taken as evenly spread.
func (l *Law) Mean() float64 {
	mean := 0.0
	if !l.comb {
		mean = l.clampedMean(0, 1)
	} else {
		for band := 0.0; band < 10; band++ {
			from := teeth(band / 10)
			mean += l.clampedMean(from, from+0.05) / 10
		}
	}
	if l.step > 0 {
		if l.Values() <= 64 {
			mean = l.steppedMean()
		} else {
			mean -= float64(l.step / 2)
		}
	}
	return float64(mean * (1 - l.zero))
}

// clampedMean is the mean of the clamped draw for q uniform on [from, to].
func (l *Law) clampedMean(from, to float64) float64 {
	a, b := l.low+float64(from*l.width), l.low+float64(to*l.width)
	lo, hi := l.least, l.most
	if hi <= 0 {
		hi = math.Inf(1)
	}
	clamp := func(v float64) float64 { return max(lo, min(hi, v)) }
	if b-a <= 0 {
		return clamp(a)
	}
	// The part below lo, the part between and the part above hi.
	below := float64(clamp(lo) * max(0, min(b, lo)-a))
	x, y := max(a, lo), min(b, hi)
	between := 0.0
	if y > x {
		between = float64((y - x) * ((x + y) / 2))
	}
	above := 0.0
	if b > hi {
		above = float64(hi * (b - max(a, hi)))
	}
	return (below + between + above) / (b - a)
}

func (l *Law) steppedMean() float64 {
	mean := 0.0
	for v := float64(math.Floor(float64(l.wait(0))/l.step) * l.step); v <= float64(l.Max()); v += l.step {
		mean += float64(v * (l.below(v+l.step) - l.below(v)))
	}
	return mean
}

// below is P(wait before cutting to steps < v), of the law without its zeros.
func (l *Law) below(v float64) float64 {
	if v <= l.least {
		return 0
	}
	if l.most > 0 && v > l.most {
		return 1
	}
	if l.width <= 0 {
		if l.low < v {
			return 1
		}
		return 0
	}
	q := (v - l.low) / l.width
	if !l.comb {
		return max(0, min(1, q))
	}
	sum := 0.0
	for band := 0.0; band < 10; band++ {
		from := teeth(band / 10)
		sum += max(0, min(1, (q-from)/0.05)) / 10
	}
	return sum
}

// Share is the probability that the wait is exactly d: 0 for a value inside a continuous range, 1 for a constant.
func (l *Law) Share(d lapse.Duration) float64 {
	v := float64(d)
	share := 0.0
	switch {
	case l.step > 0:
		if next := float64(math.Floor(v/l.step) * l.step); next == v {
			share = l.below(v+l.step) - l.below(v)
		}
	case l.wait(0) == l.Max():
		if l.wait(0) == d {
			share = 1
		}
	default:
		if l.most > 0 && v == math.Floor(l.most+0.5) {
			share += 1 - l.below(l.most)
		}
		if l.least > 0 && v == math.Floor(l.least+0.5) || d == 0 && l.low < 0 {
			at := l.least + float64(math.Abs(l.least)*0x1p-50)
			if at == 0 {
				at = 0x1p-1000
			}
			share += l.below(at)
		}
	}
	share = float64(share * (1 - l.zero))
	if d == 0 {
		share += l.zero
	}
	return share
}

// Values is how many different waits the law has, counting a continuous range as the longest int.
func (l *Law) Values() int {
	lo, hi := float64(l.wait(0)), float64(l.Max())
	n := 1.0
	switch {
	case hi == lo:
	case l.step > 0:
		n = math.Floor((hi-lo)/l.step+0.5) + 1
	default:
		return math.MaxInt
	}
	if l.zero > 0 && lo > 0 {
		n++
	}
	return int(min(n, 1<<31))
}
