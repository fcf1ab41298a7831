package render

import (
	"strings"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// AnalyzeMarkdown is a report for the incident document: what happened, what set it off, who was dropped and by whom, the
// waves, peak against capacity, when it was over, three groups, what to do and what the log cannot show, in at most 40
// lines. Clients appear as client-001 unless Options.Addresses is set.
func AnalyzeMarkdown(r *report.Report, o Options) []byte {
	var b []byte
	line := func(text string) { b = append(append(b, text...), '\n') }
	who := newNames(r, o.Addresses)
	line("## WebSocket reconnects: " + mark(title(r)))
	line("")
	line(mark(strings.Join(story(r), " ")))
	line("")
	rows := incident(r)
	if len(rows) > 0 {
		line("| | |")
		line("|---|---|")
		for _, row := range rows {
			line("| " + mark(row[0]) + " | " + mark(row[1]) + " |")
		}
		line("")
	}
	if n := min(len(r.Groups), 3); n > 0 {
		line("| group | clients | attempts | refused | at risk | waits |")
		line("|---|--:|--:|--:|--:|---|")
		for i := range r.Groups[:n] {
			g := &r.Groups[i]
			line("| " + mark(groupName(g.Name)) + " | " + figure.Count(g.Clients) + " | " + figure.Count(g.Attempts) + " (" + figure.Percent(g.Share) + ") | " +
				figure.Count(g.Refused) + " | " + figure.Count(g.Levels[2]+g.Levels[3]) + " | " + mark(scheduleText(g.Schedule)) + " |")
		}
		line("")
	}
	shown := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity < finding.Medium || f.Subject == "fleet" {
			continue
		}
		if shown == 4 {
			break
		}
		shown++
		line("- **" + f.Severity.String() + "** " + mark(who.subject(f, r)+": "+sentence(f.Message)))
	}
	if list := actions(r, 4); len(list) > 0 {
		line("")
		line("**To do**")
		line("")
		for _, text := range list {
			line("- [ ] " + mark(text))
		}
	}
	var doubts []string
	doubts = append(doubts, r.Warnings...)
	doubts = append(doubts, r.BlindSpots...)
	if len(doubts) > 0 {
		line("")
		line("**Not known**: " + mark(strings.Join(doubts[:min(len(doubts), 5)], " ")))
	}
	line("")
	line("_" + mark(readSentence(r)+foot(o)) + "_")
	return b
}

// foot is how a page was made, as far as it was told.
func foot(o Options) string {
	if o.Made == "" {
		return ""
	}
	return " " + o.Made
}

// incident is the table of an incident: a word and what is known about it.
func incident(r *report.Report) (rows [][2]string) {
	f := &r.Fleet
	row := func(word, text string) { rows = append(rows, [2]string{word, text}) }
	for i, m := range r.Marks {
		if i == 4 {
			break
		}
		row("marked", m.Label+", "+clock(m.At, false)+" UTC")
	}
	if len(f.Drops) > 0 {
		d := &f.Drops[0]
		for i := range f.Drops {
			if f.Drops[i].Sessions > d.Sessions {
				d = &f.Drops[i]
			}
		}
		text := figure.Several(d.Sessions, "session") + " of " + figure.Several(d.Clients, "client") + " at " + clock(d.At, true) + " UTC"
		if len(f.Drops) > 1 {
			text += ", the largest of " + figure.Count(int64(len(f.Drops)))
		}
		row("dropped together", text)
		by := "closed by: " + strings.ReplaceAll(d.ClosedBy, "_", " ")
		switch {
		case d.Equal():
			by += "; all had lived " + figure.Span(float64(d.Lifetime)) + ", as after a timeout or an age limit"
		case d.Uneven():
			by += "; they had lived for different times: an event, such as a reload or a cut"
		}
		row("trigger", by)
		if d.Lost != report.None {
			row("did not return", figure.Several(d.Lost, "client"))
		}
	}
	var waves []string
	for i := range f.Waves {
		w := &f.Waves[i]
		if i == 4 {
			waves = append(waves, "and "+figure.Count(int64(len(f.Waves)-4))+" more")
			break
		}
		waves = append(waves, clock(w.At, false)+" "+figure.Several(w.Attempts, "attempt")+" of "+figure.Several(w.Clients, "client")+" within "+figure.Span(float64(w.Width)))
	}
	if len(waves) > 0 {
		row("waves", strings.Join(waves, "; "))
		peak, last := 0.0, f.Waves[len(f.Waves)-1]
		for i := range f.Waves {
			peak = max(peak, f.Waves[i].Peak)
		}
		text := figure.Decimal(peak) + " attempts in the busiest second"
		if f.CapacitySeen > 0 {
			text += "; " + figure.Decimal(f.CapacitySeen) + " a second were accepted over ten seconds"
		}
		row("peak", text)
		row("last wave", clock(last.At+last.Width, false)+" UTC")
	} else if at, n, length := busiest(&r.Arrivals); n > 0 {
		row("busiest", figure.Several(n, "attempt")+" in the "+figure.Span(float64(length))+" from "+clock(at, length < civil.Second)+" UTC")
	}
	return rows
}

// mark makes text safe in Markdown: no control characters, no markup of a log's making, no new lines.
func mark(text string) string {
	text = clean(text, false)
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '|', '#', '!', '~', '$', '@', '&':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
