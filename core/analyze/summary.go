package analyze

import (
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// summary adds up the clients' findings by rule, so that the report says "12 clients: …" and not twelve times the same.
type summary struct{ rules map[string]*summed }

type summed struct {
	clients  int64
	attempts int64
	worst    finding.Finding // the gravest; of equal ones that of most attempts, then of the smaller key
	weight   int64           // attempts of its client
}

func newSummary() *summary { return &summary{map[string]*summed{}} }

func (s *summary) add(c *report.Client) {
	for i := range c.Findings {
		f := &c.Findings[i]
		x := s.rules[f.Rule]
		if x == nil {
			x = &summed{}
			s.rules[f.Rule] = x
		}
		x.clients++
		x.attempts += c.Attempts
		if this := (summed{worst: *f, weight: c.Attempts}); x.clients == 1 || this.graver(x) {
			x.worst, x.weight = *f, c.Attempts
		}
	}
}

// merge adds what another share summed.
func (s *summary) merge(o *summary) {
	for rule, y := range o.rules {
		x := s.rules[rule]
		if x == nil {
			s.rules[rule] = y
			continue
		}
		x.clients += y.clients
		x.attempts += y.attempts
		if y.graver(x) {
			x.worst, x.weight = y.worst, y.weight
		}
	}
}

// graver reports that a client's finding is shown rather than another's.
func (x *summed) graver(than *summed) bool {
	return x.worst.Severity > than.worst.Severity ||
		x.worst.Severity == than.worst.Severity && (x.weight > than.weight || x.weight == than.weight && x.worst.Subject < than.worst.Subject)
}

// findings gives one finding a rule: the worst client's own, or several clients' with the worst as the example.
func (s *summary) findings() []finding.Finding {
	var list []finding.Finding
	for _, rule := range finding.Rules() { // in the catalogue's order
		x := s.rules[rule.ID]
		if x == nil {
			continue
		}
		f := x.worst
		if x.clients > 1 {
			f.Message = figure.Several(x.clients, "client") + "; the gravest " + f.Message
			f.Evidence = append([]finding.Evidence{number("clients", x.clients), number("attempts", x.attempts), {Key: "gravest", Text: f.Subject}}, f.Evidence...)
			f.Subject = figure.Several(x.clients, "client")
		}
		list = append(list, f)
	}
	return list
}
