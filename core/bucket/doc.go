// Package bucket answers one question: may this client come in now, and if not, when?
//
// The answer is the token bucket in its leanest form, the Generic Cell Rate Algorithm (ITU-T I.371, 1993): the whole
// state of a bucket is one instant, the theoretical arrival time (TAT) at which it will be full again. With T the time
// that one token takes to grow and B the burst:
//
//	debt    = max(TAT − now, 0)       how long until the bucket is full
//	allowed = debt + n·T ≤ B·T        n tokens are there
//	TAT     = now + debt + n·T        only when allowed
//
// Two tokens a second, five at once (T = 500 ms, B·T = 2.5 s), a client that tries ten times a second:
//
//	at          0.0  0.1  0.2  0.3  0.4  0.5  0.6  0.7  0.8  0.9  1.0
//	debt before  0   0.4  0.8  1.2  1.6  2.0  2.4  2.3  2.2  2.1  2.0
//	answer      yes  yes  yes  yes  yes  yes  no   no   no   no   yes
//
// The two add up: within one second 5 + 2 come in. Where a number must hold for every second (what a backend can bear),
// AtMost makes the limit.
//
// # Time
//
// Nothing here reads a clock: the instant is an argument, in nanoseconds since any fixed moment (1970, the start of the
// process, the start of a simulation), within ±2^62 (146 years either way; beyond that it is taken as the end of the
// range). A bucket's time never runs back: told an earlier instant than before, it stands still, gives what it holds and
// grows nothing until the time passes the latest instant told. So a clock that jumps to and fro cannot mint tokens:
// whatever it is told, a bucket gives at most B + (latest − earliest)·rate. A host should tell a monotonic clock;
// with a wall clock set back by an hour nothing would grow for an hour.
//
// # Exactness
//
// Arithmetic is in whole nanoseconds. T is 1 s / rate rounded up, so no limit is ever exceeded; the rate obtained is
// within one part in 10^9/rate of the one asked for: 2 a second is exact, 1,000 a second to a millionth, and no rate
// above 10^9 a second is told from another, but +Inf is no limit at all.
//
// # Very many clients
//
// A Table holds the buckets of very many keys in bounded memory: sets of eight slots of 16 bytes (the key's 64-bit hash,
// its TAT), three slots a key that is expected to be live. A slot whose TAT has passed equals an absent key, so reusing
// it forgets nothing. When all eight are live, a newcomer starts with the smallest TAT of its set and, if admitted,
// takes that slot over: the rule of Space-Saving (Metwally, Agrawal, El Abbadi, 2005). Every key that was ever pushed out
// owed at most that much, so nobody gains tokens by eviction, and a crowded table errs in one direction only: it may
// refuse a newcomer that an unbounded table would have let in, and never the reverse.
//
// Note: two other rules were tried. Giving a newcomer a full burst admitted 11 % too many at a million keys in 131,072
// slots; charging it to one shared overflow bucket still let a forgotten key come back with a full burst. Least recently
// used is worse than both: whoever cycles keys pushes out the honest and gets fresh bursts. A count-min sketch of TATs
// refused 22 % wrongly where this table refuses few.
//
// # What it does not do
//
// A bucket for each client does not stop a herd in which every client tries once; the fleet's bucket beside them does
// (Door). No goroutine, no lock: whoever shares a bucket between threads guards it with a mutex, a decision is short.
package bucket
