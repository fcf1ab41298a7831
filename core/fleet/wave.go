package fleet

import (
	"slices"

	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/stat"
)

// Wave is a stretch in which far more happened than around it.
type Wave struct {
	From, To int64   // ns; To is the end of its last second
	Events   int64   // in the stretch
	Usual    float64 // expected there from the minutes around
	Width    int64   // ns in which the middle nine tenths of the events lie, at least the width of a bin
	Peak     float64 // events in the busiest second
	PeakAt   int64   // where that second begins
}

const (
	second    int64 = 1_000_000_000
	minute          = 60 * second
	fewest          = 8 // events in a second below which nothing is a wave
	lull            = 4 // events in a second that do not end a wave
	around          = 5 // minutes on either side that say what is usual
	mostWaves       = 100
)

// Waves finds the stretches, in order of time; of more than 100 the largest are given. A second belongs to one when so
// many events are less likely than 1e-6, over the whole log, at the rate of the minutes around (the median of their
// seconds' counts, so that the wave itself does not hide it), and are at least three times as many.
func Waves(c *Counts, o Options) []Wave {
	step := max(second, c.Width(), (o.Resolution+second-1)/second*second)
	bins := perBin(c, step)
	if len(bins) == 0 {
		return nil
	}
	lo, hi := bins[0].at, bins[len(bins)-1].at
	if o.To > o.From { // the log goes on where nothing of this kind happened
		lo, hi = min(lo, floorDiv(o.From, step)), max(hi, floorDiv(o.To, step))
	}
	usual := medians(bins, step, lo, hi)
	limit := 1e-6 / float64(hi-lo+1)
	var waves []Wave
	last := int64(-1 << 62)
	for i, b := range bins {
		rate := usual.at(b.at)
		if b.n < fewest || float64(b.n) < 3*rate || poissonTail(b.n, rate) > limit {
			continue
		}
		joined := b.at-last == 1 || b.at-last == 2 && bins[i-1].at == b.at-1 && bins[i-1].n >= lull && bins[i-1].n*8 >= b.n
		if len(waves) > 0 && joined {
			w := &waves[len(waves)-1]
			w.To = (b.at + 1) * step
		} else {
			waves = append(waves, Wave{From: b.at * step, To: (b.at + 1) * step})
		}
		last = b.at
	}
	for i := range waves {
		waves[i].measure(c, usual.at(floorDiv(waves[i].From, step))/float64(step)*float64(second))
	}
	if len(waves) > mostWaves {
		order.By(waves, func(a, b Wave) int { return int(min(max(b.Events-a.Events, -1), 1)) })
		waves = waves[:mostWaves]
		order.By(waves, func(a, b Wave) int { return int(min(max(floorDiv(a.From-b.From, second), -1), 1)) })
	}
	return waves
}

// measure fills in a wave's figures; rate is the usual number of events a second.
func (w *Wave) measure(c *Counts, rate float64) {
	w.Usual = float64(rate * (float64(w.To-w.From) / float64(second)))
	type bin struct {
		at int64
		n  uint32
	}
	var list []bin
	c.between(w.From, w.To, func(at int64, n uint32) {
		list = append(list, bin{at, n})
		w.Events += int64(n)
	})
	// The busiest second, at any bin.
	sum, from := uint64(0), 0
	best := uint64(0)
	length := max(second, c.Width())
	for _, b := range list {
		sum += uint64(b.n)
		for list[from].at+length <= b.at {
			sum -= uint64(list[from].n)
			from++
		}
		if sum > best {
			best, w.PeakAt = sum, list[from].at
		}
	}
	w.Peak = float64(best) / (float64(length) / float64(second))
	// The middle nine tenths.
	cut := w.Events / 20
	low, high := int64(0), int64(0)
	for i, b := range list {
		if low += int64(b.n); low > cut {
			w.Width = -list[i].at
			break
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if high += int64(list[i].n); high > cut {
			w.Width += list[i].at + c.Width()
			break
		}
	}
}

type count struct {
	at int64 // in steps
	n  uint64
}

func perBin(c *Counts, step int64) (list []count) {
	c.Each(func(from int64, n uint32) {
		at := floorDiv(from, step)
		if k := len(list); k > 0 && list[k-1].at == at {
			list[k-1].n += uint64(n)
			return
		}
		list = append(list, count{at, uint64(n)})
	})
	return list
}

// rates says what is usual: the median, over the minutes around, of each minute's median second; and never less than the
// mean of those minutes without their busiest third, for logs in which most seconds are empty.
type rates struct {
	perMinute int64 // steps in a minute
	first     int64
	median    []float64
}

func medians(bins []count, step, lo, hi int64) rates {
	r := rates{perMinute: max(1, minute/step)}
	r.first = floorDiv(lo, r.perMinute)
	last := floorDiv(hi, r.perMinute)
	if last-r.first > 2_000_000 { // years: minutes as long as need be
		for last-r.first > 2_000_000 {
			r.perMinute *= 2
			r.first = floorDiv(lo, r.perMinute)
			last = floorDiv(hi, r.perMinute)
		}
	}
	r.median = make([]float64, last-r.first+1)
	var room []uint64
	for i := 0; i < len(bins); {
		m := floorDiv(bins[i].at, r.perMinute)
		covered := min((m+1)*r.perMinute, hi+1) - max(m*r.perMinute, lo) // the log may begin within
		room = room[:0]
		for ; i < len(bins) && floorDiv(bins[i].at, r.perMinute) == m; i++ {
			room = append(room, bins[i].n)
		}
		slices.Sort(room)
		empty := covered - int64(len(room))
		value := 0.0
		if middle := covered/2 - empty; middle >= 0 && middle < int64(len(room)) {
			value = float64(room[middle])
		}
		quiet := uint64(0) // the mean without the busiest third
		keep := max(0, len(room)-int(covered)/3)
		for _, n := range room[:keep] {
			quiet += n
		}
		if covered < r.perMinute/4 && last > r.first {
			r.median[m-r.first] = -1 // too little to say
			continue
		}
		r.median[m-r.first] = max(value, float64(quiet)/float64(max(1, covered*2/3)))
	}
	return r
}

func (r *rates) at(step int64) float64 {
	m := floorDiv(step, r.perMinute) - r.first
	low, high := max(0, m-around), min(int64(len(r.median)), m+around+1)
	var room [2*around + 1]float64
	v := room[:0]
	for _, x := range r.median[low:high] {
		if x >= 0 {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return 0.02
	}
	slices.Sort(v)
	return max(v[len(v)/2], 0.02)
}

// poissonTail bounds P(X ≥ n) for a Poisson variable from above (Chernoff 1952): e^(n − λ) (λ/n)^n for n > λ.
func poissonTail(n uint64, rate float64) float64 {
	x := float64(n)
	if x <= rate {
		return 1
	}
	return stat.Exp(x - rate - float64(x*stat.Log(x/rate)))
}
