package jitter

import (
	"math"

	"github.com/stormlint/stormlint/core/stat"
)

const (
	most     = 64   // delays of one client that are looked at: the first ones
	logRange = 11.0 // ln(600 s / 10 ms), the width of the prior of any wait
	strange  = 0.03 // share of delays that follow no rule: a user's click, a lost line, a laptop that slept
)

// sample is the delays in ms, sorted by attempt.
type sample struct {
	d       []float64
	k       []int32
	before  []float64    // the wait before this one in the same episode; −1 where there is none
	floor   []float64    // density of a delay that follows no rule, times its share
	index   []int32      // k, at most lastStep: where growth tables are read
	every   bool         // candidates that cannot be the best are looked at all the same, as tests ask for
	hand    int          // 1 + the level of noise whose net, rings and bounds are; 0 for none
	rings   [3]float64   // see away
	bounds  [][4]float64 // see away
	net     []float64    // d without the mean error at the distance in hand (see away)
	steps   []float64    // the ceilings of the shape in hand, in multiples of the first (see climb)
	cut     [lastStep + 1]int
	middles [lastStep + 1]float64 // the median of the delays after attempt k
	last    int                   // the largest attempt, at most lastStep
	keep    float64               // 1 − the share of strange delays
	least   float64               // leastCeiling, or 0 where the error is smaller
	narrow  float64               // the narrowest constant jitter that is told from the error
	noise   [levels]kernel
	levels  int
}

// leastCeiling in ms is the ceiling below which no client of a socket draws its waits; the way of the packets does.
const leastCeiling = 200

// leastWidth in ms is the narrowest constant jitter that is told from the way of the packets.
const leastWidth = 250

// levels is the number of network distances tried.
const levels = 3

var distances = [levels]struct{ mu, sigma, weight float64 }{{50, 22, 0.65}, {2, 2, 0.3}, {150, 70, 0.05}}

// fit is how well one family explains a sample, and with which parameters. All times in ms.
type fit struct {
	log              float64 // ln of the evidence
	base, top        float64 // wait or upper end at attempt 1, and at the cap (0: no cap seen)
	m, spread, width float64
	clamped          bool
	mostly           bool // most delays are equal, at the cap: it takes more to see jitter in the others
	unsure           bool // constant at the cap, but what came before follows no rule
}

// table holds the best fit of every family.
type table [families]fit

func (t *table) clear() {
	for i := range t {
		t[i].log = math.Inf(-1)
	}
}

// offer keeps the better of two fits of a family.
func (t *table) offer(f Family, x fit) {
	if x.log > t[f].log {
		t[f] = x
	}
}

func (s *sample) prepare(lossy, quiet bool, res float64) {
	share := strange
	if lossy {
		share = 0.15
	}
	s.keep = 1 - share
	for i, d := range s.d {
		s.floor[i] = share / (logRange * (max(d, 0) + 100))
		s.index[i] = min(s.k[i], lastStep)
	}
	s.last = 0
	if n := len(s.k); n > 0 {
		s.last = min(int(s.k[n-1]), lastStep)
	}
	at := 0
	for k := range s.cut {
		for at < len(s.k) && int(s.k[at]) <= k {
			at++
		}
		s.cut[k] = at
	}
	s.halve()
	s.levels = levels
	if res >= coarse {
		s.levels = 1
	}
	for i, x := range distances {
		s.noise[i] = newKernel(x.mu, x.sigma, res)
	}
	s.narrow, s.least = leastWidth, leastCeiling
	if quiet && res < coarse {
		s.levels = 1
		s.noise[0] = newKernel(1, 3, res)
		s.narrow, s.least = 15, 0
	}
}

// climb takes a shape in hand: every candidate of it goes through these multiples, most of them several times.
func (s *sample) climb(x *growth) {
	for i, k := range s.index {
		s.steps[i] = x.g[k]
	}
}

// halve finds the medians. Those of one client's delays, which are few, come from a list that is kept sorted.
func (s *sample) halve() {
	var sorted [most]float64 // the delays from a place on
	from := len(s.d)
	for k := s.last; k >= 0; k-- {
		p := s.cut[k]
		switch n := len(s.d) - p; {
		case n == 0:
			continue
		case k < s.last && p == s.cut[k+1]:
			s.middles[k] = s.middles[k+1]
			continue
		case n > most:
			s.middles[k] = s.middle(p, len(s.d))
			continue
		}
		for ; from > p; from-- {
			x, n := s.d[from-1], len(s.d)-from
			for ; n > 0 && sorted[n-1] > x; n-- {
				sorted[n] = sorted[n-1]
			}
			sorted[n] = x
		}
		s.middles[k] = sorted[(len(s.d)-p-1)/2]
	}
}

// chaos is ln of the density if no delay followed any rule.
func (s *sample) chaos() float64 {
	var p product
	for _, d := range s.d {
		p.times(1 / (logRange * (max(d, 0) + 100 + s.noise[0].half)))
	}
	return p.log()
}

// factors is how many densities share one logarithm.
const factors = 16

// product sums logarithms of densities, taking one logarithm for several factors.
type product struct {
	sum, acc float64
	held     int
}

func (p *product) times(x float64) {
	if p.held == 0 {
		p.acc = 1
	}
	p.acc = float64(p.acc * x)
	if p.held++; p.held == factors {
		p.sum += stat.Log(p.acc)
		p.held = 0
	}
}

func (p *product) log() float64 {
	if p.held > 0 {
		p.sum += stat.Log(p.acc)
		p.held = 0
	}
	return p.sum
}

// pointCost is ln of the share of the prior that a value known within ± sigma takes up, where the prior of its
// logarithm is width wide; it is what a free parameter costs.
func pointCost(value, sigma, n, width float64) float64 {
	return stat.Log(min(1, float64(2.5*sigma)/(float64(max(value, sigma)*math.Sqrt(n))*width)))
}

// addLogs is ln(eᵃ + eᵇ).
func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if b < a-40 || math.IsInf(b, -1) {
		return a
	}
	return a + stat.Log1p(stat.Exp(b-a))
}

// wholes holds Log of the first whole numbers.
var wholes = func() (list [most + 1]float64) {
	for n := 1; n <= most; n++ {
		list[n] = stat.Log(float64(n))
	}
	return list
}()

// whole is Log of a count, 0 for 0.
func whole(n int) float64 {
	if n < len(wholes) {
		return wholes[n]
	}
	return stat.Log(float64(n))
}

var logLogRange = stat.Log(logRange)
