package jitter

import "math"

// kernel is the law of the error of a wait as a log shows it: the way of the packets, which adds mu on average with a
// spread of about sigma, and whole units of the stamps, which shift either end. All in ms.
//
// Between fine stamps the error follows Student's t with two degrees of freedom: its distribution function is one square
// root, and its heavy tail is what networks have. Between coarse stamps, two cut-off ends give the triangle on
// (−res, +res), and the network is a detail.
type kernel struct {
	mu, sigma float64
	half      float64 // half the base of the triangle; 0 for fine stamps
}

// coarse is the resolution in ms from which the stamps, not the network, are the error.
const coarse = 500

func newKernel(mu, sigma, res float64) kernel {
	if res >= coarse {
		return kernel{mu: 50, sigma: res / 2, half: res + 40}
	}
	return kernel{mu: mu, sigma: math.Sqrt(float64(sigma*sigma) + float64(res*res)/6)}
}

// triangleShare is how much of a coarse kernel is the triangle; the rest is a t for what the network does at worst.
const triangleShare = 0.98

// cdf is P(error − mu ≤ x).
func (k *kernel) cdf(x float64) float64 {
	z := x / k.sigma
	t := 0.5 + z/(2*math.Sqrt(2+float64(z*z)))
	if k.half == 0 {
		return t
	}
	var f float64
	switch { // by x, so that only what lies inside is divided
	case x <= -k.half:
	case x < 0:
		u := x / k.half
		f = float64((1+u)*(1+u)) / 2
	case x < k.half:
		u := x / k.half
		f = 1 - float64((1-u)*(1-u))/2
	default:
		f = 1
	}
	return float64(triangleShare*f) + float64((1-triangleShare)*t)
}

// pdf is the density of error − mu at x, in 1/ms.
func (k *kernel) pdf(x float64) float64 {
	z := x / k.sigma
	q := 2 + float64(z*z)
	t := 1 / (q * math.Sqrt(q) * k.sigma)
	if k.half == 0 {
		return t
	}
	if math.Abs(x) >= k.half {
		return float64((1 - triangleShare) * t)
	}
	u := math.Abs(x) / k.half
	return float64(triangleShare*(1-u)/k.half) + float64((1-triangleShare)*t)
}

// flat is the density at d of a wait that is uniform on [lo, hi] plus the error, in 1/ms.
func (k *kernel) flat(d, lo, hi float64) float64 {
	w, x := hi-lo, d-k.mu
	if w < k.sigma/16 {
		return k.pdf(x - (lo+hi)/2)
	}
	if k.half == 0 { // cdf twice, without the calls
		a, z := (x-lo)/k.sigma, (x-hi)/k.sigma
		below := 0.5 + a/(2*math.Sqrt(2+float64(a*a)))
		above := 0.5 + z/(2*math.Sqrt(2+float64(z*z)))
		return (below - above) / w
	}
	return (k.cdf(x-lo) - k.cdf(x-hi)) / w
}
