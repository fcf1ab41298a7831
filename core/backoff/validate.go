package backoff

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

// Validate is nil for a policy that can be used, and else a *fault.Error with the code bad-value that names the field, its
// value and the allowed range.
func (p *Policy) Validate() error {
	bad := func(field, value, expected string) error {
		if value == "" {
			value = "absent"
		}
		return fault.Value("backoff", field, value, expected)
	}
	span := func(field string, d, from lapse.Duration) error {
		if d < from || d > longest {
			return bad(field, durationText(d), "between "+durationText(from)+" and 2400h")
		}
		return nil
	}
	number := func(field string, v, from, to float64) error {
		if !(v >= from && v <= to) {
			return bad(field, strconv.FormatFloat(v, 'g', -1, 64), "between "+strconv.FormatFloat(from, 'g', -1, 64)+" and "+strconv.FormatFloat(to, 'g', -1, 64))
		}
		return nil
	}
	var list []error
	check := func(err error) { list = append(list, err) }

	shortest := lapse.Duration(1)
	switch p.Growth {
	case Constant:
		shortest = 0
	case Linear, Exponential, Window:
	case List:
		if len(p.Table) == 0 || len(p.Table) > maxTable {
			check(bad("table", strconv.Itoa(len(p.Table))+" waits", "between 1 and "+strconv.Itoa(maxTable)))
		}
		for i, d := range p.Table {
			check(span("table["+strconv.Itoa(i)+"]", d, 0))
		}
	default:
		check(bad("growth", string(p.Growth), "one of fixed, linear, exp, table, window"))
	}
	if p.Growth != List {
		check(span("base", p.Base, shortest))
	}
	switch {
	case p.Cap == 0:
	case p.Growth == Constant && p.Jitter == None || p.Growth == Window || p.Growth == List && p.CapEdge == "":
		check(bad("cap", durationText(p.Cap), "none for "+string(p.Growth)))
	case p.Growth != List && p.Cap < p.Base:
		check(bad("cap", durationText(p.Cap), "none, or at least the base ("+durationText(p.Base)+")"))
	default:
		check(span("cap", p.Cap, 1))
	}
	switch p.CapEdge {
	case "":
	case After, Both, Exact:
		if p.Cap == 0 {
			check(bad("cap", "none", "a duration, since it applies "+string(p.CapEdge)))
		}
		if p.Jitter == Decorrelated {
			check(bad("cap", string(p.CapEdge), "no edge: decorrelated jitter is clamped by definition"))
		}
	default:
		check(bad("cap edge", string(p.CapEdge), "one of before, after, both, exact"))
	}
	if p.Factor != 0 {
		if p.Growth != Exponential {
			check(bad("factor", strconv.FormatFloat(p.Factor, 'g', -1, 64), "none for "+string(p.Growth)))
		}
		check(number("factor", p.Factor, 1, 1000))
	}
	check(p.validateJitter(bad, number))
	if p.Attempts < 0 || p.Attempts > 1<<31-1 {
		check(bad("attempts", strconv.Itoa(p.Attempts), "between 1 and 2147483647, or none"))
	}
	if p.First != nil {
		check(span("first", p.First.Low, 0))
		check(span("first", p.First.High, p.First.Low))
	}
	check(span("floor", p.Floor, 0))
	if p.FloorEdge != "" && p.FloorEdge != After && p.FloorEdge != Add || p.FloorEdge != "" && p.Floor == 0 {
		check(bad("floor edge", string(p.FloorEdge), "one of after, add, with a floor"))
	}
	if p.Floor > 0 && p.Cap > 0 && p.Floor > p.Cap {
		check(bad("floor", durationText(p.Floor), "at most the cap ("+durationText(p.Cap)+")"))
	}
	check(span("step", p.Step, 0))
	switch p.Reset {
	case "", ResetOpen, ResetMessage:
		if p.Stable != 0 {
			check(bad("reset", durationText(p.Stable), "no time with "+string(p.Reset)))
		}
	case ResetStable:
		check(span("reset", p.Stable, 1))
	default:
		check(bad("reset", string(p.Reset), "one of open, message, or a duration"))
	}
	if p.Breaks < 0 || p.Breaks > 1<<31-1 || p.Breaks == 0 && p.Broken != 0 {
		check(bad("breaks", strconv.Itoa(p.Breaks), "an attempt between 1 and 2147483647"))
	}
	if !(p.Broken >= 0 && p.Broken < 1) {
		check(bad("breaks", strconv.FormatFloat(p.Broken, 'g', -1, 64), "a share of at least 0 and below 1; 0 is all"))
	}
	if p.Growth == Window && (p.First != nil || p.Floor != 0 || p.DrawnOnce) {
		check(bad("growth", "window", "no first, floor or drawn=once: they would undo what the window does"))
	}
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Policy) validateJitter(bad func(field, value, expected string) error, number func(string, float64, float64, float64) error) error {
	if p.Jitter != Proportional && (p.Spread != 0 || p.Sign != "") {
		return bad("spread", strconv.FormatFloat(p.Spread, 'g', -1, 64), "none, unless the jitter is prop")
	}
	if p.Jitter != Additive && p.Extra != (Range{}) {
		return bad("extra", durationText(p.Extra.High), "none, unless the jitter is additive")
	}
	if p.Growth == Window && p.Jitter != None {
		return bad("jitter", string(p.Jitter), "none for window, which has its own")
	}
	switch p.Jitter {
	case None, Full, Equal:
		return nil
	case Proportional:
		if p.Sign != "" && p.Sign != Plus && p.Sign != Minus && p.Sign != Comb {
			return bad("sign", string(p.Sign), "one of +, -, comb")
		}
		return number("spread", p.Spread, 0, 1)
	case Additive:
		if p.Extra.Low < -longest || p.Extra.High > longest || p.Extra.High < p.Extra.Low {
			return bad("extra", durationText(p.Extra.Low)+".."+durationText(p.Extra.High), "a rising range between -2400h and 2400h")
		}
		return nil
	case Decorrelated:
		if p.Growth != Exponential {
			return bad("jitter", string(p.Jitter), "an exponential growth with it")
		}
		if p.DrawnOnce {
			return bad("drawn", "once", "a draw an attempt: each wait depends on the one before")
		}
		return nil
	}
	return bad("jitter", string(p.Jitter), "one of full, equal, prop, additive, decorrelated")
}

// None is no jitter: every client waits the ceiling.
const None Jitter = ""

const maxTable = 10_000
