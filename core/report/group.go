package report

import (
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Group is the clients that share a version, a path, or whatever --group-by asks for.
type Group struct {
	Name     string // "" for clients without one, which are a group too
	Clients  int64
	Attempts int64
	Share    float64 // of all attempts
	Refused  int64
	Sessions int64
	Levels   [4]int64 // clients at LOW, MEDIUM, HIGH, CRITICAL
	Schedule *Schedule
	Findings []finding.Finding
}

// AppendJSON appends the group as the next value.
func (g *Group) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "group"), g.Name)
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), g.Clients)
	b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), g.Attempts)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "share"), g.Share, 4)
	b = jsonwrite.Int(jsonwrite.Key(b, "refused"), g.Refused)
	b = jsonwrite.Int(jsonwrite.Key(b, "sessions"), g.Sessions)
	b = jsonwrite.Object(jsonwrite.Key(b, "clients_by_risk"))
	for i, n := range g.Levels {
		b = jsonwrite.Int(jsonwrite.Key(b, Levels[i]), n)
	}
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Key(b, "schedule")
	if g.Schedule != nil {
		b = g.Schedule.AppendJSON(b)
	} else {
		b = jsonwrite.Null(b)
	}
	b = appendFindings(jsonwrite.Key(b, "findings"), g.Findings)
	return jsonwrite.End(b, '}')
}

// Levels are the words of risk_level, mildest first.
var Levels = [4]string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}

// Level is the place in Levels that a severity leads to.
func Level(s finding.Severity) int { return max(int(s)-int(finding.Low), 0) }

func appendFindings(b []byte, list []finding.Finding) []byte {
	b = jsonwrite.Array(b)
	for i := range list {
		b = list[i].AppendJSON(b)
	}
	return jsonwrite.End(b, ']')
}
