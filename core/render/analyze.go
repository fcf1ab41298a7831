package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/report"
)

// AnalyzeText is a report for a terminal: the story first, then arrivals over time, the clients, and what was read and
// what was not.
func AnalyzeText(r *report.Report, o Options) []byte {
	s := NewSheet(o)
	s.Heading(title(r))
	s.story(r)
	s.arrivals(r)
	s.clients(r)
	s.reading(r)
	return s.Bytes()
}

// title names the inputs and the range of time.
func title(r *report.Report) string {
	var names []string
	for _, in := range r.Input.Sources {
		if in.Name != "" {
			names = append(names, in.Name)
		}
	}
	text := strings.Join(names[:min(len(names), 3)], ", ")
	if len(names) > 3 {
		text += " and " + figure.Several(int64(len(names)-3), "more file")
	}
	if text == "" {
		text = "standard input"
	}
	if r.Input.From != report.None {
		text += ", " + period(r.Input.From, r.Input.To)
	}
	return text
}

// story says in sentences what happened.
func (s *Sheet) story(r *report.Report) {
	t := &r.Totals
	if t.Attempts+t.Closes+t.Nameless == 0 {
		s.Paragraph("", "No attempt at a WebSocket connection and no end of one is in this input.")
		return
	}
	text := figure.Several(t.Clients, "client") + " made " + figure.Several(t.Attempts, "attempt")
	if length := r.Input.To - r.Input.From; length > 0 {
		text += " in " + figure.Span(float64(length))
	}
	var parts []string
	add := func(n int64, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, figure.Count(n)+" "+many)
		}
	}
	add(t.Sessions, "session was seen", "sessions were seen")
	add(t.Refused, "attempt was refused", "attempts were refused")
	add(t.Aborted, "was given up by the client", "were given up by their clients")
	add(t.Closes, "session ended", "sessions ended")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	s.Paragraph("", text+".")
	if at, n, length := busiest(&r.Arrivals); n > 0 {
		s.Paragraph("", "Busiest: "+figure.Several(n, "attempt")+" in the "+figure.Span(float64(length))+" from "+clock(at, length < civil.Second)+" UTC.")
	}
	if t.OverThreshold > 0 {
		s.paragraph("", figure.Several(t.OverThreshold, "client")+" reached the limit of attempts a minute.", red)
	}
}

// busiest is the stretch of at least a second with the most attempts.
func busiest(a *report.Arrivals) (at, n, length int64) {
	if len(a.Attempts) == 0 {
		return 0, 0, 0
	}
	length = max(a.Bin, civil.Second)
	if length%a.Bin != 0 {
		length = a.Bin
	}
	start := a.From - a.From%length
	for i, v := range rebin(a, a.Attempts, start, length) {
		if v > n {
			at, n = start+int64(i)*length, v
		}
	}
	return at, n, length
}

// arrivals draws attempts, opens and closes over time.
func (s *Sheet) arrivals(r *report.Report) {
	a := &r.Arrivals
	if len(a.Attempts) < 2 {
		return
	}
	start, bin := coarser(a, s.width()-18)
	label := 8
	s.Heading("Arrivals, " + figure.Span(float64(bin)) + " a column")
	titles := []string{"attempts", "accepted", "closed"}
	for i, values := range [][]int64{a.Attempts, a.Opens, a.Closes} {
		rows := 1
		if i == 0 {
			rows = 5
		}
		s.Bars(titles[i], rebin(a, values, start, bin), rows, label)
	}
	columns := int((a.From+int64(len(a.Attempts)-1)*a.Bin-start)/bin) + 1
	from, to := clock(start, false), clock(r.Input.To, false)
	if day(start) != day(r.Input.To) {
		from, to = day(start)+" "+from, day(r.Input.To)+" "+to
	}
	s.b = append(s.b, strings.Repeat(" ", label+1)...)
	s.styled(from+strings.Repeat(" ", max(columns-len(from)-len(to), 1))+to, dim)
	s.line()
}

// coarser chooses readable bins of which at most n cover the arrivals: multiples of those there are.
func coarser(a *report.Arrivals, n int) (start, bin int64) {
	last := a.From + int64(len(a.Attempts)-1)*a.Bin
	for least := a.Bin; ; least = bin + 1 {
		if start, bin, _ = report.Bins(a.From, last, least, n); bin%a.Bin == 0 {
			return start, bin
		}
	}
}

// rebin sums an arrivals' counts into wider bins.
func rebin(a *report.Arrivals, values []int64, start, bin int64) []int64 {
	out := make([]int64, (a.From+int64(len(values)-1)*a.Bin-start)/bin+1)
	for i, v := range values {
		out[(a.From+int64(i)*a.Bin-start)/bin] += v
	}
	return out
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
		{Title: "client", Left: true, Min: 15}, {Title: "attempts"}, {Title: "refused"}, {Title: "sessions", Spare: 2}, {Title: "a minute"},
		{Title: "waits", Spare: 3}, {Title: "mean wait", Spare: 1}, {Title: "from", Spare: 4}, {Title: "to", Spare: 4}, {Title: "lived", Spare: 5}, {Title: "user agent", Left: true, Min: 12, Spare: 6},
	}
	rows := make([][]string, n)
	for i := range rows {
		c := &r.Clients[i]
		row := []string{c.Name, figure.Count(c.Attempts), nonzero(c.Refused), nonzero(c.Sessions), nonzero(c.PeakPerMin), nonzero(c.Delays.N), "", "", "", "", agents(c)}
		if c.Delays.N > 0 {
			row[6], row[7], row[8] = figure.Span(c.Delays.Mean), figure.Span(float64(c.Delays.Min)), figure.Span(float64(c.Delays.Max))
		}
		if c.Lifetimes.N > 0 {
			row[9] = figure.Span(c.Lifetimes.Mean)
		}
		rows[i] = row
	}
	s.Table(columns, rows, func(row, column int) style {
		if column == 4 && r.Clients[row].OverThreshold {
			return red
		}
		return plain
	})
}

func agents(c *report.Client) string {
	var list []string
	for _, ua := range c.UserAgents {
		if ua != "" {
			list = append(list, ua)
		}
	}
	if len(list) > 1 {
		return list[0] + " and " + strconv.Itoa(len(list)-1) + " more"
	}
	return strings.Join(list, "")
}

func nonzero(n int64) string {
	if n == 0 {
		return ""
	}
	return figure.Count(n)
}

// reading says what was read, what was left out, and what such a log cannot show.
func (s *Sheet) reading(r *report.Report) {
	in := &r.Input
	s.Heading("What was read")
	text := figure.Several(in.Records, "record") + " as " + strings.Join(in.Formats, ", ") + ": " + figure.Count(in.Used) + " used"
	if in.Ignored > 0 {
		text += ", " + figure.Count(in.Ignored) + " not about WebSockets"
	}
	for _, k := range in.Skipped {
		text += ", " + figure.Count(k.Count) + " skipped (" + k.Reason + ")"
	}
	if r.Totals.Outside > 0 {
		text += "; " + figure.Several(r.Totals.Outside, "event") + " outside the asked-for time"
	}
	if r.Totals.Duplicates > 0 {
		text += "; " + figure.Several(r.Totals.Duplicates, "event") + " told twice and counted once"
	}
	if r.Totals.Nameless > 0 {
		text += "; " + figure.Several(r.Totals.Nameless, "event") + " without a client's name"
	}
	s.Paragraph("", text+".")
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
