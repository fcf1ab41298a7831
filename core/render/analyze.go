package render

import (
	"strings"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// AnalyzeText is a report for a terminal: the story first, then arrivals over time, what was found and what to change, the
// clients and groups, and what was read and what was not.
func AnalyzeText(r *report.Report, o Options) []byte {
	s := NewSheet(o)
	s.Heading(title(r))
	for _, text := range story(r) {
		s.Paragraph("", text)
	}
	s.arrivals(r)
	s.found(r)
	s.clients(r)
	s.groups(r)
	s.reading(r)
	return s.Bytes()
}

// arrivals draws attempts, opens and closes over time, and once more from near where there was a storm.
func (s *Sheet) arrivals(r *report.Report) {
	s.chart("Arrivals", &r.Arrivals, r.Input.To, r.Marks)
	s.chart("The storm from near", &r.CloseUp, 1<<63-1, r.Marks)
}

// chart draws one stretch with the marks that lie in it.
func (s *Sheet) chart(heading string, a *report.Arrivals, end int64, marks []report.Mark) {
	if len(a.Attempts) < 2 {
		return
	}
	start, bin := coarser(a, s.width()-18)
	const label = 8
	s.Heading(heading + ", " + figure.Span(float64(bin)) + " a column")
	titles := []string{"attempts", "accepted", "closed"}
	for i, values := range [][]int64{a.Attempts, a.Opens, a.Closes} {
		rows := 1
		if i == 0 {
			rows = 5
		}
		s.Bars(titles[i], rebin(a, values, start, bin), rows, label)
	}
	columns := int((a.From+int64(len(a.Attempts)-1)*a.Bin-start)/bin) + 1
	for _, m := range marks {
		if c := (m.At - start) / bin; m.At >= start && c < int64(columns) {
			s.b = append(s.b, strings.Repeat(" ", label+1+int(c))...)
			s.styled("^ "+s.shorten(s.clean(m.Label), max(s.width()-label-3-int(c), 8)), yellow)
			s.line()
		}
	}
	from, to := ends(a, start, end)
	s.b = append(s.b, strings.Repeat(" ", label+1)...)
	s.styled(from+strings.Repeat(" ", max(columns-len(from)-len(to), 1))+to, dim)
	s.line()
}

// found lists the findings and, once each, what to change.
func (s *Sheet) found(r *report.Report) {
	if len(r.Findings) == 0 {
		return
	}
	s.Heading("Found")
	for i := range r.Findings {
		f := &r.Findings[i]
		mark := f.Severity.String()
		s.item(mark+strings.Repeat(" ", 10-len(mark)), severityStyle(f.Severity), f.Subject+": "+ruleTitle(f.Rule), bold)
		s.Paragraph("          ", sentence(f.Message))
	}
	if list := actions(r, 6); len(list) > 0 {
		s.Heading("To do")
		for _, text := range list {
			s.Paragraph("- ", text)
		}
	}
}

func levelStyle(level int) style {
	switch level {
	case 3, 2:
		return red
	case 1:
		return yellow
	}
	return dim
}

// clients lists the first rows.
func (s *Sheet) clients(r *report.Report) {
	n := s.top(len(r.Clients))
	if n == 0 {
		return
	}
	heading := "Clients"
	if int64(n) < r.Totals.Clients {
		heading += ", " + figure.Count(int64(n)) + " of " + figure.Count(r.Totals.Clients)
	}
	s.Heading(heading)
	columns := []Column{
		{Title: "risk", Left: true}, {Title: "client", Left: true, Min: 15}, {Title: "attempts"}, {Title: "refused"}, {Title: "sessions", Spare: 3}, {Title: "a minute"},
		{Title: "waits", Spare: 5}, {Title: "mean wait", Spare: 1}, {Title: "lived", Spare: 4}, {Title: "waits how", Left: true, Min: 20, Spare: 2}, {Title: "user agent", Left: true, Min: 12, Spare: 6},
	}
	rows := make([][]string, n)
	for i := range rows {
		c := &r.Clients[i]
		row := []string{report.Levels[c.Risk], c.Name, figure.Count(c.Attempts), nonzero(c.Refused), nonzero(c.Sessions), nonzero(c.PeakPerMin), nonzero(c.Delays.N), "", "", scheduleText(c.Schedule), agents(c)}
		if c.Delays.N > 0 {
			row[7] = figure.Span(c.Delays.Mean)
		}
		if c.Lifetimes.N > 0 {
			row[8] = figure.Span(c.Lifetimes.Mean)
		}
		rows[i] = row
	}
	s.Table(columns, rows, func(row, column int) style {
		switch {
		case column == 0:
			return levelStyle(r.Clients[row].Risk)
		case column == 5 && r.Clients[row].OverThreshold:
			return red
		}
		return plain
	})
}

// groups lists versions, or what else clients were grouped by.
func (s *Sheet) groups(r *report.Report) {
	if len(r.Groups) == 0 || len(r.Groups) == 1 && r.Groups[0].Name == "" {
		return
	}
	s.Heading("Groups")
	columns := []Column{
		{Title: "group", Left: true, Min: 15}, {Title: "clients"}, {Title: "attempts"}, {Title: "share"}, {Title: "refused", Spare: 2}, {Title: "at risk"},
		{Title: "waits how", Left: true, Min: 20, Spare: 1}, {Title: "found", Left: true, Min: 12, Spare: 3},
	}
	rows := make([][]string, s.top(len(r.Groups)))
	for i := range rows {
		g := &r.Groups[i]
		var rules []string
		for _, f := range g.Findings {
			if f.Severity >= finding.Medium {
				rules = append(rules, f.Rule)
			}
		}
		rows[i] = []string{groupName(g.Name), figure.Count(g.Clients), figure.Count(g.Attempts), figure.Percent(g.Share), nonzero(g.Refused), nonzero(g.Levels[2] + g.Levels[3]), scheduleText(g.Schedule), strings.Join(rules, ", ")}
	}
	s.Table(columns, rows, nil)
}

// reading says what was read, what was left out, and what such a log cannot show.
func (s *Sheet) reading(r *report.Report) {
	in := &r.Input
	s.Heading("What was read")
	s.Paragraph("", readSentence(r))
	for _, k := range in.Skipped {
		where := "first at record " + figure.Count(k.FirstRecord)
		if len(in.Sources) > 1 {
			where += " of " + k.Source
		}
		s.paragraph("- ", k.Reason+", "+where+": "+s.shorten(s.clean(k.Sample), 160), yellow)
	}
	for _, w := range r.Warnings {
		s.paragraph("- ", w, yellow)
	}
	if len(r.BlindSpots) > 0 {
		s.Heading("What this log cannot show")
		for _, b := range r.BlindSpots {
			s.Paragraph("- ", b)
		}
	}
}
