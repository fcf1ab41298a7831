package jitter

import "github.com/stormlint/stormlint/core/stat"

const (
	lastStep  = 64 // the latest attempt at which linear growth may stop
	lastPower = 28 // the latest at which geometric growth may stop
)

// growth is the shape of the ceilings before the cap, as multiples of the first.
type growth struct {
	linear bool
	last   int // the latest attempt at which growth may stop
	m      float64
	g      [lastStep + 2]float64 // g[k] of attempt k ≥ 1
	log    [lastStep + 2]float64 // Log(g[k])
	gap    [lastStep + 1]float64 // the width of the logarithm of a cap between step k and the next
	wide   [lastStep + 1]float64 // Log(gap[k])
	share  float64               // Log of its prior share among the shapes
	drawn  float64               // the same for families with jitter, of which hardly any grows linearly
}

// multipliers are those that libraries use, with how usual each is.
var multipliers = [...]struct{ m, weight float64 }{
	{1.2, 1}, {1.25, 1}, {1.3, 2}, {1.4, 1}, {1.5, 4}, {1.6, 3}, {1.618, 1}, {1.75, 1}, {2, 10}, {2.5, 1}, {3, 2}, {4, 1},
}

// growths holds the geometric shapes of multipliers and, last, the linear one.
var growths = shapes()

const linearShape = len(multipliers)

func shapes() *[len(multipliers) + 1]growth {
	all := new([len(multipliers) + 1]growth)
	total := 0.0
	for _, x := range multipliers {
		total += x.weight
	}
	for i, x := range multipliers {
		all[i] = geometric(x.m)
		all[i].share = stat.Log(x.weight / total)
		all[i].drawn = all[i].share
	}
	line := &all[linearShape]
	line.drawn = stat.Log(0.01)
	line.linear, line.last = true, lastStep
	for k := 1; k <= lastStep+1; k++ {
		line.g[k] = float64(k)
		line.log[k] = stat.Log(float64(k))
	}
	for k := 1; k <= lastStep; k++ {
		line.gap[k] = max(leastGap, line.log[k+1]-line.log[k])
		line.wide[k] = stat.Log(line.gap[k])
	}
	return all
}

// leastGap is the least uncertainty of a cap's logarithm that is reckoned with.
const leastGap = 0.1

func geometric(m float64) growth {
	x := growth{m: m, last: lastPower}
	step := stat.Log(m)
	gap := max(leastGap, step)
	wide := stat.Log(gap)
	x.g[1] = 1
	for k := 1; k <= lastStep; k++ {
		if k <= lastPower {
			x.g[k+1] = float64(x.g[k] * m)
		} else {
			x.g[k+1] = x.g[k]
		}
		x.log[k+1] = float64(step * float64(min(k, lastPower)))
		x.gap[k], x.wide[k] = gap, wide
	}
	return x
}
