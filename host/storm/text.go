package storm

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/render"
)

// Text is the report for a terminal: a sentence, a table of the bursts, and the arrivals of the worst as a picture.
func (r *Report) Text(o render.Options) []byte {
	s := render.NewSheet(o)
	s.Heading(strconv.Itoa(r.Clients) + " clients, " + r.Policy)
	if r.Policy == "immediate:10ms" {
		s.Paragraph("", "immediate:10ms is the anti-pattern: a client that comes back at once, again and again. --policy takes another.")
	}
	if r.Stopped != "" {
		s.Paragraph("", "Stopped early ("+r.Stopped+") after "+r.Took.Round(100*time.Millisecond).String()+"; what follows is what ran.")
	}
	if r.Held > 0 {
		s.Paragraph("", strconv.Itoa(r.Held)+" attempts were held back by the limit on the rate: the limit was measured, not the policy alone.")
	}
	if r.GaveUp > 0 {
		s.Paragraph("", strconv.Itoa(r.GaveUp)+" clients gave up, as their policy says.")
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
			kinds += string(k) + " " + strconv.Itoa(b.Errors[k])
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(b.Dropped), strconv.Itoa(b.Dropped - b.Back), span(b.P50), span(b.P99), span(b.Last),
			strconv.FormatFloat(b.Peak, 'f', 0, 64), strconv.FormatFloat(b.Waste, 'f', 2, 64), kinds})
	}
	s.Heading("Bursts")
	s.Table([]render.Column{{Title: "burst"}, {Title: "dropped"}, {Title: "out"}, {Title: "half back"},
		{Title: "99 % back"}, {Title: "last back"}, {Title: "busiest/s"}, {Title: "failed each"}, {Title: "failures", Left: true, Min: 12}}, rows, nil)
	b := &r.Bursts[worst]
	values, width := binned(b.Arrivals, 90)
	title := "Arrivals after burst " + strconv.Itoa(worst+1) + ", " + span(width) + " a column"
	s.Heading(title)
	s.Bars("attempts", values, 6, 8)
	return s.Bytes()
}

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

func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
