// Package herd answers: these clients lose this server now; when are they all back, what does it cost, and what should
// they and the server be set to?
//
// A simulation follows every client (up to four million) from its drop to its connection, one event an attempt; a
// recommendation is a policy, a backlog, a timeout and a drain, each tried by simulation before it is given.
//
// # The model
//
// One server with a queue: handshakes take 1/C each, are served in order of arrival, at most B wait; who finds the queue
// full is refused, and a refusal costs the server r handshakes' work. A client waits T for its answer; when it has left,
// the server does its work all the same and nobody is there. Packets take a lognormal round trip, drawn anew at each
// attempt. Around this: outages that refuse or hang, lost SYNs (1, 3, 7 s), descriptors, a token bucket at the door,
// drains, later drops, rolling restarts, work that grows with the house, a machine that takes in only so many attempts a second.
//
//	N/C               the limit: no policy is back sooner
//	U(0, N/C) first   arrivals stay at C: nobody is refused; then exactly N/C again keeps them there
//	rN/(Cτ) ≥ 1       refusing alone uses the capacity up (τ: the mean wait of those who fail): nobody comes back
//	N/(C(T+τ)) ≥ 1    with a backlog of more than T: the server works for clients that have left, for ever
//	⌈(N/C)/Q⌉ waves   of clients in step, each admitting one queue of Q seconds
//
// # What time means
//
// Arrivals of one millisecond meet the server together, in order of their 1/1024 ms; everything a client does is in those
// ticks, the server's work in nanoseconds. Random numbers depend on seed, client and attempt alone (stat.Draw), so no
// order of events can change a result, and the same scenario gives the same bytes everywhere.
//
// # How far common policies are from the limit
//
// C = 1,000/s, T = 5 s, everybody at once; the last client over N/C, as measured here (medians of three seeds
// at 10 s, of ten at 100 s). "dear": a
// refusal costs a tenth of a handshake; "deep": a backlog of 20 s; "outage": 30 s away, then dear. ∞: somebody is out at the
// horizon.
//
//	N/C                       dear 10 s  100 s    deep 10 s  100 s    outage 10 s  100 s
//	fixed:1s                        3.1      ∞          2.2      ∞              –      –
//	exp:1s:30s                     48        ∞          2.0      ∞              –      –
//	prop:1s:120s:1.6:0.2            3.0    3.3          1.9    5.0            4.8    3.0
//	full:1s:30s                     3.6    2.8          1.8      ∞              –      –
//	full:2W:2W                      2.0    2.0          2.0    2.0            2.0    2.0
//	window:W                        1.0    1.0          1.0    1.0            1.0    1.0
//
// # What is proven, what is measured
//
// Proven: no policy is back before N/C. With a first wait uniform over W ≥ N/C and exactly W after refusals, arrivals stay
// uniform whatever the outage, so the last client is back W, two round trips and the queue after the server is.
//
// Tested for equality: the engine against a textbook simulation on container/heap, client by client to the millisecond; a
// run in steps against a run at once; any order within a millisecond.
//
// Measured (go test -long prints the tables, ./build.sh bench herd runs it): the AWS simulator's contention model within 2.4 standard errors in all 60
// cells; all but one of the 182
// published cells of such a table within a tenth. A million clients at N/C = 100 s: 0.2 s of CPU in a window, and 39 times the
// events a second of container/heap natively, 43 in Node, 33 in wazero. The tight advice over C = 10 to 10,000/s, N/C = 1 to
// 100 s, dear, deep, outage and all together: last ≤ 1.25 N/C + a round trip + 10/C, peak ≤ 1.3 C, waste ≤ 0.05. Either
// advice with N/C wrong by two: at most 4.9 N/C (tight, half of what it should be, N/C = 100 s, a deep queue).
//
// Where it does not hold: a second drop during the recovery (2.5 to 3), an outage that hangs (2 to 4.7, because timeouts
// double the window), foreign clients that are refused faster than the server can refuse. The closed form of waves is
// fitted to network noise, that of the queue is up to half too high near a load of 0.95.
//
// Not modelled: several queues, priorities, last in first out, a capacity that falls with overload. SYNs of clients that
// timed out are not withdrawn. Attempts beyond 16,383 repeat random numbers.
package herd
