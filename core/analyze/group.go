package analyze

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// fewestGroup is how many waits after failures show what a group does then.
const fewestGroup = 20

// mostGroups is how many groups a report lists, those with the most attempts.
const mostGroups = 50

// group is the value by which a client is grouped: the one that most of its events carry, the smaller text of two.
func (a *Analyzer) group(kinds []tallied) string {
	type counted struct {
		word timeline.Word
		n    int
	}
	var room [8]counted
	list := room[:0]
	for i := range kinds {
		w := kinds[i].sign.UserAgent
		if a.grouped {
			w = kinds[i].sign.Group
		}
		k := slices.IndexFunc(list, func(c counted) bool { return c.word == w })
		if k < 0 {
			list = append(list, counted{w, kinds[i].lines})
		} else {
			list[k].n += kinds[i].lines
		}
	}
	best := ""
	most := 0
	for _, t := range list {
		text := a.table.Text(t.word)
		n := t.n
		if text == "" {
			n = min(n, 1) // closes often lack what attempts carry
		}
		if n > most || n == most && text < best {
			best, most = text, n
		}
	}
	if a.grouped {
		return best
	}
	return product(best)
}

// groups sums clients by version, path, or what else was asked for.
type groups struct {
	a      *Analyzer
	chosen map[string]*group
}

// mostPools is how many groups' waits are pooled as their clients are met; where there are more, the waits of those that
// the report lists are gathered once it is known which these are.
const mostPools = 4 * mostGroups

type group struct {
	report.Group
	sketch     jitter.Sketch
	resolution jitter.Options
	pooled     jitter.Pooled
}

// group counts a client's events in its group.
func (c *counting) group(a *Analyzer, i int, name string, kinds []tallied) {
	if len(kinds) == 0 {
		return
	}
	n := int64(1)
	for j := range kinds {
		n += kinds[j].events
	}
	a.table.Beyond(i, func(_ *timeline.Signature, beyond int64) { n += beyond })
	c.attempts[name] += n
}

// met gives the group that a client's waits are pooled in; nil once there are too many to pool for all.
func (c *counting) met(name string) *group {
	x := c.pools[name]
	switch {
	case x != nil || c.pools == nil:
	case len(c.pools) == mostPools:
		c.pools = nil
	default:
		x = &group{}
		c.pools[name] = x
	}
	return x
}

// choose keeps the groups that the report can list; pooled says that their waits have been gathered.
func (g *groups) choose(shares []*share) (pooled bool) {
	counts := map[string]int64{}
	pooled = true
	for _, h := range shares {
		for name, n := range h.counting.attempts {
			counts[name] += n
		}
		pooled = pooled && h.counting.pools != nil
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	order.By(names, func(x, y string) int { return cmp.Or(-cmp.Compare(counts[x], counts[y]), cmp.Compare(x, y)) })
	g.chosen = map[string]*group{}
	for _, name := range names[:min(len(names), mostGroups)] {
		g.chosen[name] = &group{Group: report.Group{Name: name}}
	}
	if pooled {
		g.gather(shares)
	}
	return pooled
}

// gather takes the pooled waits of the chosen groups from the shares.
func (g *groups) gather(shares []*share) {
	for _, h := range shares {
		for name, p := range h.counting.pools {
			if x := g.chosen[name]; x != nil {
				x.resolution.Resolution = max(x.resolution.Resolution, p.resolution.Resolution)
				x.resolution.Lossy = x.resolution.Lossy || p.resolution.Lossy
				x.sketch.Merge(&p.sketch)
			}
		}
		h.counting.pools = nil
	}
}

// pool adds a client's waits to those of its group, if there is one.
func (x *group) pool(a *Analyzer, key []byte, kinds []tallied, delays []jitter.Delay, o jitter.Options) {
	if x == nil || len(delays) == 0 || !a.options.Probes && a.probe(kinds) {
		return
	}
	x.resolution.Resolution = max(x.resolution.Resolution, o.Resolution)
	x.resolution.Lossy = o.Lossy
	x.sketch.Add(timeline.Hash(key), delays)
}

// probe reports a history in which every named user agent is a monitor's.
func (a *Analyzer) probe(kinds []tallied) bool {
	named := false
	for i := range kinds {
		if ua := a.table.Text(kinds[i].sign.UserAgent); ua != "" {
			if !monitor(ua) {
				return false
			}
			named = true
		}
	}
	return named
}

// verdicts gives the groups' verdicts as far as there are any.
func (g *groups) verdicts() map[string]jitter.Verdict {
	out := map[string]jitter.Verdict{}
	for name, x := range g.chosen {
		if x.sketch.Delays == 0 {
			continue
		}
		x.pooled = x.sketch.Verdict(x.resolution)
		if x.pooled.Kind != jitter.Undecided && x.pooled.Clients >= jitter.FewestPooled {
			out[name] = x.pooled.Verdict
		}
	}
	return out
}

func (g *groups) finish(attempts int64) []report.Group {
	var list []report.Group
	for _, x := range g.chosen {
		if x.Clients == 0 {
			continue
		}
		if attempts > 0 {
			x.Share = float64(x.Attempts) / float64(attempts)
		}
		if x.sketch.Delays > 0 {
			x.Schedule = scheduleOf(&x.pooled.Verdict)
			x.Findings = g.judge(x, &x.pooled)
		}
		list = append(list, x.Group)
	}
	order.By(list, func(x, y report.Group) int {
		return cmp.Or(-cmp.Compare(x.Attempts, y.Attempts), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// judge lints the rule that a group's clients follow, so that a fault has the name here that it has in the linter. Groups
// of fewer than jitter.FewestPooled clients are their clients' matter.
func (g *groups) judge(x *group, p *jitter.Pooled) []finding.Finding {
	if p.Kind == jitter.Undecided || p.Clients < jitter.FewestPooled || p.Retries < fewestGroup {
		return nil
	}
	who := x.Name
	if who == "" {
		who = "clients without a name of their software"
		if g.a.grouped {
			who = "clients outside every group"
		}
	}
	base := []finding.Evidence{number("clients", p.Clients), number("waits", int64(p.N)), {Key: "policy", Text: p.Spec()}, decimal("log_odds", p.LogOdds)}
	var list []finding.Finding
	add := func(rule string, s finding.Severity, message string) {
		list = append(list, finding.Finding{Rule: rule, Severity: s, Subject: who, Message: message, Evidence: base, Advice: advice(rule)})
	}
	policy, err := backoff.Parse(p.Spec())
	if err == nil {
		var result *lint.Result
		if result, err = lint.Policy(policy, who, g.a.lintOptions(p.Clients)); err == nil {
			for _, f := range result.Findings {
				if f.Severity < finding.Medium || f.Rule == "not-observed" {
					continue
				}
				rule, _ := finding.Lookup(f.Rule)
				f.Message = figure.Several(p.Clients, "client") + " as " + p.Spec() + ": " + strings.TrimPrefix(f.Message, rule.Title+": ")
				f.Evidence = append(slices.Clone(base), f.Evidence...)
				list = append(list, f)
			}
		}
	}
	has := func(rule string) bool {
		return slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Rule == rule })
	}
	locked := p.Kind == jitter.Locked
	switch {
	case locked && (p.Family == jitter.Fixed || p.Family == jitter.Immediate):
		if !has("fixed-locked") {
			add("fixed-locked", finding.High, figure.Several(p.Clients, "client")+" wait "+figure.Span(float64(p.Base))+" before every attempt and come back in step")
		}
	case locked:
		if !has("growth-locked") {
			add("growth-locked", finding.High, figure.Several(p.Clients, "client")+" wait longer each time ("+ladder(&p.Verdict)+"), all alike, and come back in step")
		}
	case p.Clamped:
		if !has("clamp-after-jitter") {
			add("clamp-after-jitter", finding.Medium, figure.Several(p.Clients, "client")+" draw their waits, but at the longest ("+figure.Span(float64(p.Cap))+") most are equal")
		}
	case p.DrawnOnce:
		if !has("drawn-once") {
			add("drawn-once", finding.Low, figure.Several(p.Clients, "client")+" differ from each other, but each repeats its own waits")
		}
	}
	finding.Sort(list)
	return list
}

// lintOptions is what is known about the world around a group.
func (a *Analyzer) lintOptions(clients int64) lint.Options {
	o := lint.Options{Budget: a.options.Budget}
	if a.options.Capacity > 0 {
		o.Clients, o.Capacity = clients, a.options.Capacity
	}
	return o
}
