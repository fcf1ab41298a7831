package analyze

import (
	"cmp"
	"slices"
	"sort"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/fleet"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

const (
	fewestHerd   = 8                 // clients in a wave that is a herd's, not one client's hammering
	fewestDrop   = 10                // sessions that end together
	longestDrop  = 10 * civil.Second // beyond it sessions did not end at one moment
	fewestTested = 20                // attempts below which nothing is said about the fleet
	markReach    = 10 * civil.Minute // how long after a mark a storm is tied to it
	awhile       = 10 * civil.Minute // how long a log must go on for somebody to be missed
)

// together is what the clients did at the same time.
type together struct {
	a            *Analyzer
	counts       [3]fleet.Counts // attempts, opens, closes
	herd         fleet.Herd
	waves, drops []fleet.Wave
	company
	periods  []fleet.Period // of attempts
	endings  []fleet.Period // of closes
	stalls   []fleet.Stall
	capacity float64
}

// company is who took part in the waves and drops.
type company struct {
	waveClients  []int64
	dropClients  []int64
	dropSessions []int64
	dropLost     []int64
	dropBy       [][connlog.ByTakeover + 1]int64
	lives        []fleet.Lifetimes
}

func (t *together) newCompany() company {
	return company{
		waveClients: make([]int64, len(t.waves)), dropClients: make([]int64, len(t.drops)), dropSessions: make([]int64, len(t.drops)),
		dropLost: make([]int64, len(t.drops)), dropBy: make([][connlog.ByTakeover + 1]int64, len(t.drops)), lives: make([]fleet.Lifetimes, len(t.drops)),
	}
}

func (c *company) merge(o *company) {
	for i, n := range o.waveClients {
		c.waveClients[i] += n
	}
	for i := range o.dropClients {
		c.dropClients[i] += o.dropClients[i]
		c.dropSessions[i] += o.dropSessions[i]
		c.dropLost[i] += o.dropLost[i]
		for by, n := range o.dropBy[i] {
			c.dropBy[i][by] += n
		}
		c.lives[i].Merge(o.lives[i])
	}
}

func (t *together) merge(counts *[3]fleet.Counts) {
	for kind := range counts {
		t.counts[kind].Merge(&counts[kind])
	}
}

// find looks for everything that can be seen without knowing who it was.
func (t *together) find() {
	for kind := range t.counts {
		t.a.table.BeyondSeconds(kind, func(from, width int64, n uint32) {
			seconds := uint32(max(width/civil.Second, 1))
			for i := range seconds {
				share := n / seconds
				if i < n%seconds {
					share++
				}
				t.counts[kind].Add(from+int64(i)*civil.Second, share)
			}
		})
	}
	o := fleet.Options{Resolution: t.a.resolution}
	t.herd = fleet.Clumping(&t.counts[attempts], o)
	t.waves = fleet.Waves(&t.counts[attempts], o)
	o.From, o.To = t.a.from, t.a.to
	t.drops = fleet.Waves(&t.counts[closes], o)
	t.periods = fleet.Periodic(&t.counts[attempts], o)
	t.endings = fleet.Periodic(&t.counts[closes], o)
	t.stalls = fleet.Stalls(&t.counts[attempts], &t.counts[opens])
	t.capacity = fleet.CapacitySeen(&t.counts[opens])
	t.company = t.newCompany()
}

// at finds the stretch that an instant lies in, −1 for none.
func at(list []fleet.Wave, t int64) int {
	i := sort.Search(len(list), func(i int) bool { return list[i].To > t })
	if i < len(list) && list[i].From <= t {
		return i
	}
	return -1
}

// client counts one client in the waves and drops it took part in.
func (c *company) client(t *together, h []timeline.Moment, tr *timeline.Trace) {
	if len(t.waves)+len(t.drops) == 0 {
		return
	}
	wave, drop, lastAttempt := -1, -1, int64(report.None)
	for i := range h {
		if t.a.table.Signature(&h[i]).Kind != connlog.Attempt {
			continue
		}
		lastAttempt = h[i].Time
		if w := at(t.waves, h[i].Time); w >= 0 && w != wave {
			c.waveClients[w]++
			wave = w
		}
	}
	for i := range h {
		s := t.a.table.Signature(&h[i])
		if s.Kind != connlog.Close {
			continue
		}
		d := at(t.drops, h[i].Time)
		if d < 0 {
			continue
		}
		c.dropSessions[d]++
		c.dropBy[d][s.ClosedBy]++
		if d != drop {
			drop = d
			c.dropClients[d]++
			if lastAttempt < h[i].Time {
				c.dropLost[d]++
			}
		}
	}
	for i := range tr.Sessions {
		if s := &tr.Sessions[i]; s.Closed >= 0 && s.Life != connlog.None {
			if d := at(t.drops, s.Close); d >= 0 {
				c.lives[d].Add(s.Life)
			}
		}
	}
}

// due reports an instant that belongs to a beat: who comes then comes for the beat's sake.
func due(beats []fleet.Period, at int64) bool {
	return slices.ContainsFunc(beats, func(p fleet.Period) bool {
		phase := (at%p.Length + p.Length - p.Offset) % p.Length
		return phase < p.Width || phase >= p.Length-p.Width/2 || phase < p.Width+p.Width/2
	})
}

// mark is the label of the latest mark shortly before an instant.
func (t *together) mark(at int64) string {
	label := ""
	for _, m := range t.a.options.Marks {
		if m.At <= at && at-m.At <= markReach {
			label = m.Label
		}
	}
	return label
}

// finish puts all of it into the report, with the findings.
func (t *together) finish(r *report.Report) {
	f := &r.Fleet
	for _, s := range t.herd.Scales {
		f.Clumping = append(f.Clumping, report.Clumping{Scale: s.Width, P: s.P, Factor: s.Factor})
	}
	for i, w := range t.waves {
		f.Waves = append(f.Waves, report.Wave{At: w.From, Clients: t.waveClients[i], Attempts: w.Events, Width: w.Width, Peak: w.Peak, Mark: t.mark(w.From)})
	}
	for i, w := range t.drops {
		if t.dropSessions[i] < fewestDrop || w.Width > longestDrop || due(t.endings, w.PeakAt) {
			continue
		}
		d := report.Drop{At: w.From, Clients: t.dropClients[i], Sessions: t.dropSessions[i], Lifetime: report.None, LifetimesCV: -1, Lost: report.None, Mark: t.mark(w.From)}
		most := 0
		for by, n := range t.dropBy[i] {
			if n > t.dropBy[i][most] {
				most = by
			}
		}
		d.ClosedBy = cmp.Or(connlog.Party(most).String(), "unknown")
		if t.lives[i].N() > 1 {
			d.Lifetime, d.LifetimesCV = int64(t.lives[i].Mean()), t.lives[i].CV()
		}
		// A log written at the end of connections does not show who is back and connected.
		if t.a.to-w.To >= awhile && t.a.finished.totals.OpenSessions > 0 {
			d.Lost = t.dropLost[i]
		}
		f.Drops = append(f.Drops, d)
	}
	for _, p := range t.periods {
		f.Periodic = append(f.Periodic, report.Period{Period: p.Length, Offset: p.Offset, Share: p.Share})
	}
	f.CapacitySeen = t.capacity
	r.CloseUp = t.closeUp()
	herds := t.judgeHerd(r)
	t.judgeDrops(r, herds)
	t.judgeBeat(r)
	t.judgeStalls(r)
	switch {
	case len(herds) > 0:
		f.Verdict = "herd"
	case t.counts[attempts].Total() < fewestTested:
		f.Verdict = "undecided"
	default:
		f.Verdict = "calm"
	}
}

// closeUp is the stretch around the tallest wave in finer bins, where the whole log's are too wide to show it.
func (t *together) closeUp() report.Arrivals {
	var none report.Arrivals
	first := -1
	for i := range t.waves {
		if t.waveClients[i] >= fewestHerd && (first < 0 || t.waves[i].Peak > t.waves[first].Peak) {
			first = i
		}
	}
	if first < 0 {
		return none
	}
	last := first
	const near = 5 * civil.Minute
	for first > 0 && t.waves[first].From-t.waves[first-1].To < near {
		first--
	}
	for last+1 < len(t.waves) && t.waves[last+1].From-t.waves[last].To < near {
		last++
	}
	from, to := t.waves[first].From, t.waves[last].To
	for i := range t.drops {
		if d := &t.drops[i]; d.From < from && from-d.From < near {
			from = d.From
		}
	}
	pad := max((to-from)/10, 5*civil.Second)
	from, to = from-pad, to+pad
	if (to-from)*4 > t.a.to-t.a.from {
		return none
	}
	const bins = 400
	start, width, n := report.Bins(from, to, max(civil.Second/2, t.a.resolution, t.counts[attempts].Width(), t.counts[closes].Width()), bins)
	s := &series{}
	s.From, s.Bin = start, width
	s.make(n)
	for kind := range t.counts {
		for i := range n {
			at := start + int64(i)*width
			s.add(kind, at, int64(t.counts[kind].Sum(at, at+width)))
		}
	}
	return s.Arrivals
}

// judgeHerd gives the waves that are a herd's.
func (t *together) judgeHerd(r *report.Report) (herds []int) {
	factor := 0.0
	for _, s := range t.herd.Scales {
		if s.P < 0.001 {
			factor = max(factor, s.Factor)
		}
	}
	if !t.herd.Clumped || factor < 3 {
		return nil
	}
	var tallest, narrowest int
	var events, opened int64
	var most int64
	for i := range t.waves {
		w := &t.waves[i]
		if t.waveClients[i] < fewestHerd || due(t.periods, w.PeakAt) {
			continue
		}
		herds = append(herds, i)
		events += w.Events
		opened += int64(t.counts[opens].Sum(w.From, w.To))
		most = max(most, t.waveClients[i])
		if len(herds) == 1 || w.Peak > t.waves[tallest].Peak {
			tallest = i
		}
		if len(herds) == 1 || w.Width < t.waves[narrowest].Width {
			narrowest = i
		}
	}
	if len(herds) == 0 {
		return nil
	}
	w := &t.waves[tallest]
	severity := finding.High
	if opened*10 >= events*9 {
		severity = finding.Medium // it was taken in whole
	}
	message := "up to " + figure.Several(most, "client") + " came back together"
	if len(herds) > 1 {
		message += ", in " + figure.Several(int64(len(herds)), "wave")
	}
	message += "; the tallest at " + clock(w.PeakAt) + " UTC with " + figure.Count(int64(w.Peak+0.5)) + " attempts a second, most of it within " + figure.Span(float64(w.Width))
	evidence := []finding.Evidence{number("clients", most), number("waves", int64(len(herds))), decimal("peak_per_s", w.Peak), millis("width_ms", float64(w.Width)),
		{Key: "at", JSON: jsonwrite.Time(nil, w.From, 1e6)}, decimal("clumping_factor", factor), {Key: "p", JSON: jsonwrite.Float(nil, report.Rounded(t.herd.P))}}
	if c := t.a.options.Capacity; c > 0 {
		needed := float64(t.waveClients[tallest]) / c * 1e9
		evidence = append(evidence, millis("needed_ms", needed))
		switch {
		case float64(w.Width)*5 < needed || w.Peak > 5*c:
			severity = finding.Critical
			message += ". At " + figure.Count(int64(c)) + " handshakes a second they need " + figure.Span(needed)
		case float64(w.Width) >= needed && w.Peak <= c:
			severity = finding.Low
			message += ": no more than the server can take"
		default:
			message += ". At " + figure.Count(int64(c)) + " handshakes a second they need " + figure.Span(needed)
		}
	}
	if m := t.mark(w.From); m != "" {
		message += "; it followed " + m
	}
	r.Findings = append(r.Findings, finding.Finding{Rule: "herd", Severity: severity, Subject: "fleet", Message: message, Evidence: evidence, Advice: advice("herd")})
	return herds
}

func (t *together) judgeDrops(r *report.Report, herds []int) {
	for i := range r.Fleet.Drops {
		d := &r.Fleet.Drops[i]
		severity := finding.Info
		if slices.ContainsFunc(herds, func(h int) bool { w := &t.waves[h]; return w.To > d.At && w.From-d.At < 5*civil.Minute }) {
			severity = finding.Medium
		}
		message := figure.Several(d.Sessions, "session") + " of " + figure.Several(d.Clients, "client") + " ended at " + clock(d.At) + " UTC"
		if d.ClosedBy != "unknown" {
			message += ", closed by the " + partyWord(d.ClosedBy)
		}
		switch {
		case d.Equal():
			message += "; all had lived " + figure.Span(float64(d.Lifetime)) + ", as after a timeout or an age limit"
		case d.Uneven():
			message += "; they had lived for very different times, so it was an event: a reload, a deploy, a crash or a cut cable"
		}
		if d.Mark != "" {
			message += "; it followed " + d.Mark
		}
		evidence := []finding.Evidence{{Key: "at", JSON: jsonwrite.Time(nil, d.At, 1e6)}, number("sessions", d.Sessions), number("clients", d.Clients)}
		if d.LifetimesCV >= 0 {
			evidence = append(evidence, decimal("lifetimes_cv", d.LifetimesCV))
		}
		r.Findings = append(r.Findings, finding.Finding{Rule: "mass-drop", Severity: severity, Subject: "fleet", Message: message, Evidence: evidence, Advice: advice("mass-drop")})
		if d.Lost != report.None && d.Lost >= 5 && d.Lost*5 >= d.Clients {
			r.Findings = append(r.Findings, finding.Finding{Rule: "never-returns", Severity: finding.Low, Subject: "fleet",
				Message:  figure.Count(d.Lost) + " of the " + figure.Several(d.Clients, "client") + " dropped at " + clock(d.At) + " UTC were not seen again",
				Evidence: []finding.Evidence{number("clients", d.Lost)}, Advice: advice("never-returns")})
		}
	}
}

func (t *together) judgeBeat(r *report.Report) {
	for _, p := range t.periods {
		r.Findings = append(r.Findings, finding.Finding{Rule: "phase-lock", Severity: finding.Medium, Subject: "fleet",
			Message:  figure.Percent(p.Share) + " of all attempts come in the same tenth of every " + figure.Span(float64(p.Length)),
			Evidence: []finding.Evidence{millis("period_ms", float64(p.Length)), millis("offset_ms", float64(p.Offset)), decimal("share", p.Share), number("cycles", int64(p.Cycles)), number("kept", int64(p.Kept))},
			Advice:   advice("phase-lock")})
	}
}

func (t *together) judgeStalls(r *report.Report) {
	for _, s := range t.stalls {
		r.Findings = append(r.Findings, finding.Finding{Rule: "metastable", Severity: finding.Critical, Subject: "fleet",
			Message: "from " + clock(s.From) + " to " + clock(s.To) + " UTC " + figure.Several(s.Attempts, "attempt") + " led to only " + figure.Several(s.Opens, "session") +
				", where " + figure.Count(int64(float64(s.Usual*(float64(s.To-s.From)/1e9))+0.5)) + " are usual",
			Evidence: []finding.Evidence{{Key: "from", JSON: jsonwrite.Time(nil, s.From, 1e9)}, {Key: "to", JSON: jsonwrite.Time(nil, s.To, 1e9)}, number("attempts", s.Attempts), number("opens", s.Opens), decimal("usual_per_s", s.Usual)},
			Advice:   advice("metastable")})
	}
}

// clock spells the time of day of an instant.
func clock(ns int64) string {
	s := civil.AppendRFC3339(nil, ns, civil.Second)
	return string(s[len(s)-9 : len(s)-1])
}

func partyWord(party string) string {
	switch party {
	case "proxy_timeout":
		return "proxy's timeout"
	case "takeover":
		return "next connection of the same identity"
	}
	return party
}
