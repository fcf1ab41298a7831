package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// title names the inputs and the range of time.
func title(r *report.Report) string {
	var names []string
	for _, in := range r.Input.Sources {
		if in.Name != "" && in.ToldBy == "" {
			names = append(names, in.Name)
		}
	}
	text := strings.Join(names[:min(len(names), 3)], ", ")
	if len(names) > 3 {
		text += " and " + figure.Several(int64(len(names)-3), "more file")
	}
	if text == "" || text == "-" {
		text = "standard input"
	}
	if r.Input.From != report.None {
		text += ", " + period(r.Input.From, r.Input.To)
	}
	return text
}

// story says in sentences what happened, the gravest first: what all did together, then how much there was of it.
func story(r *report.Report) []string {
	t := &r.Totals
	if t.Attempts+t.Closes+t.Nameless == 0 && t.Outside > 0 {
		return []string{"Nothing in this input lies in the time asked for; " + figure.Several(t.Outside, "event") + " outside of it."}
	}
	if t.Attempts+t.Closes+t.Nameless == 0 {
		none := []string{"No attempt at a WebSocket connection and no end of one is in this input."}
		if len(r.Input.Formats) == 1 && r.Input.Formats[0] == "json" {
			none = append(none, "If its records tell of some under other names, say which: --map time=ts,client=peer,event=kind.")
		}
		return none
	}
	var out []string
	for _, rule := range [...]string{"metastable", "herd", "mass-drop", "phase-lock"} {
		var same []*finding.Finding
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Rule == rule && f.Subject == "fleet" {
				same = append(same, f)
			}
		}
		if len(same) > 0 {
			text := sentence(same[0].Message)
			if len(same) > 1 {
				text += " This happened " + figure.Several(int64(len(same)), "time") + "."
			}
			out = append(out, text)
		}
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		if worst(g.Findings) >= finding.High && g.Clients > 1 {
			out = append(out, groupName(g.Name)+" ("+figure.Several(g.Clients, "client")+", "+figure.Percent(g.Share)+" of the attempts) comes back in step or too soon: "+g.Findings[0].Rule+".")
			break
		}
	}
	if n := t.Levels[2] + t.Levels[3]; n > 0 {
		out = append(out, "Of "+figure.Several(t.Clients, "client")+" "+isAre(n)+" a danger to the service alone.")
	}
	out = append(out, amounts(r))
	if at, n, length := busiest(&r.Arrivals); n > 0 {
		text := "Busiest: " + figure.Several(n, "attempt") + " in the " + figure.Span(float64(length)) + " from " + clock(at, length < civil.Second) + " UTC"
		if c := r.Fleet.CapacitySeen; c > 0 {
			text += "; the most that was accepted and kept up is " + figure.Decimal(c) + " a second"
		}
		out = append(out, text+".")
	}
	if len(r.Findings) == 0 && t.Clients > 0 {
		out = append(out, "Nothing was found that needs a change.")
	}
	return out
}

// amounts is how much of everything there was.
func amounts(r *report.Report) string {
	t := &r.Totals
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
	return text + "."
}

func isAre(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return figure.Count(n) + " are"
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if c := text[0]; c >= 'a' && c <= 'z' {
		text = string(c-'a'+'A') + text[1:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func worst(list []finding.Finding) finding.Severity {
	s := finding.Info
	for i := range list {
		s = max(s, list[i].Severity)
	}
	return s
}

func groupName(name string) string {
	if name == "" {
		return "(none named)"
	}
	return name
}

// ruleTitle is a rule in plain words, with its id.
func ruleTitle(id string) string {
	r, ok := finding.Lookup(id)
	switch {
	case !ok:
		return id
	case strings.Contains(r.Title, "("):
		return r.Title // tells itself what it is
	}
	return r.Title + " (" + id + ")"
}

// actions lists what to change, once each, the gravest first.
func actions(r *report.Report, most int) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity < finding.Medium || f.Advice == "" {
			continue
		}
		text := sentence(f.Advice)
		known := false
		for _, o := range out {
			known = known || o == text
		}
		if !known {
			out = append(out, text)
		}
		if len(out) == most {
			break
		}
	}
	return out
}

// scheduleText says in few words how a client waits: "in step, 1 s doubling to 30 s".
func scheduleText(s *report.Schedule) string {
	if s == nil {
		return ""
	}
	switch s.Verdict {
	case "locked":
		return strings.TrimSuffix("in step, "+s.Policy, ", ")
	case "jittered":
		return "spread, " + s.Policy
	}
	return ""
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

// ends spells the beginning of a chart and its end, or that of the log where it is earlier.
func ends(a *report.Arrivals, start, end int64) (from, to string) {
	end = min(end, a.From+int64(len(a.Attempts))*a.Bin)
	from, to = clock(start, false), clock(end, false)
	if day(start) != day(end) {
		from, to = day(start)+" "+from, day(end)+" "+to
	}
	return from, to
}

// readSentence says what became of the records.
func readSentence(r *report.Report) string {
	in := &r.Input
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
	return text + "."
}

func nonzero(n int64) string {
	if n == 0 {
		return ""
	}
	return figure.Count(n)
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
