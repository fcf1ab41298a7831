package stat

import "math"

// Pow is x to the power y for x ≥ 0; NaN for x < 0. Anything to the power 0 is 1; 0 to a positive power is 0, to a
// negative one +Inf. Whole powers are multiplied out in doubled precision, so that a backoff factor to the power of the
// attempt carries no drift; the fractional part goes through Exp and Log, with the exponent taken apart first.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y || x < 0:
		return math.NaN()
	case x == 0 || x > math.MaxFloat64:
		if (x == 0) == (y > 0) {
			return 0
		}
		return math.Inf(1)
	case math.Abs(y) > 1<<32: // beyond any |Log x| ≥ 2^-53 that could stay finite, but not by squaring
		return Exp(float64(y * Log(x)))
	}
	whole := math.Floor(y)
	part := y - whole
	if part > 0.5 {
		whole++
		part--
	}
	m, e := split(x)
	hi, lo, pe := power(m, e, uint64(math.Abs(whole)))
	if whole < 0 {
		// 1/(hi+lo), one Newton step
		r := 1 / hi
		p, q := product(r, hi)
		r2 := float64(r * (((1 - p) - q) - float64(r*lo)))
		hi, lo, pe = r+r2, 0, -pe
	}
	v := hi + lo
	if part != 0 {
		fe := float64(float64(e) * part)
		n := math.Floor(fe + 0.5)
		frac := fe - n
		v = float64(v * Exp(float64(frac*math.Ln2)+float64(part*Log(m))))
		pe += int64(n)
	}
	switch {
	case pe > 3000:
		return math.Inf(1)
	case pe < -3000:
		return 0
	}
	m, e = split(v)
	return scale(m*2, e-1+int(pe))
}

// power is (m·2^e)^n as (hi+lo)·2^pe, by repeated squaring with the mantissa kept near 1. The exponent saturates.
func power(m float64, e int, n uint64) (hi, lo float64, pe int64) {
	const far = 1 << 40
	hi = 1
	bh, bl, be := m, 0.0, int64(e)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			hi, lo = times(hi, lo, bh, bl)
			pe += be
			k := 0
			hi, k = split(hi)
			lo = scale(lo, -k)
			pe = max(-far, min(far, pe+int64(k)))
		}
		bh, bl = times(bh, bl, bh, bl)
		k := 0
		bh, k = split(bh)
		bl = scale(bl, -k)
		be = max(-far, min(far, 2*be+int64(k)))
	}
	return hi, lo, pe
}

// product is a·b as an unevaluated sum of two doubles (Dekker 1971; Veltkamp's splitting, no fused multiply-add).
func product(a, b float64) (p, q float64) {
	const splitter = 1<<27 + 1
	p = float64(a * b)
	c := float64(splitter * a)
	ah := c - (c - a)
	al := a - ah
	c = float64(splitter * b)
	bh := c - (c - b)
	bl := b - bh
	q = ((float64(ah*bh) - p) + float64(ah*bl) + float64(al*bh)) + float64(al*bl)
	return p, q
}

// times multiplies two doubled values of ordinary size.
func times(ah, al, bh, bl float64) (hi, lo float64) {
	p, q := product(ah, bh)
	q += float64(ah*bl) + float64(al*bh)
	hi = p + q
	return hi, q - (hi - p)
}
