package herd

import (
	"math"

	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// trips is the law of round trip times: lognormal, as 65 quantiles of half a trip in ticks. An attempt draws one of the
// 64 steps and a place inside it; its way back is the step's middle.
type trips struct {
	there [65]int32
	back  [64]int32
}

// newTrips tabulates a lognormal law by its median and the standard deviation of its logarithm.
func newTrips(median lapse.Duration, sigma float64) *trips {
	t := new(trips)
	half := float64(median) / 2e6 * (1 << tickBits)
	z := 0.0
	for i := 32; i <= 64; i++ {
		p := (float64(i) + 0.5) / 65
		for range 6 { // Newton on the normal law's tail; the steps are small, so it converges from the neighbour
			density := stat.Exp(float64(-0.5*z*z)) / math.Sqrt(2*math.Pi)
			z += (stat.NormalTail(z) - (1 - p)) / density
		}
		t.there[i] = int32(half * stat.Exp(float64(sigma*z)))
		t.there[64-i] = int32(half * stat.Exp(float64(-sigma*z)))
	}
	for i := range t.back {
		t.back[i] = (t.there[i] + t.there[i+1]) / 2
	}
	return t
}

// draw is the step and the way there of the attempt whose random number is u; it uses the low 32 bits, the delay the
// high ones.
func (t *trips) draw(u uint64) (step uint64, there int64) {
	step = u & tripMask
	a, b := int64(t.there[step]), int64(t.there[step+1])
	return step, a + (b-a)*int64(u>>6&0xffff)>>16
}
