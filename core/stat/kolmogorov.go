package stat

import "math"

// KolmogorovTail is P(K > t) of the limit law of √n·D, the largest distance between an empirical and a continuous
// distribution function; 1 at 0. Two series of the same function: alternating for large t, the theta form for small.
func KolmogorovTail(t float64) float64 {
	switch {
	case t != t:
		return t
	case t <= 0.04: // 1 - P is below 1e-330
		return 1
	case t < 1:
		// 1 - √(2π)/t · Σ exp(-(2k-1)²π²/(8t²))
		y := -math.Pi * math.Pi / 8 / float64(t*t)
		sum := 0.0
		for k := 1.0; k < 20; k += 2 {
			sum += Exp(float64(y * float64(k*k)))
		}
		return 1 - float64(2.5066282746310002*sum)/t
	}
	y := -2 * float64(t*t)
	sum, sign := 0.0, 2.0
	for k := 1.0; k < 20; k++ {
		sum += float64(sign * Exp(float64(y*float64(k*k))))
		sign = -sign
	}
	return sum
}

// KS compares values in [0, 1], sorted ascending, with the uniform law: the largest distance d of the distribution
// functions and the probability p of one at least as large when the law holds (Stephens' correction 1970, good from five
// values on; conservative where values are tied). No value gives d = 0, p = 1.
func KS(sorted []float64) (d, p float64) {
	n := float64(len(sorted))
	if n == 0 {
		return 0, 1
	}
	for i, v := range sorted {
		d = max(d, v-float64(i)/n, float64(i+1)/n-v)
	}
	root := math.Sqrt(n)
	return d, KolmogorovTail(float64((root + 0.12 + 0.11/root) * d))
}
