// Package report is what an analysis says: plain structs, and their JSON in one fixed spelling.
//
// A report is read by people through core/render and by programs as JSON (schema "stormlint/report/1"): snake_case names,
// instants in RFC 3339 UTC with as many decimals as the log's stamps carry, spans of time in milliseconds (_ms), null
// where the log cannot tell. Names are never renamed, only added. The JSON is written here alone, append by append and
// without reflection, so that the command line, the sandbox, Node and the browser print the same bytes.
//
//	input        what was read: every record is used, ignored (not about WebSockets) or skipped under a reason
//	blind_spots  what such a log cannot show, so that silence is not taken for health
//	clients      the gravest first; the rest comes page by page
//	groups       the same by version, path or host
//	fleet        what many did together: waves, mass drops, beats
//	arrivals     attempts, opens and closes over time, in at most MaxBins bins
//	findings     verdicts about all of it, each with evidence and advice
//	warnings     doubts about the figures themselves
//	totals       sums over all clients, not only those listed
//
// What a verdict has not been reached about is absent, not empty.
package report

import (
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Schema is the name and version of the JSON form.
const Schema = "stormlint/report/1"

// None is an instant or a span of time that is not known; it is printed as null.
const None = -1 << 63

// Report is the whole of an analysis. Instants are ns since 1970 UTC, spans are ns.
type Report struct {
	Input      Input
	BlindSpots []string // whole sentences
	Clients    []Client // the first of Totals.Clients, in the order asked for
	Groups     []Group  // most attempts first
	Fleet      Fleet
	Arrivals   Arrivals
	CloseUp    Arrivals // around the tallest wave, in finer bins; without bins where Arrivals shows enough
	Lifetimes  Lifetimes
	Marks      []Mark            // in order of time
	Findings   []finding.Finding // about the fleet and its groups, and the clients' most frequent ones summed up; gravest first
	Warnings   []string          // whole sentences
	Totals     Totals
}

// AppendJSON appends the report as one JSON object without a line end.
func (r *Report) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "schema"), Schema)
	b = r.Input.AppendJSON(jsonwrite.Key(b, "input"))
	b = jsonwrite.Strings(jsonwrite.Key(b, "blind_spots"), r.BlindSpots)
	b = AppendClients(jsonwrite.Key(b, "clients"), r.Clients)
	b = jsonwrite.Array(jsonwrite.Key(b, "groups"))
	for i := range r.Groups {
		b = r.Groups[i].AppendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	b = r.Fleet.AppendJSON(jsonwrite.Key(b, "fleet"))
	b = r.Arrivals.AppendJSON(jsonwrite.Key(b, "arrivals"))
	b = jsonwrite.Key(b, "close_up")
	if len(r.CloseUp.Attempts) > 0 {
		b = r.CloseUp.AppendJSON(b)
	} else {
		b = jsonwrite.Null(b)
	}
	b = r.Lifetimes.AppendJSON(jsonwrite.Key(b, "lifetimes"))
	b = jsonwrite.Array(jsonwrite.Key(b, "marks"))
	for _, m := range r.Marks {
		b = jsonwrite.Object(b)
		b = jsonwrite.Time(jsonwrite.Key(b, "at"), m.At, 0)
		b = jsonwrite.String(jsonwrite.Key(b, "label"), m.Label)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = appendFindings(jsonwrite.Key(b, "findings"), r.Findings)
	b = jsonwrite.Strings(jsonwrite.Key(b, "warnings"), r.Warnings)
	b = r.Totals.AppendJSON(jsonwrite.Key(b, "totals"))
	return jsonwrite.End(b, '}')
}

// Mark is an instant that the operator named: a deploy, a restart.
type Mark struct {
	At    int64 // ns since 1970 UTC
	Label string
}

// Totals are sums over all clients.
type Totals struct {
	Clients       int64 // distinct keys
	Attempts      int64
	Sessions      int64 // accepted, or known by their close
	OpenSessions  int64 // accepted and not seen to close
	Refused       int64 // the server said no, later, or nothing sensible
	Aborted       int64 // the client went away first
	Closes        int64
	OverThreshold int64    // clients whose peak reaches the threshold
	Levels        [4]int64 // clients by risk, in the order of Levels
	Duplicates    int64    // events told twice and counted once
	Outside       int64    // events outside the asked-for range, not counted
	Nameless      int64    // events whose client the log does not name; they count in Arrivals only
}

// AppendJSON appends the totals as the next value.
func (t *Totals) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), t.Clients)
	b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), t.Attempts)
	b = jsonwrite.Int(jsonwrite.Key(b, "sessions"), t.Sessions)
	b = jsonwrite.Int(jsonwrite.Key(b, "open_sessions"), t.OpenSessions)
	b = jsonwrite.Int(jsonwrite.Key(b, "refused"), t.Refused)
	b = jsonwrite.Int(jsonwrite.Key(b, "aborted"), t.Aborted)
	b = jsonwrite.Int(jsonwrite.Key(b, "closes"), t.Closes)
	b = jsonwrite.Int(jsonwrite.Key(b, "over_threshold"), t.OverThreshold)
	b = jsonwrite.Object(jsonwrite.Key(b, "clients_by_risk"))
	for i, n := range t.Levels {
		b = jsonwrite.Int(jsonwrite.Key(b, Levels[i]), n)
	}
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Int(jsonwrite.Key(b, "duplicates"), t.Duplicates)
	b = jsonwrite.Int(jsonwrite.Key(b, "outside_range"), t.Outside)
	b = jsonwrite.Int(jsonwrite.Key(b, "nameless"), t.Nameless)
	return jsonwrite.End(b, '}')
}

// appendInstant appends an instant, or null for None.
func appendInstant(b []byte, ns, resolution int64) []byte {
	if ns == None {
		return jsonwrite.Null(b)
	}
	return jsonwrite.Time(b, ns, resolution)
}

// appendSpan appends a span in ms, or null for None.
func appendSpan(b []byte, ns int64) []byte {
	if ns == None {
		return jsonwrite.Null(b)
	}
	return jsonwrite.Millis(b, ns)
}
