package fleet

import "github.com/stormlint/stormlint/core/stat"

// Period is a beat that the fleet keeps: in most of its cycles far more than a fair share of events falls into one tenth.
type Period struct {
	Length int64   // ns
	Offset int64   // ns from the beginning of a cycle (cycles are counted from 1970) to the beginning of the tenth
	Width  int64   // ns, a tenth of Length
	Share  float64 // of all events, that fall into the tenth: 0.1 by chance
	Cycles int     // with events
	Kept   int     // of them, that kept the beat
}

// periods are the beats that timers have, in seconds.
var periods = [...]int64{
	10, 15, 20, 30, 45, 60, 90, 120, 150, 180, 240, 300, 360, 420, 480, 540, 600, 720, 900, 1200, 1500, 1800, 2400, 2700,
	3600, 5400, 7200, 10800, 14400, 21600, 28800, 43200, 86400,
}

const (
	phases     = 20 // a tenth is two of them
	cyclesMin  = 6
	eventsMin  = 10 // of a cycle that can keep a beat
	beatShare  = 0.3
	beatCycles = 0.6
)

// Periodic finds the beats, shortest first; multiples of a beat are left out. A storm or two make no beat: it must be kept
// in six cycles at least, and in three of five.
func Periodic(c *Counts, o Options) (list []Period) {
	step := max(second, c.Width(), o.Resolution)
	bins := perBin(c, step)
	if len(bins) == 0 {
		return nil
	}
	from, to := bins[0].at*step, (bins[len(bins)-1].at+1)*step
next:
	for _, p := range periods {
		length := p * second
		if length < phases*step/2 || to-from < cyclesMin*length {
			continue
		}
		for _, found := range list {
			if length%found.Length == 0 {
				continue next
			}
		}
		if x, ok := beat(bins, step, length, from, to); ok {
			list = append(list, x)
		}
	}
	return list
}

// beat looks for the tenth of a period that most cycles prefer.
func beat(bins []count, step, length, from, to int64) (Period, bool) {
	var wins [phases]int
	var n [phases]uint64
	var total [phases]uint64
	cycle := int64(-1 << 62)
	busy := 0
	close := func() {
		sum := uint64(0)
		for _, x := range n {
			sum += x
		}
		if sum < eventsMin {
			return
		}
		busy++
		for i := range n {
			if float64(n[i]+n[(i+1)%phases]) >= beatShare*float64(sum) {
				wins[i]++
			}
		}
	}
	for _, b := range bins {
		at := b.at * step
		if k := floorDiv(at, length); k != cycle {
			if cycle != -1<<62 {
				close()
			}
			cycle, n = k, [phases]uint64{}
		}
		phase := (at - cycle*length) * phases / length
		n[phase] += b.n
		total[phase] += b.n
	}
	close()
	cycles := int((to - from) / length)
	best := 0
	for i := range wins {
		if wins[i] > wins[best] || wins[i] == wins[best] && total[i]+total[(i+1)%phases] > total[best]+total[(best+1)%phases] {
			best = i
		}
	}
	if busy < cyclesMin || float64(wins[best]) < beatCycles*float64(max(cycles, busy)) || runOfLuck(wins[best], busy) > 1e-3 {
		return Period{}, false
	}
	sum := uint64(0)
	for _, x := range total {
		sum += x
	}
	return Period{
		Length: length, Offset: int64(best) * length / phases, Width: length / (phases / 2),
		Share:  float64(total[best]+total[(best+1)%phases]) / float64(sum),
		Cycles: busy, Kept: wins[best],
	}, true
}

// runOfLuck bounds the chance that some tenth of some period wins so many cycles, each with chance 0.1 (for ten events or
// more, three tenths of them in one tenth of the time is rarer than that): Chernoff, times the number of tries.
func runOfLuck(wins, cycles int) float64 {
	const chance = 0.1
	x, n := float64(wins), float64(cycles)
	if x <= float64(n*chance) {
		return 1
	}
	log := float64(x * stat.Log(float64(n*chance)/x))
	if n > x {
		log += float64((n - x) * stat.Log(float64(n*(1-chance))/(n-x)))
	}
	return min(1, stat.Exp(log)*phases*float64(len(periods)))
}
