// Package jitter looks at the waits between a client's attempts and says which rule made them.
//
// The question behind it: would two such clients, cut off together, come back together? The usual test, the variation of
// the waits (standard deviation by mean below 5 %), cannot answer it, because waits vary along the attempts of every
// client that backs off:
//
//	waits of a client            variation   that test says   a second such client
//	1 s, 2 s, 4 s, 8 s           72 %        jittered         comes back in the same instant, four times
//	30 s ± 8 %, ten times        5 %         not jittered     is 2 s away at first, 7 s after ten
//
// So the waits are compared with laws that could have made them. A law is a ceiling that grows (by a factor, linearly, not
// at all) up to a cap, and a share of it that is drawn:
//
//	wait(k) = u · min(cap, base · m^(k−1)) + error        u ~ U(1 − s, 1), s the spread
//
// with s = 0 for clients in step, about 0.33 for ± 20 %, 0.5 for "equal" and 1 for "full" jitter; decorrelated jitter and a
// constant added part have laws of their own. The error is the way of the packets and the resolution of the stamps (see
// kernel). For every law the likelihood of the waits is found at its best parameters and reduced by what those parameters
// cost (the share of their prior that fits: the Bayesian form of Schwarz 1978); ends of ranges have a closed form, the
// largest and smallest wait in units of the shape, so a fit needs no iteration and no memory.
// Most growths and caps cannot win, and a bound that costs a few comparisons a wait says so before the likelihood is worked
// out (see away and trial); the verdict is the same to the last bit, which tests hold against every candidate in full.
//
// The sum over laws with jitter against the sum over laws without gives the log odds; beyond a limit on either side it is
// a verdict, between them "undecided", which is an answer. Measured (./build.sh bench accuracy: eight families in equal
// parts, bases 0.5–5 s, caps 10–60 s, ± 10 to 50 %, 50 ms to the client):
//
//	waits  stamps        family right  proportional = equal  in step called jittered  jittered called in step
//	5      1 ms          0.73          0.82                  0.05 %                   0.25 %
//	10     1 ms          0.90          0.96                  0                        0.10 %
//	20     1 ms          0.98          0.99                  0                        0.2 %
//	10     1 s           0.85          0.91                  0.03 %                   3.3 %
//	20     1 s           0.96          0.98                  0                        0.2 %
//	10     1 ms, lossy   0.34          0.34                  0                        0.25 %   (0.65 undecided)
//
// What it does not do: name a family where two are the same law (equal jitter is ± 33 % of three quarters), judge a key
// that stands for several clients (see IsGroup), or tell a client's jitter from the network's below some 50 ms.
package jitter
