package jitter

import (
	"strconv"

	"github.com/stormlint/stormlint/core/lapse"
)

func spec(v Verdict) string {
	if v.Family == Unknown || v.Family == Table || v.Group || v.Base <= 0 && v.Family != Immediate && v.Family != Fixed {
		return ""
	}
	last := max(v.Cap, 0)
	if last > 0 {
		last = max(last, v.Base)
	}
	if last == 0 { // not seen: far enough away
		last = max(v.Base, 5*lapse.Minute)
	}
	m := strconv.FormatFloat(v.Multiplier, 'g', 4, 64)
	pair := v.Base.String() + ":" + last.String()
	switch v.Family {
	case Immediate:
		return "immediate:0s"
	case Fixed:
		return "fixed:" + v.Base.String()
	case Linear:
		return "linear:" + pair
	case Exponential:
		return "exp:" + pair + ":" + m
	case Full, Equal:
		if v.Multiplier == 1 {
			pair = v.Base.String() + ":" + v.Base.String()
		}
		if v.Multiplier == 0 {
			return ""
		}
		return v.Family.String() + ":" + pair + ":" + m
	case Decorrelated:
		return "decorrelated:" + pair
	case Proportional:
		if v.Multiplier == 0 {
			return ""
		}
		half := v.Spread / (2 - v.Spread)
		return "prop:" + pair + ":" + m + ":" + strconv.FormatFloat(half, 'f', 2, 64)
	case Additive:
		return "additive:" + pair + ":" + m + ":" + v.Width.String()
	}
	return ""
}
