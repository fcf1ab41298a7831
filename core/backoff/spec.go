package backoff

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

const words = "immediate, fixed, linear, exp, full, equal, decorrelated, prop, additive, table, window, lib"

// Parse reads a policy in its written form, and validates it. A text that begins with { is the JSON form (see
// AppendJSON); else it is a SPEC, a word with its arguments and then modifiers:
//
//	immediate:10ms | fixed:5s                  constant
//	linear:1s:30s                              base, cap
//	exp:1s:30s[:2]  full:…  equal:…            base, cap, factor
//	decorrelated:1s:30s[:3]                    base, cap, factor
//	prop:1s:120s:1.6:0.2                       base, cap, factor, spread
//	additive:1s:30s:2:1s                       base, cap, factor, added draw (0..1s; or a range, -500ms..500ms)
//	table:10ms,50ms,1s                         the waits
//	window:25s                                 the width
//	lib:NAME[@VERSION]                         the schedule of a real library; the catalogue lists them
//	,attempts=10                               then it gives up
//	,first=0 | ,first=1s | ,first=U5s          the wait ahead of the schedule: constant, or U(0, 5 s); a range as above
//	,floor=500ms[:after | :add]                a lower end: of the range, as a clamp, or added
//	,cap=after | both | exact                  how the cap meets the jitter; before, if absent
//	,sign=+ | - | comb                         the side of prop's jitter
//	,jitter=full | equal | 0.2 | 0..1s         a jitter for fixed, linear and table
//	,drawn=once  ,step=1s  ,breaks=1016[:0.5]  one draw a schedule; cut to multiples; arithmetic that fails
//	,reset=open | message | 5s                 when the count starts again; absent, it is not judged
//
// A cap of "none" is no cap. Durations carry their unit: 500ms, 1.5s, 2m, 1h, or 0. Spaces around modifiers are allowed.
func Parse(spec string) (Policy, error) {
	spec = strings.TrimSpace(spec)
	if strings.HasPrefix(spec, "{") {
		return parseJSON([]byte(spec))
	}
	p, err := parseSpec(spec)
	if err != nil {
		return Policy{}, err
	}
	return p, p.Validate()
}

func parseSpec(spec string) (p Policy, err error) {
	word, rest, colon := strings.Cut(spec, ":")
	if !colon {
		if i := strings.IndexByte(word, ','); i >= 0 {
			word = word[:i]
		}
		if word == "" {
			return p, fault.Value("backoff", "policy", `""`, "a SPEC such as full:1s:30s, beginning with one of "+words)
		}
		return p, fault.Value("backoff", "policy", quoted(spec), "a SPEC such as full:1s:30s: a word of "+words+", a colon and its arguments")
	}
	word = strings.TrimSpace(word)
	var modifiers []string
	parts := strings.Split(rest, ",")
	for i, part := range parts {
		if strings.Contains(part, "=") || i > 0 && word != "table" {
			parts, modifiers = parts[:i], parts[i:]
			break
		}
	}
	args := strings.Split(parts0(parts), ":")
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
	}
	r := reader{word: word, args: args}
	switch word {
	case "immediate", "fixed":
		p.Growth = Constant
		r.takes(1, 1)
		p.Base = r.duration(0, "base")
	case "linear":
		p.Growth = Linear
		r.takes(2, 2)
		p.Base, p.Cap = r.duration(0, "base"), r.limit(1)
	case "exp", "full", "equal", "decorrelated":
		p.Growth = Exponential
		if word != "exp" {
			p.Jitter = Jitter(word)
		}
		r.takes(2, 3)
		p.Base, p.Cap, p.Factor = r.duration(0, "base"), r.limit(1), r.factor(2, &p)
	case "prop":
		p.Growth, p.Jitter = Exponential, Proportional
		r.takes(4, 4)
		p.Base, p.Cap, p.Factor, p.Spread = r.duration(0, "base"), r.limit(1), r.factor(2, &p), r.number(3, "spread")
	case "additive":
		p.Growth, p.Jitter = Exponential, Additive
		r.takes(4, 4)
		p.Base, p.Cap, p.Factor, p.Extra = r.duration(0, "base"), r.limit(1), r.factor(2, &p), r.span(3, "extra")
	case "table":
		p.Growth = List
		for i, part := range parts {
			if i == maxTable {
				return p, fault.Value("backoff", "table", strconv.Itoa(len(parts))+" waits", "between 1 and "+strconv.Itoa(maxTable))
			}
			r.args = []string{strings.TrimSpace(part)}
			p.Table = append(p.Table, r.duration(0, "table["+strconv.Itoa(i)+"]"))
		}
	case "window":
		p.Growth = Window
		r.takes(1, 1)
		p.Base = r.duration(0, "window")
	case "lib":
		if p, err = library(strings.TrimSpace(parts0(parts))); err != nil {
			return p, err
		}
	default:
		return p, fault.Value("backoff", "policy", quoted(word), "one of "+words)
	}
	if r.err != nil {
		return p, r.err
	}
	for _, m := range modifiers {
		if err := p.modify(strings.TrimSpace(m)); err != nil {
			return p, err
		}
	}
	return p, nil
}

func parts0(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[0]
}

// reader takes the arguments of a SPEC's word and keeps the first error.
type reader struct {
	word string
	args []string
	err  error
}

func (r *reader) fail(field, value, expected string) {
	if r.err == nil {
		r.err = fault.Value("backoff", field, quoted(value), expected)
	}
}

func (r *reader) takes(least, most int) {
	if len(r.args) < least || len(r.args) > most {
		expected := strconv.Itoa(least)
		if most > least {
			expected += " or " + strconv.Itoa(most)
		}
		if r.err == nil {
			r.err = fault.Value("backoff", r.word, strconv.Itoa(len(r.args))+" arguments", expected+", as in "+example[r.word])
		}
	}
	for len(r.args) < most {
		r.args = append(r.args, "")
	}
}

var example = map[string]string{
	"immediate": "immediate:10ms", "fixed": "fixed:5s", "linear": "linear:1s:30s", "exp": "exp:1s:30s:2", "full": "full:1s:30s:2",
	"equal": "equal:1s:30s:2", "decorrelated": "decorrelated:1s:30s", "prop": "prop:1s:120s:1.6:0.2", "additive": "additive:1s:30s:2:1s",
	"window": "window:25s",
}

func (r *reader) duration(i int, field string) lapse.Duration {
	d, ok := parseDuration(r.args[i])
	if !ok || d < 0 {
		r.fail(field, r.args[i], durationForm)
	}
	return d
}

func (r *reader) limit(i int) lapse.Duration {
	if r.args[i] == "none" {
		return 0
	}
	d := r.duration(i, "cap")
	if d == 0 {
		r.fail("cap", r.args[i], "at least the base, or none")
	}
	return d
}

func (r *reader) number(i int, field string) float64 {
	v, ok := parseNumber(r.args[i])
	if !ok {
		r.fail(field, r.args[i], "a number")
	}
	return v
}

func (r *reader) factor(i int, p *Policy) float64 {
	if r.args[i] == "" && i >= 2 {
		return 0
	}
	v := r.number(i, "factor")
	if r.err == nil && !(v >= 1 && v <= 1000) {
		r.fail("factor", r.args[i], "between 1 and 1000")
	}
	if v == p.factor() {
		return 0 // the default is written as absent
	}
	return v
}

// span reads "1s" as 0..1s, and "-1s..1s".
func (r *reader) span(i int, field string) (s Range) {
	from, to, dots := strings.Cut(r.args[i], "..")
	if !dots {
		from, to = "0", from
	}
	var ok1, ok2 bool
	s.Low, ok1 = parseDuration(from)
	s.High, ok2 = parseDuration(to)
	if !ok1 || !ok2 || s.High < s.Low {
		r.fail(field, r.args[i], "a duration, or a rising range such as -500ms..500ms")
	}
	return s
}

func parseNumber(s string) (v float64, ok bool) {
	for i := range len(s) {
		if c := s[i]; c-'0' > 9 && c != '.' && c != 'e' && c != '-' && c != '+' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// quoted shows a value in an error text, cut to 40 bytes.
func quoted(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:37]) + "..."
	}
	return strconv.Quote(s)
}
