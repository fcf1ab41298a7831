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
// drains, later drops, rolling restarts, work that grows with the house.
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
// Proven by test: the engine equals a textbook simulation on container/heap, client by client to the millisecond.
// Measured: everything else; the tests name the tables. Not modelled: several queues, priorities, last in first out.
package herd
