// Package fleet answers one question about many clients at once: do they move together?
//
// It needs no identities, only instants. A storm is visible in how often something happens, whatever each client's own
// schedule looks like: a client with perfect jitter still belongs to a herd when ten thousand of them were cut off in the
// same second. Everything here is computed from Counts, a histogram of instants in bins of an eighth of a second that
// merges exactly: any split of a log, merged in any order, gives the same bytes.
//
//	Clumping     is the traffic more clumped than chance, at scales from 0.125 s to 4 s? A test with a stated error rate
//	Waves        when did they come back together, how many, how wide, how many in the busiest second
//	Drops        when did many sessions end at one instant
//	Lifetimes    of the sessions that ended in a drop: equal (a timeout or an age limit) or unequal (a reload)
//	Periodic     is everybody due at one phase of a period, although nobody misbehaves
//	CapacitySeen the most successes a second that were sustained: a lower bound of the server's capacity
//
// The clumping test compares neighbours: of four adjacent bins the outer two against the inner two,
//
//	d = n1 − n2 − n3 + n4        N = n1 + n2 + n3 + n4
//
// which is zero on average under any rate that changes linearly, so the daily swing of real traffic does not disturb it
// (the plain variance-to-mean test, measured, raises a false alarm in 76 of 100 quiet but swinging logs). Given N, d²/N
// has mean 1 and variance 2(1 − 1/N) when events are independent; the sum over blocks is referred to a scaled χ² with the
// same two moments. This is the Allan variance (D. W. Allan, 1966) of counts, or a Haar wavelet variance.
//
// How much more clumped is the factor Σd²/ΣN: 1 by chance, about the number of clients for a herd without jitter.
//
// What it does not do: name clients, or tell a storm from a queue of people at nine o'clock. Load that really is due at
// full seconds or minutes (cron) is clumped, and is said to be.
package fleet
