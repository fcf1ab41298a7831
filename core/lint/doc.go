// Package lint judges reconnect schedules: a policy exactly, by its laws, or observed runs of a client by statistics.
//
// The question is always the same: of many clients that lose their connection in one instant, how many come back in one
// instant? So the yardstick is not the variation of one client's waits but, at each attempt k, across clients that start
// together,
//
//	s_k   the spread of the wait: (longest - shortest)/longest. 0 none, 0.33 for ±20 %, 0.5 equal, 1 full jitter
//	A_k   the spread of the arrivals: how far apart the clients come, the sum of all waits up to k
//
//	socket.io-client     k=1   2     3     4     5        phoenix     k=1    2    3    4
//	longest wait, s      1.5   3     5     5     5                    0.01  0.05  0.1  0.15
//	s_k                  0.63  0.63  0.56  0.12  0                    0     0     0    0
//	A_k, s               0.95  2.85  5.65  6.25  6.25                 0     0     0    0
//	share on the cap     0     0     0.4   0.8   1
//
// Both kinds of subject become the same envelope, attempts 1 to 24, and the same rules read it; the rules' words, lessons
// and thresholds are in core/finding. With the number of clients and the server's capacity the thresholds come from
// N/C; without, from defaults that leave good schedules alone.
//
// From K runs the spread is a range, too small by (K-1)/(K+1) on average, which is corrected, and a verdict must be clear
// of its error; an exact test for full jitter (Kolmogorov-Smirnov after dividing by the largest, see Conformity) needs no
// parameters at all. One run says nothing about jitter, and the result says so.
//
// What it does not do: run a client. The kits do (core/linttest, and the npm package), or any test suite that writes its
// delays into a file.
package lint
