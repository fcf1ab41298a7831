package stat

import "math"

// ln 2 in two parts; the high part ends in zeros, so that its product with an exponent is exact.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	log2e = 1.44269504088896338700e+00
)

// Exp is e to the power x; +Inf above 709.78, 0 below -745.13. The argument is reduced by multiples of ln 2 and the rest
// given by a continued fraction whose even part is a polynomial (Remez coefficients of the Sun library, 1993).
func Exp(x float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	case -0x1p-28 < x && x < 0x1p-28:
		return 1 + x
	}
	k := math.Floor(float64(x*log2e) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := p4 + float64(t*p5)
	c = p3 + float64(t*c)
	c = p2 + float64(t*c)
	c = p1 + float64(t*c)
	c = r - float64(t*c)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return scale(y, int(k))
}

// scale is y times two to the power k, for y of ordinary size; one rounding only when the result is subnormal.
func scale(y float64, k int) float64 {
	switch {
	case k > 1023:
		return float64(y*0x1p1023) * math.Float64frombits(uint64(k-1023+1023)<<52)
	case k < -1022:
		if k < -1080 {
			k = -1080
		}
		return float64(y*math.Float64frombits(uint64(k+200+1023)<<52)) * 0x1p-200
	}
	return y * math.Float64frombits(uint64(k+1023)<<52)
}
