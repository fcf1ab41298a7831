package lint

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/backoff"
	figures "github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// judge holds one subject while the rules look at it.
type judge struct {
	e       *envelope
	p       *backoff.Policy // nil for runs
	runs    *Runs           // nil for a policy
	o       *Options
	subject string
	steady  bool // of runs: the same client was seen not to grow, see steady
	list    []finding.Finding
	folded  bool // a locked rule has fired: what follows from it is not repeated
}

// add notes a finding. The message begins with the rule's title; detail says it in this subject's figures.
func (j *judge) add(id string, severity finding.Severity, detail string, evidence ...finding.Evidence) {
	r, ok := finding.Lookup(id)
	if !ok {
		panic("lint: a rule that the catalogue does not hold: " + id)
	}
	message := r.Title
	if detail != "" {
		message += ": " + detail
	}
	j.list = append(j.list, finding.Finding{Rule: id, Severity: severity, Subject: j.subject, Message: message, Evidence: evidence, Advice: r.Fix})
}

// schedule applies every rule that reads an envelope.
func (j *judge) schedule() {
	if len(j.e.steps) == 0 {
		return
	}
	j.lockedRules()
	j.firstWaveRules()
	j.jitterRules()
	j.growthRules()
}

// wide is how wide a first wave must be to be wide enough in itself: N/C, or 3 s where that is not known.
func (j *judge) wide() float64 {
	if w := j.o.window(); w > 0 {
		return w
	}
	return 3e9
}

func millis(key string, ns float64) finding.Evidence {
	return finding.Evidence{Key: key, Text: span(ns), JSON: jsonwrite.Fixed(nil, ns/1e6, 3)}
}

func figure(key string, v float64) finding.Evidence {
	b := jsonwrite.Fixed(nil, v, 3)
	return finding.Evidence{Key: key, Text: string(b), JSON: b}
}

func count(key string, n int64) finding.Evidence {
	b := jsonwrite.Int(nil, n)
	return finding.Evidence{Key: key, Text: string(b), JSON: b}
}

// span is a duration in ns as people say it, with three digits: "250 ms", "1.5 s", "34 min".
func span(ns float64) string {
	v, unit := ns/1e6, " ms"
	switch {
	case ns >= 1<<63:
		return "292 years"
	case ns >= 2*365*86400e9:
		v, unit = ns/(365*86400e9), " years"
	case ns >= 3*86400e9:
		v, unit = ns/86400e9, " days"
	case ns >= 3*3600e9:
		v, unit = ns/3600e9, " h"
	case ns >= 180e9:
		v, unit = ns/60e9, " min"
	case ns >= 999.5e6:
		v, unit = ns/1e9, " s"
	}
	return digits(v) + unit
}

// digits is v with three digits, no trailing zeros.
func digits(v float64) string { return figures.Decimal(v) }

func percent(share float64) string {
	return strconv.Itoa(int(math.Floor(float64(share*100)+0.5))) + " %"
}

// waits lists the mean waits of the first attempts, "1 s, 2 s, 4 s …".
func (e *envelope) waits(most int) string {
	text := ""
	for i := range e.steps {
		if i == most {
			return text + " …"
		}
		if i > 0 {
			text += ", "
		}
		text += span(e.steps[i].Mean)
	}
	return text
}
