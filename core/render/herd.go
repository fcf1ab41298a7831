package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/herd"
	"github.com/stormlint/stormlint/core/lapse"
)

// SimulateText is a study for a terminal: one row a policy, the arrivals of all of them in one chart and each by itself,
// and why clients stay out.
func SimulateText(st *herd.Study, o Options) []byte {
	s := NewSheet(o)
	if len(st.Results) == 0 {
		return s.Bytes()
	}
	first := &st.Results[0]
	s.Heading(figure.Several(int64(first.Clients), "client") + ", at best back in " + figure.Span(float64(st.Limit)))
	for _, n := range st.Notes {
		s.Paragraph("- ", n)
	}
	s.line()
	columns := []Column{{Title: "", Left: true}, {Title: "policy", Left: true, Min: 16}, {Title: "half back", Spare: 3}, {Title: "99 %", Spare: 7}, {Title: "last back"}, {Title: "of best"}, {Title: "out"},
		{Title: "busiest/s", Spare: 1}, {Title: "failed each", Spare: 2}, {Title: "refused", Spare: 5}, {Title: "timed out", Spare: 4}, {Title: "sockets", Spare: 6}}
	var rows [][]string
	for i := range st.Results {
		r := &st.Results[i]
		rows = append(rows, []string{letter(i), r.Policy, came(r.Recovery.P50), came(r.Recovery.P99), came(r.Recovery.Last), ratio(r.Recovery.Last, r.Limit), out(r),
			figure.Count(int64(r.Peak + 0.5)), decimals(r.Waste), figure.Count(r.Refused + r.TurnedAway), figure.Count(r.TimedOut), figure.Count(r.Descriptors)})
	}
	s.Table(columns, rows, func(row, column int) style {
		r := &st.Results[row]
		switch {
		case column == 0:
			return dim
		case r.Recovered < r.Clients && column >= 4 && column <= 6:
			return red
		}
		return plain
	})
	s.overlay(st)
	s.Heading("Each by itself, arrivals per second")
	s.strips(st)
	s.reasons(st)
	s.onPaper(st)
	for i := range st.Results {
		if r := &st.Results[i]; len(r.Groups) > 1 {
			s.Heading("Groups of " + letter(i))
			var rows [][]string
			for _, g := range r.Groups {
				rows = append(rows, []string{g.Name, figure.Count(int64(g.Clients)), came(g.Recovery.P50), came(g.Recovery.Last), left(g.Clients - g.Recovered)})
			}
			s.Table([]Column{{Title: "policy", Left: true, Min: 16}, {Title: "clients"}, {Title: "half back"}, {Title: "last back"}, {Title: "out"}}, rows, nil)
		}
		if r := &st.Results[i]; len(r.Nodes) > 0 {
			text := "Sessions per node at the end (" + letter(i) + "):"
			for _, n := range r.Nodes {
				text += " " + figure.Count(int64(n))
			}
			s.line()
			s.Paragraph("", text)
		}
	}
	return s.Bytes()
}

func letter(i int) string { return string(rune('A' + i%26)) }

// came spells when something came, or that it did not.
func came(d lapse.Duration) string {
	if d == herd.Never {
		return "never"
	}
	return figure.Span(float64(d))
}

func ratio(d, limit lapse.Duration) string {
	if d == herd.Never || limit <= 0 {
		return "-"
	}
	return figure.Decimal(float64(d)/float64(limit)) + "×"
}

func out(r *herd.Result) string { return left(r.Clients - r.Recovered) }

func left(n int) string {
	if n == 0 {
		return "0"
	}
	return figure.Count(int64(n))
}

func decimals(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return "<0.01"
	}
	return figure.Decimal(v)
}

// head is the time that the charts show: the longest beginning of the results, at least 10 s of it if there is as much.
func head(st *herd.Study) (length lapse.Duration) {
	for i := range st.Results {
		h := &st.Results[i].Head
		length = max(length, h.Bin*lapse.Duration(len(h.Arrivals)))
	}
	return length
}

// rates resamples a result's beginning to columns, in arrivals per second: a column shows the busiest bin inside it.
func rates(r *herd.Result, length lapse.Duration, columns int) []float64 {
	list := make([]float64, columns)
	for i, n := range r.Head.Arrivals {
		from := int(lapse.Duration(i) * r.Head.Bin * lapse.Duration(columns) / max(length, 1))
		to := int((lapse.Duration(i+1)*r.Head.Bin*lapse.Duration(columns) - 1) / max(length, 1))
		for c := from; c <= to && c < columns; c++ {
			list[c] = max(list[c], float64(n)/r.Head.Bin.Seconds())
		}
	}
	return list
}

const overlayRows = 12

// overlay draws all policies into one chart with a logarithmic scale: a letter stands at the height of a policy's
// arrivals, * where several meet, and a line marks the capacity.
func (s *Sheet) overlay(st *herd.Study) {
	length := head(st)
	columns := s.width() - 10
	most := 1.0
	series := make([][]float64, len(st.Results))
	for i := range st.Results {
		series[i] = rates(&st.Results[i], length, columns)
		for _, v := range series[i] {
			most = max(most, v)
		}
	}
	first := &st.Results[0]
	capacity := float64(first.Clients) / max(st.Limit.Seconds(), 1e-9)
	decades := 1
	for top := 10.0; top < max(most, capacity); top *= 10 {
		decades++
	}
	row := func(v float64) int { // 0 at the bottom
		if v < 1 {
			return -1
		}
		return min(overlayRows-1, int(log10(v)/float64(decades)*overlayRows))
	}
	grid := make([][]rune, overlayRows)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(" ", columns))
	}
	line := '┄'
	if s.ASCII {
		line = '-'
	}
	at := row(capacity)
	if at >= 0 {
		for x := range grid[at] {
			grid[at][x] = line
		}
	}
	for i, list := range series {
		for x, v := range list {
			y := row(v)
			if y < 0 {
				continue
			}
			switch grid[y][x] {
			case ' ', line:
				grid[y][x] = rune(letter(i)[0])
			default:
				grid[y][x] = '*'
			}
		}
	}
	s.Heading("Arrivals per second")
	s.Paragraph("", "Logarithmic; the line is the capacity, * stands for several policies.")
	for y := overlayRows - 1; y >= 0; y-- {
		label := ""
		for d, v := 0, 1.0; d <= decades; d, v = d+1, v*10 {
			if y == min(overlayRows-1, int(float64(d)/float64(decades)*overlayRows)) && v <= 1e9 {
				label = figure.Count(int64(v))
			}
		}
		if y == at && capacity >= 1 {
			label = "C " + figure.Count(int64(capacity+0.5))
		}
		text := strings.TrimRight(string(grid[y]), " ")
		if label != "" || text != "" {
			s.b = append(s.b, strings.Repeat(" ", max(0, 9-width(label)))...)
		}
		s.styled(label, dim)
		if text != "" {
			s.b = append(s.b, ' ')
			s.b = append(s.b, text...)
		}
		s.line()
	}
	s.axis(length, columns, 10)
}

// axis writes times under a chart, about eight of them.
func (s *Sheet) axis(length lapse.Duration, columns, indent int) {
	step := lapse.Second / 10
	for _, d := range []lapse.Duration{lapse.Second / 5, lapse.Second / 2, lapse.Second, 2 * lapse.Second, 5 * lapse.Second, 10 * lapse.Second, 20 * lapse.Second, 30 * lapse.Second,
		lapse.Minute, 2 * lapse.Minute, 5 * lapse.Minute, 10 * lapse.Minute, 30 * lapse.Minute, lapse.Hour, 6 * lapse.Hour, 24 * lapse.Hour} {
		if length/step > 8 {
			step = d
		}
	}
	text := strings.Repeat(" ", indent)
	for t := lapse.Duration(0); t <= length; t += step {
		label := "0 s"
		if t > 0 {
			label = figure.Span(float64(t))
		}
		x := indent + int(t*lapse.Duration(columns)/max(length, 1))
		if x < width(text) || x+width(label) > indent+columns {
			continue
		}
		text += strings.Repeat(" ", x-width(text)) + label + " "
	}
	s.styled(strings.TrimRight(text, " "), dim)
	s.line()
}

// strips draws one line of blocks a policy, each with its own scale: the shape of its arrivals.
func (s *Sheet) strips(st *herd.Study) {
	length := head(st)
	columns := s.width() - 24
	for i := range st.Results {
		values := make([]int64, columns)
		for x, v := range rates(&st.Results[i], length, columns) {
			values[x] = int64(v + 0.5)
		}
		s.Bars(letter(i), values, 1, 9)
	}
	s.axis(length, columns, 10)
}

// reasons says why clients stay out, and where a run was stopped.
func (s *Sheet) reasons(st *herd.Study) {
	titled := false
	for i := range st.Results {
		r := &st.Results[i]
		text := r.Reason.Text
		switch r.Stopped {
		case "horizon":
			if r.Recovered < r.Clients {
				text = join(text, "stopped at the horizon of "+figure.Span(float64(r.StoppedAt)))
			}
		case "max-events":
			text = join(text, "stopped after "+figure.Count(r.Arrivals)+" attempts, at "+figure.Span(float64(r.StoppedAt)))
		}
		if text == "" {
			continue
		}
		if !titled {
			s.Heading("Why")
			titled = true
		}
		if r.Reason.Code != "" {
			text = r.Reason.Code + ": " + text
		}
		s.Paragraph(letter(i)+" ", text)
	}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// onPaper puts the closed forms beside the simulation.
func (s *Sheet) onPaper(st *herd.Study) {
	titled := false
	for i := range st.Results {
		r := &st.Results[i]
		f := &r.Form
		var parts []string
		if f.Window > 0 {
			parts = append(parts, "the first wait spreads over "+figure.Span(float64(f.Window))+", at least N/C: nobody is refused, the queue stays below "+figure.Count(int64(f.QueueP99+0.5))+" in 99 of 100 cases")
		}
		if f.Waves > 0 {
			parts = append(parts, "in step: "+figure.Several(int64(f.Waves), "wave")+", back after "+figure.Span(float64(f.WavesEnd)))
		}
		switch {
		case f.Collapse >= 1.1:
			parts = append(parts, "refusals alone take "+figure.Decimal(f.Collapse)+" times the capacity (rN/Cτ): nobody comes back")
		case f.Collapse > 0 && f.Collapse < 1 && f.Waves == 0:
			parts = append(parts, "refusals take "+figure.Percent(f.Collapse)+" of the capacity at first (rN/Cτ); with waits of τ = "+figure.Span(float64(f.Tau))+" from the start, back after "+figure.Span(float64(f.CollapseEnd)))
		}
		if f.Stale > 0 {
			parts = append(parts, "the backlog is longer than the timeout, and N/(C(T+τ)) is "+figure.Decimal(f.Stale)+" (at 1 or more the server works for clients that have left)")
		}
		if len(parts) == 0 {
			continue
		}
		if !titled {
			s.Heading("On paper")
			titled = true
		}
		s.Paragraph(letter(i)+" ", strings.Join(parts, "; "))
	}
}

func log10(v float64) float64 {
	d := 0.0
	for v >= 10 {
		v, d = v/10, d+1
	}
	for v < 1 {
		v, d = v*10, d-1
	}
	// Within a decade: squaring gives one binary digit of the logarithm at a time, enough for a place on a page.
	step := 0.5
	for range 20 {
		v *= v
		if v >= 10 {
			v /= 10
			d += step
		}
		step /= 2
	}
	return d
}

// RecommendText is an advice for a terminal.
func RecommendText(a *herd.Advice, o Options) []byte {
	s := NewSheet(o)
	s.Heading("For " + figure.Several(int64(a.Clients), "client") + " and " + rate(a.Capacity) + " handshakes a second (at best back in " + figure.Span(float64(a.Limit)) + ")")
	s.line()
	row := func(name, value, why string) {
		s.b = append(s.b, "  "...)
		s.styled(name+strings.Repeat(" ", max(1, 18-width(name))), dim)
		s.styled(s.clean(value), bold)
		if why != "" {
			s.b = append(s.b, strings.Repeat(" ", max(2, 14-width(value)))...)
			s.b = append(s.b, s.clean(why)...)
		}
		s.line()
	}
	if a.ClientsFixed {
		row("clients' policy", a.Policy, "as it is")
	} else {
		row("clients' policy", a.Policy, "first wait anywhere in "+figure.Span(float64(a.Window))+", after a refusal exactly that again,")
		row("", "", "after a timeout half to all of it, doubling to "+figure.Span(float64(a.Cap)))
	}
	row("connect timeout", figure.Span(float64(a.Timeout)), "of the clients' attempts")
	row("backlog", figure.Count(int64(a.Backlog)), "handshakes may wait: "+figure.Span(float64(a.Backlog)/a.Capacity*1e9)+" of work")
	row("planned restart", figure.Span(float64(a.Drain)), "to close all clients in, "+figure.Count(int64(a.BatchSize))+" every "+figure.Span(float64(a.BatchEvery)))
	row("one node of "+strconv.Itoa(a.Nodes), figure.Span(float64(a.NodeDrain)), "to close its clients in, before the next node begins")
	row("at the door", rate(a.Admission)+"/s", "admissions, "+figure.Count(int64(a.Burst))+" at once")
	row("while it is down", rate(a.DownPerSec)+"/s", "attempts reach the balancer")
	row("a user waits", came(a.WaitMean), "on average; 95 of 100 at most "+came(a.WaitP95))
	row("busiest moment", rate(a.Peak)+"/s", "arrivals, as simulated")
	if len(a.IfWrong) > 0 {
		s.Heading("Tried by simulation")
		var rows [][]string
		for i := range a.IfWrong {
			t := &a.IfWrong[i]
			of := "-"
			if t.Recovered {
				of = figure.Decimal(t.Ratio) + "×"
			}
			rows = append(rows, []string{t.Case, came(t.Last), of, figure.Decimal(max(t.Peak, 0.001)) + "×", decimals(t.Waste)})
		}
		s.Table([]Column{{Title: "case", Left: true, Min: 20}, {Title: "last back"}, {Title: "of its best"}, {Title: "busiest/C"}, {Title: "failed each"}}, rows, func(row, column int) style {
			if !a.IfWrong[row].Recovered && column > 0 {
				return red
			}
			return plain
		})
	}
	if len(a.Warnings) > 0 {
		s.Heading("Mind")
		for _, w := range a.Warnings {
			s.paragraph("- ", w, yellow)
		}
	}
	for i := range a.Snippets {
		n := &a.Snippets[i]
		s.Heading("To paste: " + n.Name)
		for line := range strings.Lines(n.Text) {
			s.b = append(s.b, "    "...)
			s.b = append(s.b, s.clean(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    "))...)
			s.line()
		}
	}
	return s.Bytes()
}

// rate spells a number per second.
func rate(v float64) string {
	if v >= 100 {
		return figure.Count(int64(v + 0.5))
	}
	return decimals(v)
}
