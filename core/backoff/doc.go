// Package backoff says how long a client waits before it tries again: every policy, from a hot loop to a window measured
// on the server's capacity, as one law of chance per attempt.
//
// A policy is a growth (how the ceiling c moves with the attempt) and a jitter (where below, around or above c the wait
// falls). With base 1 s, factor 2, cap 30 s, in seconds:
//
//	attempt               1      2      3      4      5      6      7
//	ceiling c             1      2      4      8     16     30     30
//	exp     c             1      2      4      8     16     30     30    every client the same: a herd stays one
//	full    U(0, c)    0..1   0..2   0..4   0..8  0..16  0..30  0..30
//	equal   U(c/2, c) .5..1   1..2   2..4   4..8  8..16 15..30 15..30
//	prop    c(1 ± 0.2) .8..1.2                                24..36    keeps a third of its spread: three waves, not one
//
// A wait is the law's quantile at 64 random bits: Delay(state, u). Hence the same u gives the same wait everywhere, the
// linter can ask a law for its range, its mean and the share that sits on one value without drawing at all, and a
// simulation needs no order of events. Exact for attempts to 2^31-1 and caps to the timers' limit of 2^31-1 ms.
//
// The one written form is the SPEC, "full:1s:30s,attempts=10"; see Parse. Policies of real libraries are data in the
// catalogue: "lib:socket.io-client".
//
// What it does not do: wait, count, draw, or remember; the caller does.
package backoff
