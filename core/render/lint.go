package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

// LintText is a linter's result for a terminal: the findings, the envelope as a table, and a picture of when a hundred
// clients come back that fall together.
func LintText(r *lint.Result, o Options) []byte {
	s := NewSheet(o)
	title := r.Subject
	if r.Policy != "" && r.Policy != r.Subject {
		title += "  =  " + r.Policy
	}
	s.Heading(title)
	if r.Clients > 0 {
		s.Paragraph("", figure.Several(r.Clients, "client")+" at "+figure.Decimal(r.Capacity)+" handshakes a second: a recovery takes "+figure.Span(float64(r.Clients)/r.Capacity*1e9)+" at least.")
	}
	for _, seen := range r.Runs {
		s.Paragraph("", seenText(&seen))
	}
	for _, w := range r.Warnings {
		s.paragraph("", "warning: "+w, yellow)
	}
	s.findings(r.Findings)
	if len(r.Envelope) > 0 {
		s.envelope(r)
		s.lintArrivals(r)
	}
	return s.Bytes()
}

func seenText(seen *lint.Seen) string {
	text := seen.Scenario + ": " + figure.Several(int64(seen.Runs), "run") + " of " + figure.Count(int64(seen.Delays[0]))
	if seen.Delays[1] != seen.Delays[0] {
		text += " to " + figure.Count(int64(seen.Delays[1]))
	}
	text += " waits"
	if c := seen.Conformity; c.N >= 20 {
		text += "; full jitter "
		if c.P >= lint.Alpha {
			text += "is not contradicted"
		} else {
			text += "is ruled out"
		}
		text += " (Kolmogorov-Smirnov, n = " + figure.Count(int64(c.N)) + ", p = " + strconv.FormatFloat(c.P, 'g', 2, 64) + ", at 0.1 %)"
	}
	return text + "."
}

// severityStyle is how loud a severity is.
func severityStyle(severity finding.Severity) style {
	switch severity {
	case finding.Critical, finding.High:
		return red
	case finding.Medium:
		return yellow
	}
	return dim
}

// findings lists them, gravest first, with what to change for those that matter.
func (s *Sheet) findings(list []finding.Finding) {
	s.line()
	if len(list) == 0 {
		s.paragraph("", "nothing found", green)
		return
	}
	for i := range list {
		f := &list[i]
		mark := f.Severity.String()
		s.styled(mark, severityStyle(f.Severity))
		s.b = append(s.b, strings.Repeat(" ", 10-len(mark))...)
		s.styled(f.Rule, bold)
		s.line()
		s.Paragraph("          ", f.Message)
		if f.Severity >= finding.Medium && f.Advice != "" {
			s.Paragraph("          ", "To do: "+f.Advice+".")
		}
	}
}

func (s *Sheet) envelope(r *lint.Result) {
	steps := r.Envelope
	shown := 1 // up to where the waits no longer change, then the last
	for i := range steps {
		if i > 0 && (steps[i].Min != steps[i-1].Min || steps[i].Max != steps[i-1].Max || steps[i].Mass != steps[i-1].Mass) {
			shown = i + 1
		}
	}
	shown = min(shown, 12)
	s.Heading("Waits before each attempt, and how far apart clients come that fall together")
	columns := []Column{{Title: "attempt"}, {Title: "shortest"}, {Title: "mean", Spare: 1}, {Title: "longest"}, {Title: "spread"}, {Title: "apart"}, {Title: "on one value"}}
	var rows [][]string
	for i := range steps {
		if i >= shown && i < len(steps)-1 {
			continue
		}
		e := &steps[i]
		mass := ""
		if e.Mass >= 0.01 {
			mass = figure.Percent(e.Mass)
		}
		rows = append(rows, []string{strconv.Itoa(e.Attempt), wait(e.Min), wait(e.Mean), wait(e.Max), strconv.FormatFloat(e.Spread, 'f', 2, 64), wait(e.Arrival), mass})
	}
	s.Table(columns, rows, func(row, column int) style {
		if column == 4 && rows[row][4] == "0.00" {
			return red
		}
		return plain
	})
}

// wait is span, with a plain 0.
func wait(ns float64) string {
	if ns == 0 {
		return "0"
	}
	return figure.Span(ns)
}

// lintArrivals draws the arrivals of the first attempts.
func (s *Sheet) lintArrivals(r *lint.Result) {
	const waves = 6
	until := 0.0
	for i := range r.Envelope[:min(waves, len(r.Envelope))] {
		until += r.Envelope[i].Mean
	}
	if until <= 0 || len(r.Arrivals) == 0 {
		return
	}
	until *= 1.15
	columns := s.width() - 12
	bins := make([]int64, columns)
	for _, at := range r.Arrivals {
		if at < until {
			bins[int(at/until*float64(columns))]++
		}
	}
	who := "100 clients"
	if r.Runs != nil {
		who = figure.Several(int64(r.Runs[0].Runs), "client")
	}
	s.Heading("When " + who + " that fall together come back, " + figure.Span(until/float64(columns)) + " a column")
	s.Bars("attempts", bins, 5, 8)
	to := figure.Span(until)
	s.b = append(s.b, "         0 s"...)
	s.b = append(s.b, strings.Repeat(" ", max(1, columns-3-width(to)))...)
	s.b = append(s.b, to...)
	s.line()
}

// LintGitHub is the findings as workflow commands of GitHub Actions: an annotation each.
func LintGitHub(r *lint.Result) []byte {
	var b []byte
	for i := range r.Findings {
		f := &r.Findings[i]
		b = append(b, "::"+annotation(f.Severity)+" title="+escaped("stormlint "+f.Rule+" ("+f.Severity.String()+")", ":", ",")+"::"...)
		b = append(b, escaped(f.Subject+": "+f.Message+". To do: "+f.Advice)...)
		b = append(b, '\n')
	}
	return b
}

// escaped spells what a workflow command may not hold.
func escaped(text string, more ...string) string {
	text = strings.ReplaceAll(text, "%", "%25")
	text = strings.ReplaceAll(text, "\r", "%0D")
	text = strings.ReplaceAll(text, "\n", "%0A")
	for _, m := range more {
		text = strings.ReplaceAll(text, m, "%"+strings.ToUpper(strconv.FormatInt(int64(m[0]), 16)))
	}
	return text
}

// RuleText explains one rule of the catalogue.
func RuleText(rule finding.Rule, o Options) []byte {
	s := NewSheet(o)
	s.Heading(rule.ID + ": " + rule.Title)
	s.Paragraph("", rule.Lesson)
	severity := rule.Severity.String()
	if rule.Moves != "" {
		severity += "; " + rule.Moves
	}
	for _, part := range [][2]string{{"severity   ", severity}, {"threshold  ", rule.Threshold}, {"fix        ", rule.Fix}} {
		s.line()
		s.Paragraph(part[0], part[1])
	}
	return s.Bytes()
}

// LibrariesText lists the catalogue of real libraries and their schedules.
func LibrariesText(list []backoff.Library, o Options) []byte {
	s := NewSheet(o)
	var rows [][]string
	for _, l := range list {
		spec := l.Spec
		if spec == "" {
			spec = "none of its own: " + l.Note
		}
		rows = append(rows, []string{l.Name, l.Version, l.Ecosystem, spec})
	}
	s.Table([]Column{{Title: "lib:", Left: true}, {Title: "version read", Left: true, Min: 8, Spare: 2}, {Title: "for", Left: true, Spare: 1}, {Title: "schedule", Left: true}}, rows, nil)
	return s.Bytes()
}

// RulesText lists the catalogue.
func RulesText(rules []finding.Rule, o Options) []byte {
	s := NewSheet(o)
	var rows [][]string
	for _, r := range rules {
		rows = append(rows, []string{r.ID, r.Severity.String(), r.Title})
	}
	s.Table([]Column{{Title: "rule", Left: true}, {Title: "severity", Left: true}, {Title: "what is wrong", Left: true, Min: 20}}, rows, nil)
	return s.Bytes()
}
