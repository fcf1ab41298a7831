package bucket

import (
	"math"

	"github.com/stormlint/stormlint/core/lapse"
)

// Decision is the answer to one demand.
type Decision struct {
	Allowed    bool           // the tokens were taken
	Remaining  int64          // whole tokens left after the decision
	RetryAfter lapse.Duration // 0 when allowed, else the wait after which the same demand is met if nobody else takes; or Never
	ResetAfter lapse.Duration // until the bucket is full again
}

// Bucket is one bucket: the fleet's, or a server's capacity. It starts full; take its burst at the start to have it
// start empty. The zero Bucket admits nothing. Rule may be changed at any time: a debt stays a debt, but never more than
// that of an empty bucket.
type Bucket struct {
	Rule  Rule
	tat   uint64 // biased, so that 0 is the earliest instant
	clock uint64 // the latest instant told, biased
}

// Take asks for n tokens at an instant; 0 or less looks without taking and is always allowed.
func (b *Bucket) Take(now, n int64) Decision {
	b.clock = max(b.clock, bias(now))
	tat, d := b.Rule.decide(b.tat, b.clock, n)
	b.tat = tat
	return d
}

// bias maps the instants of int64 to uint64 in the same order, after cutting them to the stated range.
func bias(now int64) uint64 {
	return uint64(min(max(now, -latest), latest)) ^ 1<<63
}

// decide is the whole algorithm: the new TAT and the decision. Which way it goes, no predictor can guess, and a wrong guess
// would wait for the table's memory; so the compiler is given conditional moves to make, and the next decision's memory is
// fetched meanwhile.
func (r *Rule) decide(tat, now uint64, n int64) (uint64, Decision) {
	if r.open {
		return tat, Decision{Allowed: true, Remaining: math.MaxInt64}
	}
	if most := now + uint64(r.span); tat > most { // the rule was changed: from here on the debt is an empty bucket's
		tat = most
	}
	debt := int64(tat - now)
	if tat <= now {
		debt = 0
	}
	n = max(n, 0)
	if n > r.burst {
		return tat, Decision{Remaining: r.whole(r.span - debt), RetryAfter: Never, ResetAfter: lapse.Duration(debt)}
	}
	after := debt + n*r.interval
	wait := after - r.span
	allowed := wait <= 0
	if !allowed {
		after = debt
	}
	if wait < 0 {
		wait = 0
	}
	if after > debt {
		tat = now + uint64(after)
	}
	return tat, Decision{Allowed: allowed, Remaining: r.whole(r.span - after), RetryAfter: lapse.Duration(wait), ResetAfter: lapse.Duration(after)}
}

// whole is ns/T rounded down. A 64-bit division costs as much as the rest of a decision, so the quotient is guessed with
// a multiplication and corrected exactly; for bursts beyond the guess's precision it is divided after all.
func (r *Rule) whole(ns int64) int64 {
	if r.burst >= 1<<50 {
		return ns / r.interval
	}
	if ns <= 0 {
		return 0
	}
	q := int64(float64(ns) * r.inverse)
	switch rest := ns - q*r.interval; {
	case rest < 0:
		q--
	case rest >= r.interval:
		q++
	}
	return q
}
