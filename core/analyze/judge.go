package analyze

import (
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// What the rules of a client ask for; the reasons stand in the catalogue.
const (
	brief         = 5 * civil.Second // a session that lived less served nobody
	fewestFlaps   = 5
	fewestFinal   = 5
	fewestLater   = 5
	fewestDuels   = 3
	fewestCycles  = 4
	fewestLinks   = 6
	fewestRetries = 5  // waits after a failure; those after a session are a user's choice too
	clearOdds     = 5  // ln of the odds from which a client is said to be in step
	fewestSure    = 10 // waits from which a schedule's fault counts in full
)

// judge is one client under the rules: what is known of it, and what was found.
type judge struct {
	a     *Analyzer
	index int // its row in the table
	c     *report.Client
	h     []timeline.Moment
	tr    *timeline.Trace
	v     *jitter.Verdict
	list  []finding.Finding
}

// client applies every rule. A health check gets that one finding.
func (j *judge) client() {
	if j.probe() && !j.a.options.Probes {
		j.c.Probe = true
		return
	}
	j.hammering()
	j.waits()
	j.flapping()
	j.refused()
	j.duel()
	j.hint()
	j.parallel()
	j.budget()
	j.cycle()
	j.link()
	finding.Sort(j.list)
}

// add appends a finding about the client, with the catalogue's advice.
func (j *judge) add(rule string, s finding.Severity, message string, places []int, evidence ...finding.Evidence) {
	j.list = append(j.list, finding.Finding{
		Rule: rule, Severity: s, Subject: j.c.Key, Message: message,
		Evidence: append(evidence, j.a.records(j.h, places)), Advice: advice(rule),
	})
}

func advice(rule string) string {
	r, _ := finding.Lookup(rule)
	return r.Fix
}

// shown is how many records a finding names.
const shown = 5

// records names the lines that show something: "access.log:12", counted as records of their source.
func (a *Analyzer) records(h []timeline.Moment, places []int) finding.Evidence {
	b := jsonwrite.Array(nil)
	for i, p := range places {
		if i == shown {
			break
		}
		name, record := a.where(&h[p])
		b = jsonwrite.String(b, name+":"+strconv.FormatInt(record, 10))
	}
	return finding.Evidence{Key: "records", JSON: jsonwrite.End(b, ']')}
}

func number(key string, n int64) finding.Evidence {
	return finding.Evidence{Key: key, JSON: jsonwrite.Int(nil, n)}
}

func millis(key string, ns float64) finding.Evidence {
	return finding.Evidence{Key: key, JSON: jsonwrite.Fixed(nil, ns/1e6, 3)}
}

func decimal(key string, v float64) finding.Evidence {
	return finding.Evidence{Key: key, JSON: jsonwrite.Fixed(nil, v, 3)}
}

// probe recognises a health check by its name or its ways.
func (j *judge) probe() bool {
	named := len(j.c.UserAgents) > 0
	for _, ua := range j.c.UserAgents {
		named = named && monitor(ua)
	}
	if !named && !j.even() {
		return false
	}
	j.add("probe", finding.Info, figure.Several(j.c.Attempts, "attempt")+" of a health check", nil)
	return true
}

// even reports ten attempts or more at even intervals, all accepted and left within 2 s.
func (j *judge) even() bool {
	tr := j.tr
	if len(tr.Sessions) < 10 || j.c.Attempts != int64(len(tr.Sessions)) || tr.MostOpen > 1 {
		return false
	}
	gaps := make([]int64, 0, len(tr.Sessions))
	for i := range tr.Sessions {
		s := &tr.Sessions[i]
		if s.Open == connlog.None || s.Life == connlog.None || s.Life >= 2*civil.Second || s.Closed < 0 || j.sign(s.Closed).ClosedBy == connlog.ByServer {
			return false
		}
		if i > 0 {
			gaps = append(gaps, s.Open-tr.Sessions[i-1].Open)
		}
	}
	m := median(gaps)
	if m < brief {
		return false
	}
	near := 0
	for _, g := range gaps {
		if g > m-m/10 && g < m+m/10 {
			near++
		}
	}
	return near*10 >= len(gaps)*9
}

func (j *judge) sign(place int) *timeline.Signature { return j.a.table.Signature(&j.h[place]) }

// served reports, for each place of the history, whether the attempt there led to a session that served: one of which it
// is not known that it ended within brief.
func (j *judge) served() []bool {
	out := make([]bool, len(j.h))
	for i := range j.tr.Sessions {
		s := &j.tr.Sessions[i]
		pushed := s.Closed >= 0 && j.sign(s.Closed).ClosedBy == connlog.ByTakeover // it served until another took it over
		if s.Opened >= 0 && (s.Life == connlog.None || s.Life >= brief || pushed) {
			out[s.Opened] = true
		}
	}
	return out
}

// hammering judges the pace of attempts that served nobody.
func (j *judge) hammering() {
	served := j.served()
	var futile []timeline.Moment
	var places []int
	for i := range j.h {
		if j.sign(i).Kind == connlog.Attempt && !served[i] {
			futile = append(futile, j.h[i])
			places = append(places, i)
		}
	}
	lines := int64(max(1, j.tr.MostOpen))
	pace := j.a.table.Peak(futile, civil.Minute)
	if float64(pace)*2 > float64(j.c.PeakPerMin) { // mostly futile: what was not kept was so too
		pace = max(pace, j.a.beyondPeak(j.index, j.h))
	}
	pace /= lines
	waits := make([]int64, 0, len(j.tr.Waits))
	for i := range j.tr.Waits {
		w := &j.tr.Waits[i]
		pushed := w.Since >= 0 && j.sign(w.Since).ClosedBy == connlog.ByTakeover // the other device's moment, not a wait
		if w.Blur < civil.Second && !pushed {
			waits = append(waits, w.Delay)
		}
	}
	severity, limit := finding.Info, j.a.options.Threshold
	switch {
	case len(waits) >= 20 && len(futile) >= 20 && median(waits) < 100*civil.Millisecond:
		severity = finding.Critical
	case pace >= 4*limit:
		severity = finding.High
	case pace >= limit:
		severity = finding.Medium
	default:
		return
	}
	message := "made up to " + figure.Several(pace, "attempt") + " in 60 s that led to no session"
	if lines > 1 {
		message += ", for each of up to " + figure.Count(lines) + " connections that it holds"
	}
	evidence := []finding.Evidence{number("attempts_per_min", pace)}
	if len(waits) > 0 {
		message += "; half of its waits are under " + figure.Span(float64(median(waits)))
		evidence = append(evidence, millis("median_wait_ms", float64(median(waits))))
	}
	j.add("hammering", severity, message, places, evidence...)
}

// waits judges the schedule. Waits that were each followed by a session are healthy whatever their rule: only a client
// that had to try again has a schedule that matters.
func (j *judge) waits() {
	v := j.v
	var places []int
	for i := range j.tr.Waits {
		if w := &j.tr.Waits[i]; w.Nth >= 2 {
			places = append(places, w.Attempt)
		}
	}
	if v.Kind == jitter.Undecided || v.Group || len(places) < fewestRetries {
		return
	}
	// A log has thousands of clients: one in a thousand called locked by mistake would be there every day.
	sure := finding.Medium
	if v.N >= fewestSure && len(places) >= 8 && v.LogOdds < -2*clearOdds {
		sure = finding.High
	}
	evidence := []finding.Evidence{number("waits", int64(v.N)), {Key: "policy", Text: v.Spec()}, decimal("log_odds", v.LogOdds)}
	switch {
	case v.Kind == jitter.Locked && v.LogOdds > -clearOdds:
	case v.Kind == jitter.Locked && (v.Family == jitter.Fixed || v.Family == jitter.Immediate):
		how := "waits " + figure.Span(float64(v.Base)) + " before every attempt"
		if v.Family == jitter.Immediate {
			how = "does not wait before an attempt"
		}
		j.add("fixed-locked", sure, how+": all such clients come back in step", places, evidence...)
	case v.Kind == jitter.Locked:
		j.add("growth-locked", sure, "waits longer each time ("+ladder(v)+") but never differently: all such clients come back in step", places, evidence...)
	case v.Clamped && len(places) >= fewestSure:
		j.add("clamp-after-jitter", finding.Medium, "draws its waits, but most of those at the longest ("+figure.Span(float64(v.Cap))+") are equal", places, evidence...)
	case v.Family == jitter.Proportional && v.Spread > 0 && (v.Spread < 0.3 && len(places) >= fewestSure || v.Spread < 0.4 && len(places) >= 2*fewestSure):
		j.add("weak-jitter", finding.Medium, "its waits differ by only "+figure.Percent(v.Spread)+" at one attempt", places, append(evidence, decimal("spread", v.Spread))...)
	}
}

// ladder spells the beginning of a growing schedule.
func ladder(v *jitter.Verdict) string {
	text := ""
	wait := float64(v.Base)
	for k := range 4 {
		if k > 0 {
			text += ", "
		}
		w := wait
		if v.Cap > 0 {
			w = min(w, float64(v.Cap))
		}
		text += figure.Span(w)
		if v.Family == jitter.Linear || v.Multiplier <= 1 {
			wait += float64(v.Base)
		} else {
			wait = float64(wait * v.Multiplier)
		}
	}
	return text + " …"
}

// flapping finds sessions that end as soon as they begin.
func (j *judge) flapping() {
	known, flaps := 0, 0
	var places []int
	byClient := 0
	for i := range j.tr.Sessions {
		s := &j.tr.Sessions[i]
		if s.Life == connlog.None {
			continue
		}
		known++
		if s.Life < brief {
			flaps++
			if s.Closed >= 0 {
				places = append(places, s.Closed)
				if j.sign(s.Closed).ClosedBy == connlog.ByClient {
					byClient++
				}
			}
		}
	}
	if flaps < fewestFlaps || flaps*2 < known {
		return
	}
	var first []int64
	var blur int64
	for i := range j.tr.Waits {
		w := &j.tr.Waits[i]
		if w.Nth == 1 && w.Since >= 0 && j.sign(w.Since).Kind == connlog.Close {
			first = append(first, w.Delay)
			blur = max(blur, w.Blur/2)
		}
	}
	severity, message := finding.Medium, "accepted and closed again within "+figure.Span(float64(brief))+", "+figure.Several(int64(flaps), "time")
	evidence := []finding.Evidence{number("short_sessions", int64(flaps))}
	if len(first) > 0 {
		m := median(first)
		if m < blur {
			message += "; it comes back within " + figure.Span(float64(blur))
		} else {
			message += "; it comes back after " + figure.Span(float64(m))
		}
		evidence = append(evidence, millis("median_wait_ms", float64(m)))
		if m < civil.Second {
			severity = finding.High
		}
	}
	if byClient*2 > flaps {
		message += "; it closes itself"
		severity = min(severity, finding.Medium)
	}
	j.add("flapping", severity, message, places, evidence...)
}

// refused finds a row of refusals that cannot change.
func (j *judge) refused() {
	var row, longest []int
	served := j.served()
	for i := range j.h {
		s := j.sign(i)
		switch {
		case j.a.protocol.of(s.Kind, s.Outcome, s.Status, s.CloseCode) == final:
			row = append(row, i)
			if len(row) > len(longest) {
				longest = append(longest[:0], row...)
			}
		case s.Kind == connlog.Attempt && s.Outcome == connlog.OK && served[i]:
			row = row[:0]
		}
	}
	if len(longest) < fewestFinal {
		return
	}
	moments := make([]timeline.Moment, len(longest))
	for i, p := range longest {
		moments[i] = j.h[p]
		moments[i].Count = 1
	}
	pace := perMinute(moments)
	severity := finding.Medium
	if pace >= 10 {
		severity = finding.High
	}
	s := j.sign(longest[0])
	what := "close code " + strconv.Itoa(int(s.CloseCode))
	if s.Kind == connlog.Attempt && s.Status != 0 {
		what = "status " + strconv.Itoa(int(s.Status))
	}
	j.add("refused-forever", severity, "was told no for good ("+what+") and tried again, "+figure.Several(int64(len(longest)), "time")+" in a row", longest,
		number("refusals", int64(len(longest))), number("attempts_per_min", pace))
}

// perMinute is the most of some moments in any 60 s.
func perMinute(list []timeline.Moment) int64 {
	most, from := 0, 0
	for i := range list {
		for uint64(list[i].Time)-uint64(list[from].Time) >= uint64(civil.Minute) {
			from++
		}
		most = max(most, i-from+1)
	}
	return int64(most)
}

// duel finds takeovers, each answered by another.
func (j *judge) duel() {
	var places []int
	var moments []timeline.Moment
	for i := range j.h {
		if s := j.sign(i); s.Kind == connlog.Close && s.ClosedBy == connlog.ByTakeover {
			places = append(places, i)
			moments = append(moments, j.h[i])
		}
	}
	if len(places) < fewestDuels {
		return
	}
	severity := finding.Medium
	if perMinute(moments) > 1 {
		severity = finding.High
	}
	j.add("identity-duel", severity, "was pushed out by another connection of the same identity, "+figure.Several(int64(len(places)), "time"), places, number("takeovers", int64(len(places))))
}

// hint finds waits under a second after being told to come later.
func (j *judge) hint() {
	var waits []int64
	var places []int
	for i := range j.tr.Waits {
		w := &j.tr.Waits[i]
		if w.Since < 0 {
			continue
		}
		s := j.sign(w.Since)
		if j.a.protocol.of(s.Kind, s.Outcome, s.Status, s.CloseCode) == later {
			waits = append(waits, w.Delay)
			places = append(places, w.Attempt)
		}
	}
	if len(waits) < fewestLater || median(waits) >= civil.Second {
		return
	}
	j.add("hint-ignored", finding.Medium, "was told to come later and came back after "+figure.Span(float64(median(waits)))+", "+figure.Several(int64(len(waits)), "time"), places,
		number("answers", int64(len(waits))), millis("median_wait_ms", float64(median(waits))))
}

// parallel finds several connections of one key. Behind an address they may be several people; of one identity they are
// several loops.
func (j *judge) parallel() {
	if j.tr.Parallel < 3 || j.tr.MostOpen < 2 && j.c.Refused == 0 {
		return
	}
	severity, whose := finding.Low, "behind this address"
	if j.a.options.Key == ByConn || j.a.options.Key == ByClient {
		severity, whose = finding.Medium, "of this identity"
	}
	message := figure.Several(int64(j.tr.Parallel), "attempt") + " beside an open or running one " + whose
	if j.tr.MostOpen > 1 {
		message += ", up to " + figure.Count(int64(j.tr.MostOpen)) + " sessions at once"
	}
	j.add("parallel-loops", severity, message+": several tabs, loops, devices or people", nil,
		number("attempts", int64(j.tr.Parallel)), number("sessions_at_once", int64(j.tr.MostOpen)))
}

// budget compares any 24 hours with what a client may do a day.
func (j *judge) budget() {
	if j.a.options.Budget <= 0 {
		return
	}
	if n := j.a.table.Peak(j.h, civil.Day); n > j.a.options.Budget {
		j.add("budget-exceeded", finding.High, "made "+figure.Several(n, "attempt")+" in 24 hours, more than the "+figure.Count(j.a.options.Budget)+" allowed", nil,
			number("attempts_per_day", n), number("budget", j.a.options.Budget))
	}
}

// cycle finds sessions of equal length.
func (j *judge) cycle() {
	l := &j.c.Lifetimes
	if cv, ok := l.CV(); !ok || l.N < fewestCycles || cv > 0.1 || l.Mean < 10e9 {
		return
	}
	j.add("regular-cycle", finding.Info, figure.Several(l.N, "session")+" lived "+figure.Span(l.Mean)+" each: a timeout or an age limit ends them", nil,
		number("sessions", l.N), millis("lifetime_ms", l.Mean))
}

// link finds sessions of all lengths that break.
func (j *judge) link() {
	l := &j.c.Lifetimes
	if cv, ok := l.CV(); !ok || l.N < fewestLinks || cv < 1.0/3 || l.Mean < float64(brief) || l.Mean > 600e9 || j.tr.MostOpen > 1 {
		return
	}
	broken := 0
	for i := range j.tr.Sessions {
		if c := j.tr.Sessions[i].Closed; c >= 0 {
			if s := j.sign(c); s.ClosedBy == connlog.ByServer || s.ClosedBy == connlog.ByTakeover || s.CloseCode == 1000 {
				continue
			}
			broken++
		}
	}
	if broken*2 < len(j.tr.Sessions) {
		return
	}
	j.add("unstable-link", finding.Low, figure.Several(l.N, "session")+" broke after "+figure.Span(float64(l.Min))+" to "+figure.Span(float64(l.Max)), nil,
		number("sessions", l.N), millis("lifetime_ms", l.Mean))
}

// median is the middle of a list, which it sorts; 0 of none.
func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// risk is the level that the gravest finding leads to.
func risk(list []finding.Finding) int {
	level := 0
	for i := range list {
		level = max(level, report.Level(list[i].Severity))
	}
	return level
}
