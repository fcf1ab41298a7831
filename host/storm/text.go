package storm

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/render"
)

// Text is the report for a terminal: a sentence, a table of the bursts, and the arrivals of the worst as a picture.
func (r *Report) Text(o render.Options) []byte {
	s := render.NewSheet(o)
	s.Heading(figure.Several(int64(r.Clients), "client") + ", " + r.Policy + r.Program)
	if r.Policy == "immediate:10ms" {
		s.Paragraph("", "immediate:10ms is the anti-pattern: a client that comes back at once, again and again. --policy takes another.")
	}
	if r.Stopped != "" {
		s.Paragraph("", "Stopped early ("+r.Stopped+") after "+span(r.Took)+"; what follows is what ran.")
	}
	if r.Held > 0 {
		s.Paragraph("", count(r.Held)+" attempts were held back by the limit on the rate: the limit was measured, not the policy alone.")
	}
	if r.GaveUp > 0 {
		s.Paragraph("", count(r.GaveUp)+" clients gave up, as their policy says.")
	}
	for _, n := range r.Notes {
		s.Paragraph("- ", n)
	}
	if len(r.Bursts) == 0 {
		return s.Bytes()
	}
	rows := [][]string{}
	worst := 0
	for i := range r.Bursts {
		b := &r.Bursts[i]
		if b.Last > r.Bursts[worst].Last {
			worst = i
		}
		kinds := ""
		for n, k := range b.Kinds() {
			if n > 0 {
				kinds += ", "
			}
			kinds += count(b.Errors[k]) + " × " + string(k)
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), count(b.Dropped), count(b.Dropped - b.Back), span(b.P50), span(b.P99), span(b.Last),
			count(int(b.Peak + 0.5)), strconv.FormatFloat(b.Waste, 'f', 2, 64), kinds})
	}
	s.Heading("Bursts")
	columns := []render.Column{{Title: "burst"}, {Title: "dropped"}, {Title: "out"}, {Title: "half back", Spare: 2},
		{Title: "99 % back"}, {Title: "last back"}, {Title: "busiest/s"}, {Title: "failed each", Spare: 1}, {Title: "failures", Left: true}}
	failures := len(columns) - 1
	var below []string // why attempts failed, where the page is too narrow: a kind is never cut
	if !s.Fits(columns, rows) {
		for i, row := range rows {
			if row[failures] != "" {
				below = append(below, "failures of burst "+row[0]+": "+row[failures])
			}
			rows[i] = row[:failures]
		}
		columns = columns[:failures]
	}
	s.Table(columns, rows, nil)
	for _, text := range below {
		s.Paragraph("- ", text)
	}
	b := &r.Bursts[worst]
	values, width := binned(b.Arrivals, min(90, s.Room(label)))
	title := "Arrivals after burst " + strconv.Itoa(worst+1) + ", " + span(width) + " a column"
	s.Heading(title)
	s.Bars("attempts", values, 6, label)
	if r.Lint == nil {
		return s.Bytes()
	}
	return append(append(s.Bytes(), '\n'), render.LintText(r.Lint, o)...)
}

// label is how wide what stands beside the picture is.
const label = 8

// binned sums neighbouring bins until at most so many columns are left, and says how wide one is.
func binned(counts []int, most int) (values []int64, width time.Duration) {
	step := max(1, (len(counts)+most-1)/most)
	for i := 0; i < len(counts); i += step {
		sum := 0
		for _, n := range counts[i:min(i+step, len(counts))] {
			sum += n
		}
		values = append(values, int64(sum))
	}
	return values, time.Duration(step) * BinWidth
}

// span is measured to the millisecond; finer figures would be the scheduler's.
func span(d time.Duration) string {
	if d == Never {
		return "never"
	}
	if d = d.Round(time.Millisecond); d == 0 {
		return "0"
	}
	return figure.Span(float64(d))
}

func count(n int) string { return figure.Count(int64(n)) }
