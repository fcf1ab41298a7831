package stat

import "math"

// The rational approximations of the error function below are those of the Sun library (FreeBSD s_erf.c):
//
//	Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//	Developed at SunPro, a Sun Microsystems, Inc. business.
//	Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
//
// erf is x + x·P(x²)/Q(x²) below 0.84375 and erx + P(|x|-1)/Q(|x|-1) below 1.25; erfc is exp(-x²-0.5625+P(1/x²)/Q(1/x²))/x
// from there on, with one pair to 1/0.35 and one beyond. A Q begins with 1, which is not listed.
const erx = 8.45062911510467529297e-01

var (
	erfP = [...]float64{
		1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
		-2.37630166566501626084e-05,
	}
	erfQ = [...]float64{
		3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04,
		-3.96022827877536812320e-06,
	}
	nearP = [...]float64{
		-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
		-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03,
	}
	nearQ = [...]float64{
		1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01,
		1.36370839120290507362e-02, 1.19844998467991074170e-02,
	}
	midP = [...]float64{
		-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
		-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00,
	}
	midQ = [...]float64{
		1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02,
		4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02,
	}
	farP = [...]float64{
		-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
		-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02,
	}
	farQ = [...]float64{
		3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03,
		2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01,
	}
)

// horner is c[0] + c[1]·x + c[2]·x² + …
func horner(x float64, c []float64) float64 {
	v := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		v = c[i] + float64(x*v)
	}
	return v
}

// Erfc is the complementary error function, 2/√π times the integral of exp(-t²) from x on: 2 at -Inf, 1 at 0, 0 beyond
// 26.6.
func Erfc(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a < 0.84375:
		if a < 0x1p-56 {
			return 1 - x
		}
		z := float64(x * x)
		y := horner(z, erfP[:]) / (1 + float64(z*horner(z, erfQ[:])))
		if x < 0.25 {
			return 1 - (x + float64(x*y))
		}
		return 0.5 - (x - 0.5 + float64(x*y))
	case a < 1.25:
		s := a - 1
		y := horner(s, nearP[:]) / (1 + float64(s*horner(s, nearQ[:])))
		if x < 0 {
			return 1 + (erx + y)
		}
		return 1 - erx - y
	case a > 28:
		return 1 - math.Copysign(1, x)
	}
	s := 1 / float64(a*a)
	y := 0.0
	if a < 1/0.35 {
		y = horner(s, midP[:]) / (1 + float64(s*horner(s, midQ[:])))
	} else {
		if x < -6 {
			return 2
		}
		y = horner(s, farP[:]) / (1 + float64(s*horner(s, farQ[:])))
	}
	z := math.Float64frombits(math.Float64bits(a) &^ (1<<32 - 1)) // its square is exact
	v := float64(Exp(float64(-z*z)-0.5625)*Exp(float64((z-a)*(z+a))+y)) / a
	if x < 0 {
		return 2 - v
	}
	return v
}

// NormalTail is P(Z > z) of the standard normal law: 0.5 at 0, 0.00135 at 3.
func NormalTail(z float64) float64 { return float64(0.5 * Erfc(z*(math.Sqrt2/2))) }
