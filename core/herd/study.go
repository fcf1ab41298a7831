package herd

import (
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lapse"
)

// Study simulates one scenario under several policies, one after the other.
type Study struct {
	Results []Result       // of the runs that are done
	Limit   lapse.Duration // N/C
	Notes   []string       // what was taken from a report, and other remarks
	waiting []Scenario
	total   int
	run     *Run
}

// NewStudy checks the request for every policy before anything runs.
func NewStudy(q Request) (*Study, error) {
	policies := q.Policies
	if len(policies) == 0 {
		policies = []string{""}
	}
	s := &Study{Notes: q.Notes}
	for _, p := range policies {
		scenario, err := q.with(p)
		if err == nil {
			_, err = scenario.prepared()
		}
		if err != nil {
			return nil, err
		}
		s.waiting = append(s.waiting, scenario)
	}
	s.total = len(s.waiting)
	s.Limit = seconds(float64(q.Clients) / q.Server.Capacity)
	return s, nil
}

// Step simulates about budget arrivals and reports whether all runs are done.
func (s *Study) Step(budget int64) (done bool, err error) {
	if s.run == nil {
		if len(s.waiting) == 0 {
			return true, nil
		}
		if s.run, err = New(s.waiting[0]); err != nil {
			return false, err
		}
		s.waiting = s.waiting[1:]
	}
	if s.run.Step(budget) {
		s.Results = append(s.Results, s.run.Result())
		s.run = nil
	}
	return s.run == nil && len(s.waiting) == 0, nil
}

// Progress is how far the study is, 0 to 1.
func (s *Study) Progress() float64 {
	done := float64(len(s.Results))
	if s.run != nil {
		done += s.run.Progress()
	}
	return done / float64(s.total)
}

// AppendJSON appends {"results","limit_ms","notes"}.
func (s *Study) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Array(jsonwrite.Key(b, "results"))
	for i := range s.Results {
		b = s.Results[i].AppendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	b = millis(jsonwrite.Key(b, "limit_ms"), s.Limit)
	b = jsonwrite.Strings(jsonwrite.Key(b, "notes"), s.Notes)
	return jsonwrite.End(b, '}')
}
