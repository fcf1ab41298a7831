package backoff

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lapse"
)

const jsonKeys = "policy, base_ms, cap_ms, factor, spread, extra_ms, table_ms, attempts, first_ms, floor_ms, floor, cap, sign, jitter, drawn, step_ms, breaks, reset"

// AppendJSON appends the policy's JSON form as the next value, with the SPEC's words:
//
//	{"policy":"prop","base_ms":1000,"cap_ms":120000,"factor":1.6,"spread":0.2,"attempts":10,"first_ms":[0,5000],"reset":"open"}
//
// "policy" may also hold a whole SPEC, lib:NAME among them, with further keys as its modifiers. Absent keys are as in the
// SPEC; ranges are pairs; "reset" is "open", "message" or a number of ms; "breaks" is [attempt, share].
func (p *Policy) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	word := string(p.Growth)
	if p.Growth == Exponential && p.Jitter != None {
		word = string(p.Jitter)
	}
	b = jsonwrite.String(jsonwrite.Key(b, "policy"), word)
	span := func(key string, r Range) {
		b = jsonwrite.Array(jsonwrite.Key(b, key))
		b = jsonwrite.Millis(b, int64(r.Low))
		b = jsonwrite.End(jsonwrite.Millis(b, int64(r.High)), ']')
	}
	if p.Growth == List {
		b = jsonwrite.Array(jsonwrite.Key(b, "table_ms"))
		for _, d := range p.Table {
			b = jsonwrite.Millis(b, int64(d))
		}
		b = jsonwrite.End(b, ']')
	} else {
		b = jsonwrite.Millis(jsonwrite.Key(b, "base_ms"), int64(p.Base))
	}
	if p.Cap > 0 {
		b = jsonwrite.Millis(jsonwrite.Key(b, "cap_ms"), int64(p.Cap))
	}
	if p.Growth == Exponential {
		b = jsonwrite.Float(jsonwrite.Key(b, "factor"), p.factor())
	} else if p.Jitter != None {
		b = jsonwrite.String(jsonwrite.Key(b, "jitter"), string(p.Jitter))
	}
	if p.Jitter == Proportional {
		b = jsonwrite.Float(jsonwrite.Key(b, "spread"), p.Spread)
	}
	if p.Jitter == Additive {
		span("extra_ms", p.Extra)
	}
	if p.Attempts > 0 {
		b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), int64(p.Attempts))
	}
	if p.First != nil {
		span("first_ms", *p.First)
	}
	if p.Floor > 0 {
		b = jsonwrite.Millis(jsonwrite.Key(b, "floor_ms"), int64(p.Floor))
	}
	word = ""
	text := func(key, value string) {
		if value != "" {
			b = jsonwrite.String(jsonwrite.Key(b, key), value)
		}
	}
	text("floor", string(p.FloorEdge))
	text("cap", string(p.CapEdge))
	text("sign", string(p.Sign))
	if p.DrawnOnce {
		text("drawn", "once")
	}
	if p.Step > 0 {
		b = jsonwrite.Millis(jsonwrite.Key(b, "step_ms"), int64(p.Step))
	}
	if p.Breaks > 0 {
		b = jsonwrite.Int(jsonwrite.Array(jsonwrite.Key(b, "breaks")), int64(p.Breaks))
		share := p.Broken
		if share == 0 {
			share = 1
		}
		b = jsonwrite.End(jsonwrite.Float(b, share), ']')
	}
	if p.Reset == ResetStable {
		b = jsonwrite.Millis(jsonwrite.Key(b, "reset"), int64(p.Stable))
	} else {
		text("reset", string(p.Reset))
	}
	return jsonwrite.End(b, '}')
}

func parseJSON(data []byte) (p Policy, err error) {
	// The policy's word decides what the other keys mean, wherever it stands.
	word, named := "", false
	err = jsonscan.Object(data, func(key, value []byte) error {
		if string(key) == "policy" {
			named = true
			return jsonscan.Read("backoff", "policy", value, &word)
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	if !named {
		if err = jsonscan.Object(data, p.setJSON); err != nil { // a key that does not exist is the likelier mistake
			return Policy{}, err
		}
		return Policy{}, fault.Value("backoff", "policy", "missing", `a word or a SPEC in it, such as {"policy":"full","base_ms":1000,"cap_ms":30000}`)
	}
	switch word {
	case "immediate":
		p.Growth = Constant
	case "fixed", "linear", "exp", "table", "window":
		p.Growth = Growth(word)
	case "full", "equal", "prop", "additive", "decorrelated":
		p.Growth, p.Jitter = Exponential, Jitter(word)
	default:
		if p, err = parseSpec(word); err != nil {
			return Policy{}, err
		}
	}
	if err = jsonscan.Object(data, p.setJSON); err != nil {
		return Policy{}, err
	}
	if p.Factor == (&Policy{Jitter: p.Jitter}).factor() {
		p.Factor = 0
	}
	if p.Broken == 1 {
		p.Broken = 0
	}
	return p, p.Validate()
}

func (p *Policy) setJSON(key, value []byte) error {
	name := string(key)
	if jsonscan.KindOf(value) == jsonscan.Null {
		return nil
	}
	var err error
	word := func() (s string) {
		err = jsonscan.Read("backoff", name, value, &s)
		return s
	}
	switch name {
	case "policy":
	case "base_ms":
		p.Base, err = millis(name, value)
	case "cap_ms":
		if s, ok := jsonscan.Text(value); ok && s == "none" {
			p.Cap = 0
		} else if p.Cap, err = millis(name, value); err == nil && p.Cap <= 0 {
			err = fault.Value("backoff", name, jsonscan.Sample(value), "at least the base, or absent for none")
		}
	case "factor":
		err = jsonscan.Read("backoff", name, value, &p.Factor)
		if err == nil && !(p.Factor >= 1 && p.Factor <= 1000) {
			err = fault.Value("backoff", name, jsonscan.Sample(value), "between 1 and 1000")
		}
	case "spread":
		err = jsonscan.Read("backoff", name, value, &p.Spread)
	case "extra_ms":
		p.Extra, err = millisRange(name, value, false)
	case "table_ms":
		p.Table = nil
		err = jsonscan.Array(value, func(i int, v []byte) error {
			d, err := millis(name+"["+strconv.Itoa(i)+"]", v)
			p.Table = append(p.Table, d)
			return err
		})
	case "attempts":
		err = jsonscan.Read("backoff", name, value, &p.Attempts)
	case "first_ms":
		p.First = new(Range)
		*p.First, err = millisRange(name, value, true)
	case "floor_ms":
		p.Floor, err = millis(name, value)
	case "floor":
		p.FloorEdge = Edge(word())
	case "cap":
		if p.CapEdge = Edge(word()); p.CapEdge == "before" {
			p.CapEdge = ""
		}
	case "sign":
		p.Sign = Sign(word())
	case "jitter":
		p.Jitter = Jitter(word())
	case "drawn":
		if w := word(); err == nil && w != "once" {
			err = fault.Value("backoff", name, jsonscan.Sample(value), `"once"`)
		}
		p.DrawnOnce = true
	case "step_ms":
		p.Step, err = millis(name, value)
	case "breaks":
		var list []float64
		err = jsonscan.Read("backoff", name, value, &list)
		if err == nil && (len(list) != 2 || list[0] != math.Floor(list[0]) || math.Abs(list[0]) > 1<<31) {
			err = fault.Value("backoff", name, jsonscan.Sample(value), "[attempt, share]")
		}
		if err == nil {
			p.Breaks, p.Broken = int(list[0]), list[1]
		}
	case "reset":
		if s, ok := jsonscan.Text(value); ok {
			p.Reset, p.Stable = Reset(s), 0
		} else {
			p.Reset = ResetStable
			p.Stable, err = millis(name, value)
		}
	default:
		err = jsonscan.Unknown("backoff", key, jsonKeys)
	}
	return err
}

// millis reads a number of ms as ns.
func millis(field string, value []byte) (lapse.Duration, error) {
	v, ok := jsonscan.Float(value)
	v = math.Floor(float64(v*1e6) + 0.5)
	if !ok || math.Abs(v) > float64(longest) {
		return 0, fault.Value("backoff", field, jsonscan.Sample(value), "a number of milliseconds, at most 8640000000")
	}
	return lapse.Duration(v), nil
}

// millisRange reads a pair; one number is a constant, or the upper end of a range from 0.
func millisRange(field string, value []byte, constant bool) (r Range, err error) {
	if jsonscan.KindOf(value) != jsonscan.List {
		r.High, err = millis(field, value)
		if constant {
			r.Low = r.High
		}
		return r, err
	}
	n := 0
	err = jsonscan.Array(value, func(i int, v []byte) error {
		d, err := millis(field+"["+strconv.Itoa(i)+"]", v)
		switch n++; i {
		case 0:
			r.Low = d
		case 1:
			r.High = d
		}
		return err
	})
	if err == nil && n != 2 {
		err = fault.Value("backoff", field, jsonscan.Sample(value), "a number of milliseconds, or a pair of them")
	}
	return r, err
}
