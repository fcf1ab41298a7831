package stat

import "math"

// ChiSquareTail is P(X > x) of the χ² law with df degrees of freedom, df > 0 and not necessarily whole (a scaled χ² has
// any): 1 for x ≤ 0, NaN for df ≤ 0. It is the upper incomplete gamma ratio Q(df/2, x/2): a series for its complement
// where x is small, Legendre's continued fraction where it is large; the factor in front is taken relative to its
// largest value, so that it keeps its digits for any df (Temme 1979).
func ChiSquareTail(x, df float64) float64 {
	switch {
	case x != x || !(df > 0):
		return math.NaN()
	case x <= 0:
		return 1
	case x > math.MaxFloat64:
		return 0
	}
	a, x := float64(df/2), x/2
	if x < a+1 {
		return 1 - lowerGamma(a, x)
	}
	return upperGamma(a, x)
}

// lowerGamma is P(a, x) = D/1 · (1 + x/(a+1) + x²/((a+1)(a+2)) + …) with D = x^a e^-x / Γ(a+1).
func lowerGamma(a, x float64) float64 {
	sum, term := 1.0, 1.0
	for n := a + 1; term > float64(sum*0x1p-56); n++ {
		term = float64(term*x) / n
		sum += term
	}
	return min(1, float64(sum*gammaFront(a, x)))
}

// upperGamma is Q(a, x) by the continued fraction a·D/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- …))), evaluated forwards
// (Lentz 1976).
func upperGamma(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < 1e6; i++ {
		an := float64(i * (a - i))
		b += 2
		d = float64(an*d) + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + an/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		step := float64(d * c)
		h = float64(h * step)
		if math.Abs(step-1) < 0x1p-52 {
			break
		}
	}
	return min(1, float64(float64(a*gammaFront(a, x))*h))
}

// gammaFront is x^a e^-x / Γ(a+1). From a = 10 on it is exp(-a·φ(x/a) - stirling(a)) / √(2πa) with φ(1+m) = m - ln(1+m);
// a smaller a is lifted by Γ(a+1) = Γ(a+n+1)/((a+1)…(a+n)).
func gammaFront(a, x float64) float64 {
	lift := 1.0
	for a < 10 {
		a++
		lift = float64(lift*a) / x
		if lift > 1e250 || lift < 1e-250 { // far in a tail: by logarithms
			l := Log(lift)
			for a < 10 {
				a++
				l += Log(a) - Log(x)
			}
			return Exp(l - logFront(a, x))
		}
	}
	return float64(lift * Exp(-logFront(a, x)))
}

// stirlingSeries is B(2k)/(2k(2k-1)) for k = 1 … 6: the tail of Stirling's series for ln Γ(a+1).
var stirlingSeries = [...]float64{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360}

func logFront(a, x float64) float64 {
	m := (x - a) / a
	r := 1 / a
	r2 := float64(r * r)
	stirling := float64(r * horner(r2, stirlingSeries[:]))
	phi := 0.0
	if m < -0.3 {
		phi = m - Log(x/a) // 1+m would have lost the digits of a small x
	} else {
		phi = minusLog(m)
	}
	return float64(a*phi) + stirling + float64(0.5*Log(float64(2*math.Pi*a)))
}

// minusLog is m - ln(1+m) for m ≥ -0.3, by its series where the difference would cancel.
func minusLog(m float64) float64 {
	if m > 0.3 {
		return m - Log1p(m)
	}
	// ln(1+m) = 2·(s + s³/3 + s⁵/5 + …) with s = m/(2+m), and m - 2s = s·m
	s := m / (2 + m)
	s2 := float64(s * s)
	sum, term := 0.0, s2
	for k := 3.0; math.Abs(term) > 0x1p-60*math.Abs(m); k += 2 {
		sum += term / k
		term = float64(term * s2)
	}
	return float64(s * (m - float64(2*sum)))
}
