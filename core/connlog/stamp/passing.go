package stamp

import "github.com/stormlint/stormlint/core/civil"

// Following is the zone for the stamps of one log in the order of its lines, which settle what a stamp alone cannot: whether
// an hour that autumn repeats is passed for the first or the second time. The answer has a memory; it serves one reader.
// It is nil for nil.
//
// As long as lines were in order to the minute, a step back by more than half of the repeated stretch, inside it, is the
// clock's: from there on the stretch is passed for the second time. Where no line shows the step, because the log begins
// later or was silent at the time, or where lines are in no order, UTC's own choice stays: the first passing.
func (z *Zone) Following() *Zone {
	if z == nil {
		return nil
	}
	return &Zone{Name: z.Name, Steps: z.Steps, passing: &passing{}}
}

// RepeatsBetween reports whether the zone passes a stretch twice that begins between two instants, ns.
func (z *Zone) RepeatsBetween(from, to int64) bool {
	if z == nil {
		return false
	}
	for i := 1; i < len(z.Steps); i++ {
		back := int64(z.Steps[i-1].Offset) - int64(z.Steps[i].Offset)
		if at := (z.Steps[i].From - back) * civil.Second; back > 0 && at >= from && at < to {
			return true
		}
	}
	return false
}

// passing is what is remembered of the stamps so far, local, ns.
type passing struct {
	begun     bool
	high      int64 // the latest stamp so far
	unordered bool  // an earlier one came more than a minute after a later one
	twice     int64 // where the stretch that is passed for the second time begins; 0 before one is known
	last      int64 // the last stamp of its second passing
}

const ragged = civil.Minute

// second says, of a stamp inside a stretch of low to high that is passed twice, whether it is its second passing. Every
// stamp is told, those outside with an empty stretch.
func (p *passing) second(local, low, high int64) bool {
	inside := local >= low && local < high
	if inside && p.twice == low {
		if local >= high-ragged && local-p.last > high-low-2*ragged {
			return false // the first passing's last lines, late
		}
		p.last = local
		return true
	}
	if !p.begun {
		p.begun, p.high = true, local
		return false
	}
	switch step := p.high - local; {
	case step <= 0:
		p.high = local
	case step <= ragged:
	case inside && p.high < high+ragged && step > (high-low)/2 && !p.unordered:
		p.twice, p.last, p.high = low, local, max(p.high, high)
		return true
	default:
		p.unordered = true
	}
	return false
}
