// Package core is the analysis: pure Go over the standard library, without a clock, files, sockets, goroutines or any
// knowledge that it may run inside a WebAssembly module. It has no code of its own; this is the map.
//
// The packages in reading order:
//
//	fault      the one error: code word, place, field, value, what was expected
//	civil      dates and instants as integers
//	jsonwrite  JSON output, spelled the same everywhere
//	figure     figures for people, spelled the same everywhere
//	lapse      a length of time, without package time
//	order      sorting with little code
//	jsonscan   JSON input: the general and the learned-shape lanes
//	stat       the few functions of analysis that must agree on every machine
//	finding    severity, the rule catalogue, a finding
//	address    the client's address in every form, trusted proxies, the /64
//	connlog    logs of WebSocket connections into events; format/ and wrapper/ hold one file a kind, stamp/ the times that
//	           logs print, lax/ the values that --compat accepts
//	timeline   what one client did, in few bytes, merging exactly
//	backoff    reconnect policies: the delay, its quantile and its envelope
//	jitter     which policy made these delays?
//	fleet      do many clients move together?
//	lint       what is wrong with a policy or with observed runs
//	bucket     the token bucket, told the time
//	herd       many clients, one server, a queue of events; the recommender
//	analyze    feed, state, merge, finish: all of the above over a log; compat/ is the original prototype's report
//	report     what an analysis says, as plain structs and JSON
//	render     reports as text, Markdown, HTML
//	linttest   the test kit for Go programs
//
// The rules that make the same input give the same bytes natively, in the sandbox, in Node and in a browser:
//
//  1. Time is an argument, an int64 of nanoseconds since 1970 UTC. Randomness is a function of (seed, client, attempt).
//  2. Nothing printed depends on the order of a map, of goroutines or of the parts of an input; sorts have total orders.
//  3. Sums are integers where they can be. A product that feeds a sum is written float64(a*b)+c, so that no compiler fuses
//     it. From package math come only what is exact everywhere (Sqrt, Floor, Ceil, Trunc, Round, Abs, Min, Max and the
//     bits); the rest is in stat.
//  4. Neither fmt, os, regexp, reflect nor encoding/json: a WebAssembly module is downloaded, and each of them weighs more
//     than the whole analysis.
//
// layers_test.go holds the rules and who may import whom.
package core
