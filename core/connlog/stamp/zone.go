// Package stamp reads the timestamps that logs print.
//
// A log prints instants in a dozen fixed layouts; each has a reader of its own here, which knows its resolution and
// whether the zone was printed. None guesses: a date whose day and month could be exchanged is refused, a year outside
// 1970-2200 is refused.
package stamp

// Zone turns local times into instants by a table that the host made from its zone data, so that the module carries
// none. Steps are in order of From; before the first step its offset holds too. A nil or empty Zone is UTC.
type Zone struct {
	Name  string // as the operator gave it, "Europe/Berlin"
	Steps []Step

	passing *passing // see Following
}

// Step is one offset and the instant from which it holds.
type Step struct {
	From   int64 // s since 1970 UTC
	Offset int32 // s east of Greenwich
}

// UTC gives the instant of a local time, both in ns. An hour that autumn repeats is taken at its first passing (but see
// Following); an hour that spring leaves out is taken with the offset before the step.
func (z *Zone) UTC(local int64) int64 {
	if z == nil || len(z.Steps) == 0 {
		return local
	}
	// The last step that is over: with the offset before the step the local time is not before it, nor with the offset after
	// it (an hour that never was).
	low, high := 0, len(z.Steps)
	for high-low > 1 {
		i := int(uint(low+high) >> 1)
		at := z.Steps[i].From * 1e9
		if local-int64(z.Steps[i-1].Offset)*1e9 < at || local-int64(z.Steps[i].Offset)*1e9 < at {
			high = i
		} else {
			low = i
		}
	}
	utc := local - int64(z.Steps[low].Offset)*1e9
	if z.passing != nil {
		var from, to int64 // the local times from the next step on that happen twice
		if low+1 < len(z.Steps) {
			at := z.Steps[low+1].From * 1e9
			from, to = at+int64(z.Steps[low+1].Offset)*1e9, at+int64(z.Steps[low].Offset)*1e9
		}
		if z.passing.second(local, from, max(from, to)) {
			utc += to - from
		}
	}
	return utc
}

// Ambiguous reports whether the local time happens twice, or not at all, within an hour of a step.
func (z *Zone) Ambiguous(local int64) bool {
	if z == nil {
		return false
	}
	for i := 1; i < len(z.Steps); i++ {
		at := z.Steps[i].From * 1e9
		a, b := at+int64(z.Steps[i-1].Offset)*1e9, at+int64(z.Steps[i].Offset)*1e9
		if a > b {
			a, b = b, a
		}
		if local >= a && local < b {
			return true
		}
	}
	return false
}
