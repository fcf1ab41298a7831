package jitter

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/stat"
)

// What follows is each fast step as the law has it: no candidate left out, nothing shared, no order but the natural one. The
// fast ones must give the same bits.

func plainCDF(k *kernel, x float64) float64 {
	z := x / k.sigma
	t := 0.5 + z/(2*math.Sqrt(2+float64(z*z)))
	if k.half == 0 {
		return t
	}
	u := x / k.half
	f := 1.0
	switch {
	case u <= -1:
		f = 0
	case u < 0:
		f = float64((1+u)*(1+u)) / 2
	case u < 1:
		f = 1 - float64((1-u)*(1-u))/2
	}
	return float64(triangleShare*f) + float64((1-triangleShare)*t)
}

func plainPDF(k *kernel, x float64) float64 {
	z := x / k.sigma
	q := 2 + float64(z*z)
	t := 1 / (q * math.Sqrt(q) * k.sigma)
	if k.half == 0 {
		return t
	}
	if u := math.Abs(x) / k.half; u < 1 {
		return float64(triangleShare*(1-u)/k.half) + float64((1-triangleShare)*t)
	}
	return float64((1 - triangleShare) * t)
}

func plainFlat(k *kernel, d, lo, hi float64) float64 {
	w, x := hi-lo, d-k.mu
	if w < k.sigma/16 {
		return plainPDF(k, x-(lo+hi)/2)
	}
	return (plainCDF(k, x-lo) - plainCDF(k, x-hi)) / w
}

func plainBand(s *sample, e *kernel, i, j int, top, spread float64, x *growth) float64 {
	var p product
	for ; i < j; i++ {
		c := top
		if x != nil {
			c = float64(top * x.g[s.index[i]])
		}
		p.times(float64(s.keep*plainFlat(e, s.d[i], float64(c*(1-spread)), c)) + s.floor[i])
	}
	return p.log()
}

func plainCeiling(s *sample, i, j int, spread float64, x *growth) (log, top float64) {
	e := &s.noise[0]
	first, second := 1.0, 1.0
	for a := i; a < j; a++ {
		v := s.d[a] - e.mu
		if x != nil {
			v /= x.g[s.index[a]]
		}
		if v > first {
			first, second = v, first
		} else if v > second {
			second = v
		}
	}
	log = math.Inf(-1)
	try := func(high float64) {
		if l := plainBand(s, e, i, j, high, spread, x); l > log {
			log, top = l, high
		}
	}
	for _, step := range ladder {
		try(float64(first * step))
	}
	if j-i > 4 && first > float64(second*1.3) {
		for _, step := range ladder[firm:far] {
			try(float64(second * step))
		}
	}
	return log, top
}

func plainSlope(s *sample, e *kernel, x *growth, p int) (base float64, ok bool) {
	far := 8 * max(e.sigma, e.half/3)
	for a := p - 1; a >= max(0, p-2); a-- {
		base = (s.d[a] - e.mu) / x.g[s.index[a]]
		if base <= 0 {
			continue
		}
		for b := a - 1; b >= max(0, a-2); b-- {
			if math.Abs(s.d[b]-e.mu-float64(base*x.g[s.index[b]])) > far {
				continue
			}
			up, down := 0.0, 0.0
			for i := range p {
				g := x.g[s.index[i]]
				if math.Abs(s.d[i]-e.mu-float64(base*g)) < far {
					up += float64(g * (s.d[i] - e.mu))
					down += float64(g * g)
				}
			}
			return max(0, up/down), true
		}
	}
	return 0, false
}

func plainWeak(s *sample, e *kernel, x *growth, base float64, p int) bool {
	far := 8 * max(e.sigma, e.half/8)
	clear, bad := 0, 0
	for i := range p {
		c := float64(base * x.g[s.index[i]])
		if math.Abs(s.d[i]-e.mu-c) > far {
			bad++
		} else if c > far {
			clear++
		}
	}
	usual := x.linear || x.m == 1.5 || x.m == 2 || x.m == 3
	return clear < 2 || clear == 2 && !usual || bad*4 > p
}

func plainChain(s *sample, e *kernel, base, limit float64) float64 {
	var p product
	for i, d := range s.d {
		before := s.before[i] - e.mu
		if s.k[i] == 1 || before < base {
			before = base
		}
		if s.k[i] > 1 && s.before[i] < 0 {
			p.times(1 / (logRange * (max(d, 0) + 100)))
			continue
		}
		hi := float64(3 * before)
		density := 0.0
		if hi <= limit {
			density = plainFlat(e, d, base, hi)
		} else {
			capped := (hi - limit) / (hi - base)
			density = float64((1-capped)*plainFlat(e, d, base, limit)) + float64(capped*plainPDF(e, d-limit-e.mu))
		}
		p.times(float64(s.keep*density) + s.floor[i])
	}
	return p.log()
}

var resolutions = []time.Duration{0, time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, time.Minute}

// anyDelays makes waits of every kind: by a law with jitter or without, in one episode or several, with strays, cut to stamps.
func anyDelays(r *rand.Rand) ([]Delay, Options) {
	o := Options{Resolution: resolutions[r.IntN(len(resolutions))], Lossy: r.IntN(5) == 0, Quiet: r.IntN(4) == 0}
	list := make([]Delay, Fewest+r.IntN([]int{15, 70}[r.IntN(2)]))
	base, top := 10+5000*r.Float64(), 1000+60000*r.Float64()
	m := []float64{1, 1.2, 1.3, 1.5, 1.6, 2, 2, 2, 2.2, 3, 4}[r.IntN(11)]
	spread := []float64{0, 0, 0.1, 0.18, 0.33, 0.5, 1, 1}[r.IntN(8)]
	again := []float64{0, 0.1, 0.3, 0.7}[r.IntN(4)]
	stray := []float64{0, 0, 0.05, 0.3}[r.IntN(4)]
	law, k, g, before := r.IntN(8), 0, 1.0, base
	for i := range list {
		if r.Float64() < again {
			k, g, before = 0, 1, base
		}
		k++
		w := min(top, base*g)
		switch law {
		case 0:
			w = 0
		case 1:
			w = min(top, base*float64(k))
		case 2:
			w = min(top, base+(3*before-base)*r.Float64())
		case 3:
			w += base * spread * r.Float64()
		case 4:
			w = min(top, base*g*(1-spread*r.Float64()))
		default:
			w *= 1 - spread*r.Float64()
		}
		before = w
		g *= m
		if r.Float64() < stray {
			w = 1e5 * r.Float64() * r.Float64()
		}
		if !o.Quiet {
			w += way(r)
		}
		if u := float64(o.Resolution) / 1e6; u > 0 && r.IntN(4) > 0 {
			w = math.Floor(w/u+r.Float64()) * u
		}
		list[i] = Delay{Wait: time.Duration(w * 1e6), Attempt: int32(k)}
		if r.IntN(20) == 0 {
			list[i].Attempt = 0
		}
		if r.IntN(30) == 0 {
			list[i].Late = uint8(r.IntN(3))
		}
	}
	return list, o
}

// anySample is such waits as a reading has them, with a distance of network in hand.
func anySample(r *rand.Rand) *sample {
	list, o := anyDelays(r)
	list = list[:min(len(list), most)]
	n := len(list)
	s := &sample{
		d: make([]float64, n), k: make([]int32, n), before: make([]float64, n), floor: make([]float64, n),
		index: make([]int32, n), net: make([]float64, n), steps: make([]float64, n), bounds: make([][4]float64, n),
	}
	k := int32(1)
	for i, x := range list {
		s.d[i], s.k[i], s.before[i] = float64(x.Wait)/1e6, k, -1
		if i > 0 && r.IntN(3) > 0 {
			s.before[i] = s.d[i-1]
		}
		if r.IntN(3) == 0 {
			k++
		}
	}
	s.prepare(o.Lossy, o.Quiet, float64(o.Resolution)/1e6)
	s.away(r.IntN(s.levels))
	return s
}

func TestFastStepsAreThePlainOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(20261201, 1))
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: %v, plainly %v", what, got, want)
		}
	}
	for range 3000 {
		s := anySample(r)
		n, e := len(s.d), &s.noise[s.hand-1]
		x := &growths[r.IntN(len(growths))]
		s.climb(x)
		for p := 1; p <= n; p++ {
			base, ok := s.slope(e, p, 0, math.Inf(-1), math.Inf(1))
			want, wantOK := plainSlope(s, e, x, p)
			if same("slope", base, want); ok != wantOK {
				t.Fatalf("slope %v, plainly %v", ok, wantOK)
			}
			if ok { // and where it is not worked out, it lies outside
				sum := 0.0
				for _, g := range s.steps[:p] {
					sum += g
				}
				low := base * 2 * r.Float64()
				high := low * (1 + r.Float64())
				if got, ok := s.slope(e, p, sum, low, high); ok && got != base || !ok && low <= base && base <= high {
					t.Fatalf("slope %v of %v to %v: %v %v", base, low, high, got, ok)
				}
			}
			if base == 0 {
				base = 3000 * r.Float64()
			}
			weak, reach := s.weak(e, x, base, p)
			if weak != plainWeak(s, e, x, base, p) {
				t.Fatalf("weak %v", weak)
			}
			if line := s.line(e, 0, p, base, s.steps); line > reach {
				t.Fatalf("line %v beyond its bound %v", line, reach)
			}
		}
		d, lo := s.d[r.IntN(n)], 5000*r.Float64()
		hi := lo + []float64{0.1, 10, 5000}[r.IntN(3)]*r.Float64()
		same("cdf", e.cdf(d-lo), plainCDF(e, d-lo))
		same("pdf", e.pdf(d-lo), plainPDF(e, d-lo))
		same("flat", e.flat(d, lo, hi), plainFlat(e, d, lo, hi))
		base := 1 + 3000*r.Float64()
		limit := base * (1 + 20*r.Float64())
		free, capped := s.chain(e, base, limit)
		same("chain", free, plainChain(s, e, base, math.Inf(1)))
		same("chain at a cap", capped, plainChain(s, e, base, limit))
		for spread := range spreads {
			i, j := r.IntN(n), n
			shape := x
			if r.IntN(2) == 0 {
				i, j = 0, 1+r.IntN(n)
			} else if r.IntN(2) == 0 {
				shape = nil
			}
			log, top := s.ceiling(i, j, spread, shape)
			wantLog, wantTop := plainCeiling(s, i, j, spreads[spread].s, shape)
			same("likelihood of a ceiling", log, wantLog)
			same("ceiling", top, wantTop)
		}
	}
	for _, half := range []float64{540, 1040, 60040} { // where the triangle ends
		e := &kernel{mu: 50, sigma: half - 40, half: half}
		for _, x := range []float64{half, -half, math.Nextafter(half, 0), -math.Nextafter(half, 0), math.Nextafter(half, 1e9), 0} {
			same("cdf", e.cdf(x), plainCDF(e, x))
			same("pdf", e.pdf(x), plainPDF(e, x))
		}
	}
}

func TestAboveTheLogarithm(t *testing.T) {
	r := rand.New(rand.NewPCG(20261201, 3))
	for range 200_000 {
		x := math.Exp(1400*r.Float64() - 700)
		if over := above(x) - stat.Log(x); over < 0 || over > 0.02 {
			t.Fatalf("above(%v) is %v more", x, over)
		}
	}
	for _, x := range []float64{0, math.SmallestNonzeroFloat64, 1, 2, math.Nextafter(2, 0), math.MaxFloat64, math.Inf(1)} {
		if above(x) < stat.Log(x) {
			t.Errorf("above(%v) is %v", x, above(x))
		}
	}
}

func TestEveryCandidate(t *testing.T) {
	r := rand.New(rand.NewPCG(20261201, 2))
	for range 1500 {
		list, o := anyDelays(r)
		if a, b := Fit(list, o), judge(list, o, true); a != b {
			t.Fatalf("%+v of %v\n%+v\n%+v with every candidate", o, list, a, b)
		}
		var s Sketch
		for i := range r.IntN(30) {
			if r.IntN(3) == 0 {
				list, _ = anyDelays(r)
			}
			s.Add(uint64(i)<<50, list[r.IntN(len(list)):])
		}
		if a, b := s.Verdict(o), s.judge(o, true); a != b {
			t.Fatalf("%+v\n%+v with every candidate", a, b)
		}
	}
}
