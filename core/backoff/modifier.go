package backoff

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
)

const modifierWords = "attempts, first, floor, cap, sign, jitter, drawn, step, breaks, reset"

// modify applies one modifier, "attempts=10".
func (p *Policy) modify(text string) error {
	key, value, equals := strings.Cut(text, "=")
	r := reader{word: key, args: []string{value}}
	if !equals {
		r.fail("modifier", text, "KEY=VALUE with one of "+modifierWords)
		return r.err
	}
	switch key {
	case "attempts":
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 1 {
			r.fail(key, value, "between 1 and 2147483647")
		}
		p.Attempts = int(n)
	case "first":
		p.First = new(Range)
		switch {
		case strings.HasPrefix(value, "U"):
			r.args[0] = value[1:]
			*p.First = r.span(0, key)
		case strings.Contains(value, ".."):
			*p.First = r.span(0, key)
		default:
			d := r.duration(0, key)
			*p.First = Range{d, d}
		}
	case "floor":
		d, edge, _ := strings.Cut(value, ":")
		r.args[0] = d
		p.Floor, p.FloorEdge = r.duration(0, key), Edge(edge)
		if edge != "" && edge != "after" && edge != "add" {
			r.fail(key, value, "a duration, and :after or :add if the range is not to be cut")
		}
	case "cap":
		p.CapEdge = Edge(value)
		switch value {
		case "before":
			p.CapEdge = ""
		case "after", "both", "exact":
		default:
			r.fail(key, value, "one of before, after, both, exact")
		}
	case "sign":
		p.Sign = Sign(value)
		if value != "+" && value != "-" && value != "comb" {
			r.fail(key, value, "one of +, -, comb")
		}
	case "jitter":
		p.Jitter, p.Spread, p.Extra = Jitter(value), 0, Range{}
		switch {
		case value == "full" || value == "equal":
		case value != "" && strings.Trim(value, "0123456789.") == "" && !strings.Contains(value, ".."):
			p.Jitter, p.Spread = Proportional, r.number(0, key)
		default:
			p.Jitter, p.Extra = Additive, r.span(0, key)
		}
		if p.Growth != Constant && p.Growth != Linear && p.Growth != List {
			r.fail(key, value, "a policy of fixed, linear or table")
		}
	case "drawn":
		p.DrawnOnce = true
		if value != "once" {
			r.fail(key, value, "once")
		}
	case "step":
		p.Step = r.duration(0, key)
		if p.Step == 0 {
			r.fail(key, value, durationForm)
		}
	case "breaks":
		at, share, has := strings.Cut(value, ":")
		n, err := strconv.ParseInt(at, 10, 32)
		if err != nil || n < 1 {
			r.fail(key, value, "an attempt between 1 and 2147483647, and optionally a share")
		}
		p.Breaks, p.Broken = int(n), 0
		if has {
			r.args[0] = share
			if p.Broken = r.number(0, key); !(p.Broken > 0 && p.Broken <= 1) {
				r.fail(key, value, "a share above 0 and at most 1 after the colon")
			}
			if p.Broken == 1 {
				p.Broken = 0
			}
		}
	case "reset":
		p.Stable = 0
		switch value {
		case "open":
			p.Reset = ResetOpen
		case "message":
			p.Reset = ResetMessage
		default:
			p.Reset = ResetStable
			d, ok := parseDuration(value)
			if !ok || d <= 0 {
				r.fail(key, value, "open, message, or how long a connection must have lasted, such as 5s")
			}
			p.Stable = d
		}
	default:
		return fault.Value("backoff", "modifier", quoted(key), "one of "+modifierWords)
	}
	return r.err
}
