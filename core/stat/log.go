package stat

import "math"

// Log is the natural logarithm; -Inf at 0, NaN below. The argument is brought into [√½, √2) and the rest given by a
// series in s = f/(2+f) (Remez coefficients of the Sun library, 1993).
func Log(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, e := split(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f := m - 1
	k := float64(e)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := l5 + float64(s4*l7)
	t1 = l3 + float64(s4*t1)
	t1 = float64(s2 * (l1 + float64(s4*t1)))
	t2 := l4 + float64(s4*l6)
	t2 = float64(s4 * (l2 + float64(s4*t2)))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+(t1+t2))) + float64(k*ln2Lo))) - f)
}

// split writes a positive finite x as m·2^e with m in [½, 1).
func split(x float64) (m float64, e int) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		e = -54
	}
	b := math.Float64bits(x)
	e += int(b>>52) - 1022
	return math.Float64frombits(b&(1<<52-1) | 1022<<52), e
}

// Log1p is the logarithm of 1+x, exact to the last places where x is small; -Inf at -1, NaN below.
func Log1p(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < -1:
		return math.NaN()
	case x == -1:
		return math.Inf(-1)
	}
	u := 1 + x
	if u == 1 {
		return x
	}
	lost := x - (u - 1) // what the sum rounded away
	if x > 1 {
		lost = 1 - (u - x)
	}
	return Log(u) + lost/u
}
