package backoff

import "strconv"

// String is the policy's SPEC, in one canonical spelling that Parse reads back to the same policy.
func (p Policy) String() string {
	b := make([]byte, 0, 64)
	arg := func(text string) { b = append(append(b, ':'), text...) }
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	limit := func() {
		if p.Cap == 0 {
			arg("none")
		} else {
			arg(durationText(p.Cap))
		}
	}
	plain := true // the word says the jitter
	switch p.Growth {
	case Constant:
		word := "fixed"
		if p.Base <= 20e6 && p.Jitter == None {
			word = "immediate"
		}
		b = append(b, word...)
		arg(durationText(p.Base))
		plain = p.Jitter == None
	case Linear:
		b = append(b, "linear"...)
		arg(durationText(p.Base))
		limit()
		plain = p.Jitter == None
	case List:
		b = append(b, "table:"...)
		for i, d := range p.Table {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendDuration(b, d)
		}
		plain = p.Jitter == None
	case Window:
		b = append(b, "window"...)
		arg(durationText(p.Base))
	case Exponential:
		word := string(p.Jitter)
		if word == "" {
			word = "exp"
		}
		b = append(b, word...)
		arg(durationText(p.Base))
		limit()
		if p.Factor != 0 && p.Factor != (&Policy{Jitter: p.Jitter}).factor() || p.Jitter == Proportional || p.Jitter == Additive {
			arg(number(p.factor()))
		}
		switch p.Jitter {
		case Proportional:
			arg(number(p.Spread))
		case Additive:
			arg(rangeText(p.Extra))
		}
	default:
		return "invalid"
	}
	modifier := func(key, value string) { b = append(append(append(append(b, ','), key...), '='), value...) }
	if !plain {
		switch p.Jitter {
		case Proportional:
			modifier("jitter", number(p.Spread))
		case Additive:
			modifier("jitter", durationText(p.Extra.Low)+".."+durationText(p.Extra.High))
		default:
			modifier("jitter", string(p.Jitter))
		}
	}
	if p.Attempts > 0 {
		modifier("attempts", strconv.Itoa(p.Attempts))
	}
	if p.First != nil {
		switch {
		case p.First.Low == p.First.High:
			modifier("first", durationText(p.First.Low))
		case p.First.Low == 0:
			modifier("first", "U"+durationText(p.First.High))
		default:
			modifier("first", rangeText(*p.First))
		}
	}
	if p.Floor > 0 {
		edge := ""
		if p.FloorEdge != "" {
			edge = ":" + string(p.FloorEdge)
		}
		modifier("floor", durationText(p.Floor)+edge)
	}
	if p.CapEdge != "" {
		modifier("cap", string(p.CapEdge))
	}
	if p.Sign != "" {
		modifier("sign", string(p.Sign))
	}
	if p.DrawnOnce {
		modifier("drawn", "once")
	}
	if p.Step > 0 {
		modifier("step", durationText(p.Step))
	}
	if p.Breaks > 0 {
		text := strconv.Itoa(p.Breaks)
		if p.Broken > 0 {
			text += ":" + number(p.Broken)
		}
		modifier("breaks", text)
	}
	switch p.Reset {
	case ResetOpen, ResetMessage:
		modifier("reset", string(p.Reset))
	case ResetStable:
		modifier("reset", durationText(p.Stable))
	}
	return string(b)
}

func rangeText(r Range) string {
	if r.Low == 0 {
		return durationText(r.High)
	}
	return durationText(r.Low) + ".." + durationText(r.High)
}
