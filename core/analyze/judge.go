package analyze

import (
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
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
	share *share
	index int // its row in the table
	c     *report.Client
	h     []timeline.Moment
	tr    *timeline.Trace
	v     *jitter.Verdict
	kinds []tallied // the history by kind of event
	list  []finding.Finding

	servedPlaces []bool // see served; nil until asked for
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

func (j *judge) sign(place int) *timeline.Signature { return j.a.table.Signature(&j.h[place]) }

// served reports, for each place of the history, whether the attempt there led to a session that served: one of which it
// is not known that it ended within brief.
func (j *judge) served() []bool {
	if j.servedPlaces != nil {
		return j.servedPlaces
	}
	f := j.share
	f.served = slices.Grow(f.served[:0], len(j.h))[:len(j.h)]
	out := f.served
	clear(out)
	j.servedPlaces = out
	for i := range j.tr.Sessions {
		s := &j.tr.Sessions[i]
		pushed := s.Closed >= 0 && j.sign(s.Closed).ClosedBy == connlog.ByTakeover // it served until another took it over
		if s.Opened >= 0 && (s.Life == connlog.None || s.Life >= brief || pushed) {
			out[s.Opened] = true
		}
	}
	return out
}

// any reports that events of some kind occur in the history.
func (j *judge) any(of func(s *timeline.Signature) bool) bool {
	return slices.ContainsFunc(j.kinds, func(t tallied) bool { return of(t.sign) })
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
