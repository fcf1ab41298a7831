// Package linttest is the Go test kit: it runs a reconnect schedule, or a whole client on a fake clock, many times over and
// fails the test when clients that fall together would come back together.
//
//	func TestReconnect(t *testing.T) {
//		linttest.Schedule(t, func(attempt int) time.Duration {
//			return min(time.Second<<(attempt-1), 30*time.Second)
//		})
//	}
//
//	--- FAIL: TestReconnect
//	    schedule: critical overflow
//	        the wait overflows: attempt 35 gives a negative wait (40.2 years), after an outage of 15 min
//	        to do: limit the exponent before raising to its power, then cap the wait
//	    schedule: high growth-locked
//	        no jitter (growth-locked): every client waits 1 s, 2 s, 4 s, 8 s, 16 s, 30 s …; clients that fall together come back in the same instant, at every attempt
//	        to do: keep the growth and draw each wait from 0 up to the ceiling (full jitter), or at least draw the first one over a wide window
//	    again with linttest.Options{Seed: 1, Runs: 50}; a rule in full: stormlint lint --explain RULE
//
// A client is run in a bubble of testing/synctest, where an hour of outage takes a millisecond, against a network that is
// a script; see Client and Net. The scenarios are the ways in which servers fail: refused, hang, dropped (after a long
// session), open-then-dropped, and failures (2,000 of them).
//
// Too little seen is a failure (not-observed), never a pass: a client that does not dial through the kit's network has
// not been tested. A client that gives up by itself is judged on what it did.
//
// Randomness that comes from the kit (a schedule's second argument, Net.Rand) follows Options.Seed, so that a failure can
// be seen again; a client's own randomness stays its own, and a correct one fails by chance once in a thousand tests at
// most. Importing this package brings nothing but the standard library.
package linttest
