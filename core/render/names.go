package render

import (
	"strconv"

	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// names gives clients the names under which a page shows them: their own, or "client-001" by their place in the report,
// which is the same for the same input.
type names struct {
	alias map[string]string
	open  bool // addresses are shown
}

func newNames(r *report.Report, open bool) *names {
	n := &names{open: open, alias: map[string]string{}}
	for i := range r.Clients {
		number := strconv.Itoa(i + 1)
		for len(number) < 3 {
			number = "0" + number
		}
		n.alias[r.Clients[i].Key] = "client-" + number
	}
	return n
}

func (n *names) of(c *report.Client) string {
	if n.open {
		return c.Name
	}
	return n.alias[c.Key]
}

// subject is whom a finding is about. A client outside the report's rows has no name on a page without addresses.
func (n *names) subject(f *finding.Finding, r *report.Report) string {
	if n.open {
		return f.Subject
	}
	if alias, ok := n.alias[f.Subject]; ok {
		return alias
	}
	if f.Subject == "fleet" {
		return f.Subject
	}
	for i := range r.Groups {
		for j := range r.Groups[i].Findings {
			if r.Groups[i].Findings[j].Subject == f.Subject {
				return f.Subject
			}
		}
	}
	for _, e := range f.Evidence {
		if e.Key == "gravest" { // "12 clients"
			return f.Subject
		}
	}
	return "a client"
}
