package lint

import (
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Result is the answer about one policy, or about the runs of one client under its scenarios.
type Result struct {
	Policy   string            // the SPEC as it was understood; "" for runs
	Subject  string            // the policy as the user named it, or "observed runs"
	Runs     []Seen            // what was observed, a scenario each; nil for a policy
	Findings []finding.Finding // gravest first
	Envelope []Step            // of the policy, or of the first scenario
	Arrivals []float64         // ns after the drop: when 100 such clients come, all attempts; for the picture
	Warnings []string          // doubts about the input, in its order
	Clients  int64             // as given; 0 unknown
	Capacity float64           // as given; 0 unknown
}

// Seen is one scenario's runs in figures.
type Seen struct {
	Scenario   string
	Runs       int        // how many runs
	Delays     [2]int     // fewest and most waits of a run
	Conformity Conformity // with full jitter
}

// Worst is the gravest severity among the findings, and false when there is none.
func (r *Result) Worst() (s finding.Severity, found bool) {
	for i := range r.Findings {
		s = max(s, r.Findings[i].Severity)
	}
	return s, len(r.Findings) > 0
}

// AppendJSON appends the result as the next value:
//
//	{"schema":"stormlint/lint/1","policy","runs":[…],"findings":[…],"envelope":[…],"clients","capacity","warnings":[…]}
//
// policy and runs, clients and capacity only where there are some.
func (r *Result) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "schema"), "stormlint/lint/1")
	if r.Policy != "" {
		b = jsonwrite.String(jsonwrite.Key(b, "policy"), r.Policy)
	}
	if r.Runs != nil {
		b = jsonwrite.Array(jsonwrite.Key(b, "runs"))
		for i := range r.Runs {
			b = r.Runs[i].appendJSON(b)
		}
		b = jsonwrite.End(b, ']')
	}
	b = jsonwrite.Array(jsonwrite.Key(b, "findings"))
	for i := range r.Findings {
		b = r.Findings[i].AppendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "envelope"))
	for i := range r.Envelope {
		b = r.Envelope[i].appendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	if r.Clients > 0 {
		b = jsonwrite.Int(jsonwrite.Key(b, "clients"), r.Clients)
		b = jsonwrite.Float(jsonwrite.Key(b, "capacity"), r.Capacity)
	}
	b = jsonwrite.Strings(jsonwrite.Key(b, "warnings"), r.Warnings)
	return jsonwrite.End(b, '}')
}

func (s *Step) appendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "attempt"), int64(s.Attempt))
	b = jsonwrite.Fixed(jsonwrite.Key(b, "min_ms"), s.Min/1e6, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "mean_ms"), s.Mean/1e6, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "max_ms"), s.Max/1e6, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "spread"), s.Spread, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "arrival_spread_ms"), s.Arrival/1e6, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "point_mass"), s.Mass, 3)
	return jsonwrite.End(b, '}')
}

func (s *Seen) appendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "scenario"), s.Scenario)
	b = jsonwrite.Int(jsonwrite.Key(b, "runs"), int64(s.Runs))
	b = jsonwrite.Int(jsonwrite.Key(b, "fewest_delays"), int64(s.Delays[0]))
	b = jsonwrite.Int(jsonwrite.Key(b, "most_delays"), int64(s.Delays[1]))
	if c := s.Conformity; c.N > 0 {
		b = jsonwrite.Object(jsonwrite.Key(b, "full_jitter"))
		b = jsonwrite.Bool(jsonwrite.Key(b, "conforms"), c.P >= Alpha)
		b = jsonwrite.Int(jsonwrite.Key(b, "n"), int64(c.N))
		b = jsonwrite.Fixed(jsonwrite.Key(b, "d"), c.D, 4)
		b = jsonwrite.Fixed(jsonwrite.Key(b, "p"), c.P, 6)
		b = jsonwrite.Float(jsonwrite.Key(b, "alpha"), Alpha)
		b = jsonwrite.End(b, '}')
	}
	return jsonwrite.End(b, '}')
}
