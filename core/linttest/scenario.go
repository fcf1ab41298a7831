package linttest

import (
	"time"

	"github.com/stormlint/stormlint/core/lint"
)

// fate is what becomes of one connection.
type fate uint8

const (
	refuse fate = iota // an answer, and not an open connection
	hang               // no answer
	serve              // a session of ten minutes
	flap               // an open connection that ends at once
)

const (
	roundTrip   = 20 * time.Millisecond // to an answer
	longSession = 10 * time.Minute      // above any stable time that clients ask for
	patience    = 60 * 24 * time.Hour   // of silence, on the fake clock, until a client counts as at rest
	hangs       = 2 * time.Hour         // until a client that waits for a hung attempt counts as waiting for ever
	failures    = 2000
)

// scenario is one way in which a server fails.
type scenario struct {
	name  string
	fate  func(attempt int) fate // of the connections of a client, counted from 0
	waits int                    // to watch; 0 is Options.Delays
	runs  int                    // clients; 0 is Options.Runs
	quiet time.Duration          // silence that ends it
}

func scenarios() []scenario {
	always := func(f fate) func(int) fate { return func(int) fate { return f } }
	return []scenario{
		{name: lint.Refused, fate: always(refuse), quiet: patience},
		{name: lint.Hang, fate: always(hang), waits: 3, runs: 3, quiet: hangs},
		{name: lint.LongSession, quiet: patience, fate: func(n int) fate {
			if n == 0 {
				return serve
			}
			return refuse
		}},
		{name: lint.Flap, fate: always(flap), quiet: patience},
		{name: lint.Failures, fate: always(refuse), waits: failures, runs: 1, quiet: patience},
	}
}

func scenarioNames() []string {
	var names []string
	for _, s := range scenarios() {
		names = append(names, s.name)
	}
	return names
}
