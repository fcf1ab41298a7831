package stat_test

import (
	_ "embed"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/stat"
)

//go:embed testdata/references.txt
var references string

// Every function against 25 digits, in ulp of the exact value where the bound is in ulp, relative otherwise.
func TestReferences(t *testing.T) {
	one := func(f func(float64) float64) func(a []float64) float64 {
		return func(a []float64) float64 { return f(a[0]) }
	}
	functions := map[string]struct {
		f        func(a []float64) float64
		ulp, rel float64 // the bound stated in the package comment; rel 0: none
	}{
		"exp":            {one(stat.Exp), 1, 0},
		"log":            {one(stat.Log), 1, 0},
		"log1p":          {one(stat.Log1p), 4, 0},
		"pow":            {func(a []float64) float64 { return stat.Pow(a[0], a[1]) }, 4, 0},
		"erfc":           {one(stat.Erfc), 3, 4e-15},
		"normaltail":     {one(stat.NormalTail), 3, 2e-13},
		"chisquaretail":  {func(a []float64) float64 { return stat.ChiSquareTail(a[0], a[1]) }, 3, 2e-13},
		"kolmogorovtail": {one(stat.KolmogorovTail), 3, 1e-13},
	}
	worst := map[string][2]float64{}
	for line := range strings.Lines(references) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		fn := functions[words[0]]
		var args []float64
		for _, w := range words[1 : len(words)-1] {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, v)
		}
		exact, _, err := big.ParseFloat(words[len(words)-1], 10, 200, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		got := fn.f(args)
		near, _ := exact.Float64()
		if near == 0 && got == 0 {
			continue
		}
		diff, _ := new(big.Float).Sub(exact, big.NewFloat(got)).Float64()
		ulp := math.Abs(diff) / (math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near))
		rel := math.Abs(diff) / math.Abs(near)
		w := worst[words[0]]
		worst[words[0]] = [2]float64{max(w[0], ulp), max(w[1], rel)}
		if ulp > fn.ulp && rel > fn.rel {
			t.Errorf("%s: got %v, off by %.2f ulp, relative %.2g", strings.TrimSpace(line), got, ulp, rel)
		}
	}
	for name := range functions {
		t.Logf("%s: at most %.2f ulp, relative %.2g", name, worst[name][0], worst[name][1])
	}
}

func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"Exp(0)", stat.Exp(0), 1}, {"Exp(710)", stat.Exp(710), inf}, {"Exp(-746)", stat.Exp(-746), 0},
		{"Exp(-inf)", stat.Exp(-inf), 0}, {"Exp(nan)", stat.Exp(nan), nan}, {"Exp(-745)", stat.Exp(-745), 5e-324},
		{"Log(0)", stat.Log(0), -inf}, {"Log(-1)", stat.Log(-1), nan}, {"Log(inf)", stat.Log(inf), inf}, {"Log(1)", stat.Log(1), 0},
		{"Log1p(-1)", stat.Log1p(-1), -inf}, {"Log1p(-2)", stat.Log1p(-2), nan}, {"Log1p(1e-300)", stat.Log1p(1e-300), 1e-300},
		{"Pow(2,10)", stat.Pow(2, 10), 1024}, {"Pow(2,-1074)", stat.Pow(2, -1074), 5e-324}, {"Pow(2,1024)", stat.Pow(2, 1024), inf},
		{"Pow(0,2)", stat.Pow(0, 2), 0}, {"Pow(0,-2)", stat.Pow(0, -2), inf}, {"Pow(-1,2)", stat.Pow(-1, 2), nan},
		{"Pow(x,0)", stat.Pow(nan, 0), 1}, {"Pow(4,.5)", stat.Pow(4, 0.5), 2}, {"Pow(1.5,2^31)", stat.Pow(1.5, 1<<31), inf},
		{"Pow(2,2^40)", stat.Pow(2, 1<<40), inf}, {"Pow(.5,2^40)", stat.Pow(0.5, 1<<40), 0},
		{"Erfc(0)", stat.Erfc(0), 1}, {"Erfc(30)", stat.Erfc(30), 0}, {"Erfc(-30)", stat.Erfc(-30), 2}, {"Erfc(-inf)", stat.Erfc(-inf), 2},
		{"ChiSquareTail(0,1)", stat.ChiSquareTail(0, 1), 1}, {"df 0", stat.ChiSquareTail(1, 0), nan}, {"x inf", stat.ChiSquareTail(inf, 3), 0},
		{"KolmogorovTail(0)", stat.KolmogorovTail(0), 1}, {"KolmogorovTail(-1)", stat.KolmogorovTail(-1), 1}, {"K 100", stat.KolmogorovTail(100), 0},
		{"Unit(0)", stat.Unit(0), 0}, {"Unit(max)", stat.Unit(math.MaxUint64), 1 - 0x1p-53},
	} {
		if c.got != c.want && (c.got == c.got || c.want == c.want) {
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
}

// A few values are pinned to the bit: they must not change with compiler, target or release.
func TestPinned(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(u uint64) { h = (h ^ u) * 1099511628211 }
	for i := range uint64(2000) {
		u := stat.Unit(stat.Draw(1, 2, i))
		for _, v := range []float64{
			stat.Exp(40 * (u - 0.5)), stat.Log(u), stat.Log1p(u - 0.5), stat.Pow(1+u, 30*u), stat.Erfc(6 * (u - 0.3)),
			stat.ChiSquareTail(100*u, 1+float64(50*u)), stat.KolmogorovTail(3 * u),
		} {
			add(math.Float64bits(v))
		}
	}
	if want := uint64(0x37ddf18419f9ec0e); h != want {
		t.Errorf("the functions' bits changed: %#x, want %#x", h, want)
	}
	if got, want := stat.Draw(1, 2, 3), uint64(0xbda55e99b3cc4ad7); got != want {
		t.Errorf("Draw(1, 2, 3) = %#x, want %#x", got, want)
	}
}

// Draws are uniform and unrelated along each of the three counters; every bit of every argument flips half of the result.
func TestDraw(t *testing.T) {
	const n = 1 << 14
	for name, draw := range map[string]func(i uint64) uint64{
		"seed":    func(i uint64) uint64 { return stat.Draw(i, 0, 0) },
		"client":  func(i uint64) uint64 { return stat.Draw(1, i, 1) },
		"attempt": func(i uint64) uint64 { return stat.Draw(1, 1, i) },
		"both":    func(i uint64) uint64 { return stat.Draw(0, i&127, i>>7) },
	} {
		var bins [256]float64
		values := make([]float64, n)
		serial, previous := 0.0, 0.5
		for i := range uint64(n) {
			u := draw(i)
			bins[u&255]++
			v := stat.Unit(u)
			serial += (v - 0.5) * (previous - 0.5) * 12
			values[i], previous = v, v
		}
		x := 0.0
		for _, b := range bins {
			x += (b - n/256) * (b - n/256) / (n / 256)
		}
		if p := stat.ChiSquareTail(x, 255); p < 1e-4 || p > 1-1e-4 {
			t.Errorf("%s: low bits are not uniform, p = %v", name, p)
		}
		slices.Sort(values)
		if d, p := stat.KS(values); p < 1e-4 {
			t.Errorf("%s: not uniform, D = %v, p = %v", name, d, p)
		}
		if z := serial / math.Sqrt(n); math.Abs(z) > 4 {
			t.Errorf("%s: neighbours are related, z = %.1f", name, z)
		}
	}
	for bit := range 192 {
		flips := 0
		for i := range uint64(256) {
			a := [3]uint64{i, i * 7, i * 13}
			u := stat.Draw(a[0], a[1], a[2])
			a[bit/64] ^= 1 << (bit % 64)
			for v := u ^ stat.Draw(a[0], a[1], a[2]); v != 0; v &= v - 1 {
				flips++
			}
		}
		if mean := float64(flips) / 256; mean < 30.5 || mean > 33.5 { // 32 ± 6 standard errors
			t.Errorf("bit %d of the arguments flips %.1f bits", bit, mean)
		}
	}
}

// Stephens' correction keeps the size of the test: at most 0.2 % of uniform samples are refused at 0.1 %.
func TestKSSize(t *testing.T) {
	const seed, runs = 11, 4000
	for _, n := range []int{5, 20, 72} {
		refused := 0
		for r := range runs {
			v := make([]float64, n)
			for i := range v {
				v[i] = stat.Unit(stat.Draw(seed, uint64(r), uint64(i)))
			}
			slices.Sort(v)
			if _, p := stat.KS(v); p < 0.001 {
				refused++
			}
		}
		if refused > runs/500 {
			t.Errorf("seed %d, n = %d: %d of %d refused at 0.1 %%", seed, n, refused, runs)
		}
	}
	if d, p := stat.KS(nil); d != 0 || p != 1 {
		t.Error("no values must give d = 0, p = 1")
	}
}
