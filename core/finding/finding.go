// Package finding is the vocabulary of verdicts: how grave, by which rule, about whom, on what evidence, and what to do.
//
// Rules live in one catalogue, so that a fault has one name everywhere: in the linter, in a log's report, in the test
// kits, in the page. A rule's text is for people: the title says in plain words what is wrong, the lesson why it matters,
// the fix what to change; the threshold carries its reason.
package finding

import (
	"cmp"

	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/order"
)

// Severity orders findings; the zero value is Info, which never fails a test or a pipeline by itself.
type Severity uint8

// The five severities, from a remark to a client that takes the service down.
const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"info", "low", "medium", "high", "critical"}

// String is the lower-case word; a value outside the five is "critical", so that a mistake is loud.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return severityNames[Critical]
}

// ParseSeverity reads one of the five lower-case words; ok is false for any other.
func ParseSeverity(word string) (s Severity, ok bool) {
	for i, name := range severityNames {
		if name == word {
			return Severity(i), true
		}
	}
	return Info, false
}

// Evidence is one figure or fact behind a finding, under a snake_case key that names its unit.
type Evidence struct {
	Key  string // "delay_ms", "clients"
	Text string // the value as people read it
	JSON []byte // the value as JSON; nil means Text as a string
}

// Finding is one verdict. Findings are ordered by severity, gravest first, then rule, then subject.
type Finding struct {
	Rule     string     // the catalogue's id
	Severity Severity   // the rule's default, moved as its lesson says
	Subject  string     // whom it is about: a client's key, a policy's SPEC, a group, "fleet"
	Message  string     // plain words first, then the figures
	Evidence []Evidence // in a fixed order
	Advice   string     // what to change, for this subject
}

// AppendJSON appends {"rule","severity","subject","message","evidence","advice"} as the next value.
func (f *Finding) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "rule"), f.Rule)
	b = jsonwrite.String(jsonwrite.Key(b, "severity"), f.Severity.String())
	b = jsonwrite.String(jsonwrite.Key(b, "subject"), f.Subject)
	b = jsonwrite.String(jsonwrite.Key(b, "message"), f.Message)
	b = jsonwrite.Object(jsonwrite.Key(b, "evidence"))
	for _, e := range f.Evidence {
		b = jsonwrite.Key(b, e.Key)
		if e.JSON != nil {
			b = jsonwrite.Raw(b, e.JSON)
		} else {
			b = jsonwrite.String(b, e.Text)
		}
	}
	b = jsonwrite.End(b, '}')
	b = jsonwrite.String(jsonwrite.Key(b, "advice"), f.Advice)
	return jsonwrite.End(b, '}')
}

// Sort puts findings into their total order, in place.
func Sort(list []Finding) {
	order.By(list, func(a, b Finding) int {
		return cmp.Or(
			-cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(a.Message, b.Message),
		)
	})
}
