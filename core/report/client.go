package report

import (
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Client is one row of the report.
type Client struct {
	Name       string   // as people know it: an address, a name, an id
	Key        string   // identifies the row: the name, with the user agent where the key is ip+ua
	UserAgents []string // distinct, in the order of their bytes; "" for events without one

	First, Last   int64 // the first and last event; None without one
	Resolution    int64 // of those instants, ns
	Attempts      int64
	Sessions      int64 // accepted, or known by their close
	OpenSessions  int64 // accepted and not seen to close
	Refused       int64
	Aborted       int64
	Closes        int64
	PeakPerMin    int64 // most attempts in any 60 s
	OverThreshold bool  // PeakPerMin reaches the threshold
	MaxParallel   int64 // most sessions open at once
	Beyond        int64 // events beyond those kept: delays and lifetimes leave them out, PeakPerMin is a lower bound

	Lifetimes Spread    // of sessions
	Delays    Spread    // the waits before attempts
	Waits     []Wait    // the first MaxWaits, for a picture
	Schedule  *Schedule // nil where the client never waited
	HasJitter *bool     // nil is undecided
	Risk      int       // place in Levels
	Findings  []finding.Finding
	Group     string // the value it is grouped by
	Probe     bool   // a health check: its findings say so and nothing else
}

// MaxWaits is how many single waits a row carries.
const MaxWaits = 32

// Wait is one wait before an attempt.
type Wait struct {
	Attempt int   // 1 for the first after a session's end or the first failure
	Delay   int64 // ns
}

// Spread describes a set of spans of time; N 0 is an empty set, whose figures are printed as null.
type Spread struct {
	N        int64
	Mean     float64 // ns
	SD       float64 // ns, of the population
	Min, Max int64   // ns
}

// CV is SD over Mean, and false where the mean is not positive.
func (s *Spread) CV() (cv float64, ok bool) {
	if s.N == 0 || s.Mean <= 0 {
		return 0, false
	}
	return s.SD / s.Mean, true
}

// AppendClients appends rows as an array.
func AppendClients(b []byte, rows []Client) []byte {
	b = jsonwrite.Array(b)
	for i := range rows {
		b = rows[i].AppendJSON(b)
	}
	return jsonwrite.End(b, ']')
}

// AppendJSON appends the row as the next value.
func (c *Client) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "client"), c.Name)
	b = jsonwrite.String(jsonwrite.Key(b, "key"), c.Key)
	b = jsonwrite.Strings(jsonwrite.Key(b, "user_agents"), c.UserAgents)
	b = appendInstant(jsonwrite.Key(b, "first"), c.First, c.Resolution)
	b = appendInstant(jsonwrite.Key(b, "last"), c.Last, c.Resolution)
	b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), c.Attempts)
	b = jsonwrite.Int(jsonwrite.Key(b, "sessions"), c.Sessions)
	b = jsonwrite.Int(jsonwrite.Key(b, "open_sessions"), c.OpenSessions)
	b = jsonwrite.Int(jsonwrite.Key(b, "refused"), c.Refused)
	b = jsonwrite.Int(jsonwrite.Key(b, "aborted"), c.Aborted)
	b = jsonwrite.Int(jsonwrite.Key(b, "closes"), c.Closes)
	b = jsonwrite.Int(jsonwrite.Key(b, "peak_per_min"), c.PeakPerMin)
	b = jsonwrite.Bool(jsonwrite.Key(b, "over_threshold"), c.OverThreshold)
	b = jsonwrite.Int(jsonwrite.Key(b, "max_parallel"), c.MaxParallel)
	b = jsonwrite.Int(jsonwrite.Key(b, "events_beyond_limit"), c.Beyond)
	b = c.Lifetimes.appendShort(jsonwrite.Key(b, "lifetimes"))
	b = c.Delays.AppendJSON(jsonwrite.Key(b, "delays"))
	b = jsonwrite.Array(jsonwrite.Key(b, "waits"))
	for _, w := range c.Waits {
		b = jsonwrite.Int(jsonwrite.Key(jsonwrite.Object(b), "attempt"), int64(w.Attempt))
		b = jsonwrite.End(jsonwrite.Millis(jsonwrite.Key(b, "ms"), w.Delay), '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Key(b, "has_jitter")
	if c.HasJitter == nil {
		b = jsonwrite.Null(b)
	} else {
		b = jsonwrite.Bool(b, *c.HasJitter)
	}
	b = jsonwrite.Key(b, "schedule")
	if c.Schedule == nil {
		b = jsonwrite.Null(b)
	} else {
		b = c.Schedule.AppendJSON(b)
	}
	b = jsonwrite.String(jsonwrite.Key(b, "risk_level"), Levels[c.Risk])
	b = appendFindings(jsonwrite.Key(b, "findings"), c.Findings)
	return jsonwrite.End(b, '}')
}

// AppendJSON appends {"n","mean_ms","sd_ms","cv","min_ms","max_ms"}.
func (s *Spread) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "n"), s.N)
	b = s.figure(jsonwrite.Key(b, "mean_ms"), s.Mean)
	b = s.figure(jsonwrite.Key(b, "sd_ms"), s.SD)
	b = s.appendCV(jsonwrite.Key(b, "cv"))
	b = s.bound(jsonwrite.Key(b, "min_ms"), s.Min)
	b = s.bound(jsonwrite.Key(b, "max_ms"), s.Max)
	return jsonwrite.End(b, '}')
}

// appendShort appends {"n","mean_ms","cv"}.
func (s *Spread) appendShort(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "n"), s.N)
	b = s.figure(jsonwrite.Key(b, "mean_ms"), s.Mean)
	b = s.appendCV(jsonwrite.Key(b, "cv"))
	return jsonwrite.End(b, '}')
}

func (s *Spread) figure(b []byte, ns float64) []byte {
	if s.N == 0 {
		return jsonwrite.Null(b)
	}
	return jsonwrite.Fixed(b, ns/1e6, 3)
}

func (s *Spread) bound(b []byte, ns int64) []byte {
	if s.N == 0 {
		return jsonwrite.Null(b)
	}
	return appendSpan(b, ns)
}

func (s *Spread) appendCV(b []byte) []byte {
	if cv, ok := s.CV(); ok {
		return jsonwrite.Fixed(b, cv, 4)
	}
	return jsonwrite.Null(b)
}
