package report

import "github.com/stormlint/stormlint/core/jsonwrite"

// Schedule is what a client's waits, or a group's, say about the rule behind them.
type Schedule struct {
	Verdict    string  // "locked", "jittered" or "undecided": would two such clients, cut off together, return together?
	Family     string  // the likeliest rule, "exponential"; "unknown" without one
	Base       int64   // ns, of the first attempt; 0 for unknown
	Multiplier float64 // growth a step; 0 where the family has none
	Cap        int64   // ns; 0 where none was seen
	Spread     float64 // (longest − shortest) / longest at one attempt: 0 none, 1 full
	N          int     // waits looked at
	Method     string  // how it was decided, or why it was not
	LogOdds    float64 // ln of the odds of jittered against locked
	Policy     string  // the rule in the words of --policy; "" where it has no such form
}

// AppendJSON appends the schedule as the next value.
func (s *Schedule) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "verdict"), s.Verdict)
	b = jsonwrite.String(jsonwrite.Key(b, "family"), s.Family)
	b = appendPositive(jsonwrite.Key(b, "base_ms"), s.Base)
	b = jsonwrite.Key(b, "multiplier")
	if s.Multiplier > 0 {
		b = jsonwrite.Fixed(b, s.Multiplier, 3)
	} else {
		b = jsonwrite.Null(b)
	}
	b = appendPositive(jsonwrite.Key(b, "cap_ms"), s.Cap)
	b = jsonwrite.Key(b, "spread")
	if s.Family == "unknown" {
		b = jsonwrite.Null(b)
	} else {
		b = jsonwrite.Fixed(b, s.Spread, 3)
	}
	b = jsonwrite.Int(jsonwrite.Key(b, "n"), int64(s.N))
	b = jsonwrite.String(jsonwrite.Key(b, "method"), s.Method)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "log_odds"), s.LogOdds, 2)
	b = jsonwrite.Key(b, "policy")
	if s.Policy == "" {
		b = jsonwrite.Null(b)
	} else {
		b = jsonwrite.String(b, s.Policy)
	}
	return jsonwrite.End(b, '}')
}

func appendPositive(b []byte, ns int64) []byte {
	if ns <= 0 {
		return jsonwrite.Null(b)
	}
	return jsonwrite.Fixed(b, float64(ns)/1e6, 3)
}
