package stat

import "slices"

// BenjaminiHochberg says which of many tests to believe when the share of false ones among those believed shall stay
// at most q: every test with p ≤ cut; believed is their number. Without any, cut is -1. NaN counts as 1. p is not
// changed (Benjamini and Hochberg 1995).
func BenjaminiHochberg(p []float64, q float64) (cut float64, believed int) {
	sorted := make([]float64, len(p))
	for i, v := range p {
		if v != v {
			v = 1
		}
		sorted[i] = v
	}
	slices.Sort(sorted)
	for i := len(sorted); i > 0; i-- {
		if sorted[i-1] <= float64(q*float64(i))/float64(len(sorted)) {
			return sorted[i-1], i
		}
	}
	return -1, 0
}
