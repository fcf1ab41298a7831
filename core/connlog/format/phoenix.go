package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Phoenix reads the log of an Elixir Phoenix endpoint:
//
//	18:43:12.439 [info] CONNECTED TO MyApp.UserSocket in 25µs
//	18:43:13.101 [info] REFUSED CONNECTION TO MyApp.UserSocket in 31µs
//
// Written at the handshake. The stamp is a time of day without a date or a zone; the wrapper's time is better where there
// is one. No address, no close. Transport, serializer and parameters follow on lines of their own; the parameters may
// hold tokens and are never read.
type Phoenix struct{ setup *connlog.Setup }

// Name is "phoenix".
func (f Phoenix) Name() string { return "phoenix" }

// Traits: written at the handshake, nobody's name.
func (f Phoenix) Traits() connlog.Traits {
	return connlog.Traits{Title: "Phoenix log", Written: connlog.AtHandshake, Stamped: connlog.StampEnd, Refusals: true, Resolution: 1e6,
		Blind: []string{"the stamp has no date."}}
}

// Configure keeps the setup.
func (f Phoenix) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Phoenix{s}, noLayout(f, s)
}

var (
	phoenixOK      = []byte("CONNECTED TO ")
	phoenixRefused = []byte("REFUSED CONNECTION TO ")
	phoenixDetail  = []byte("  ")
)

// Match wants one of the two sentences, or Elixir's stamp and level.
func (f Phoenix) Match(rec []byte) int {
	if bytes.Contains(rec, phoenixOK) || bytes.Contains(rec, phoenixRefused) {
		return 96
	}
	if _, n := stamp.OfDay(rec, 0); n > 8 && n+2 < len(rec) && rec[n+1] == '[' {
		return 60
	}
	for _, s := range []string{"  Transport: :", "  Serializer: ", "  Parameters: %{", "  Connect Info: %{"} {
		if bytes.HasPrefix(rec, []byte(s)) {
			return 90
		}
	}
	return 0
}

// Read reads one line.
func (f Phoenix) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	ok := bytes.Contains(rec, phoenixOK) && !bytes.HasPrefix(rec, phoenixDetail)
	if !ok && !bytes.Contains(rec, phoenixRefused) {
		return connlog.Ignored
	}
	at, res := r.Written, r.Resolution
	if at == connlog.None {
		t, n := stamp.ISO(rec)
		if n == 0 {
			t, n = stamp.OfDay(rec, f.setup.Day)
		}
		if n == 0 {
			return connlog.NoTime
		}
		at, res = t.In(f.setup.Zone), t.Resolution
	}
	e := b.Add()
	e.Time, e.Resolution, e.TimeSource, e.Transport = at, res, connlog.PrintedEnd, connlog.WebSocket
	if r.Written != connlog.None {
		e.TimeSource = connlog.FromWrapper
	}
	e.Outcome = connlog.Refused
	if ok {
		e.Outcome = connlog.OK
	}
	return connlog.Used
}
