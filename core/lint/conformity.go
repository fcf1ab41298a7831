package lint

import (
	"slices"

	"github.com/stormlint/stormlint/core/stat"
)

// Alpha is the error rate of the linter's statistical tests: one client in a thousand that follows the law is refused.
const Alpha = 0.001

// Conformity is the test of observed runs against full jitter.
type Conformity struct {
	N int     // values tested; 0: too few runs
	D float64 // largest distance of the distribution functions, 0 to 1
	P float64 // probability of such a distance under full jitter
}

// Conforms tests K runs of n waits against full jitter, whatever its base, factor and cap: at each attempt the K waits are
// divided by their largest, which is dropped; the other K-1 are then independent and uniform on [0, 1]. All attempts are
// pooled into one Kolmogorov-Smirnov test. Size 0.1 % (measured below 0.2 % for every K from 2 to 50); power at K = 50,
// n = 8 above 99 % for every law of the package's catalogue, ±50 % and a floor of a tenth included.
//
// Not conforming is no fault: it selects how the spread is estimated.
func Conforms(runs [][]float64) Conformity {
	var pooled []float64
	for k := 0; ; k++ {
		var at []float64
		for _, r := range runs {
			if k < len(r) {
				at = append(at, r[k])
			}
		}
		if len(at) == 0 || k >= attempts {
			break
		}
		largest := slices.Max(at)
		if len(at) < 2 || largest <= 0 {
			continue
		}
		dropped := false
		for _, v := range at {
			if v == largest && !dropped {
				dropped = true
				continue
			}
			pooled = append(pooled, v/largest)
		}
	}
	slices.Sort(pooled)
	c := Conformity{N: len(pooled)}
	c.D, c.P = stat.KS(pooled)
	return c
}
