package bucket

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

// Never is the wait of a demand that no patience satisfies: more tokens than the burst.
const Never = lapse.Duration(math.MaxInt64)

// latest is the end of the range of instants, and of what a full bucket may take to grow.
const latest int64 = 1 << 62

// Limit is what an operator says. The zero Limit is refused by Compile.
type Limit struct {
	Rate  float64 // tokens a second, above 0; +Inf is no limit, whatever the burst
	Burst int64   // tokens that may be taken at once, at least 0; 0 admits nothing at all
}

// AtMost is the limit that never admits more than a number in any second, its burst counted in: a burst of B at once and
// C − B + 1 a second grow back. In GCRA the first and the last of n admissions lie (n − B)·T apart or more, so within any
// second, its end left out, there are at most B − 1 + ⌈1 s/T⌉, which is C (rounded up to a whole number). A burst of 0 is
// a tenth of the number, at least 1. For a number below 1 the burst is 1, and the second the one in which one token grows.
//
// The burst has a price: what is left after it is the rate that is sustained, nine tenths of C by default. Without any, a
// server that stalls for a moment would lose the tokens of that moment.
func AtMost(perSecond float64, burst int64) (Limit, error) {
	if !(perSecond > 0) || perSecond > 1e15 {
		return Limit{}, fault.Value("bucket", "rate", strconv.FormatFloat(perSecond, 'g', -1, 64), "a number above 0, to 1e+15 (in any second)")
	}
	most := int64(math.Ceil(perSecond))
	if burst == 0 {
		burst = max(1, most/10)
	}
	if burst < 0 || burst > most {
		return Limit{}, fault.Value("bucket", "burst", strconv.FormatInt(burst, 10), "from 1 to "+strconv.FormatInt(most, 10)+
			", the rate: it is the most in any second, the burst counted in; or 0 for a tenth of that")
	}
	return Limit{Rate: min(perSecond, float64(most-burst+1)), Burst: burst}, nil
}

// Rule is a compiled Limit. The zero Rule admits nothing.
type Rule struct {
	interval int64 // T: ns for one token; 0 with open
	burst    int64
	span     int64   // burst·T: ns for all of them
	inverse  float64 // 1/T: a first guess of quotients, corrected in integers
	open     bool    // no limit
}

// Compile checks a limit and makes it ready for decisions. It refuses a rate that is not a number, zero or negative, a
// negative burst, and a burst that would take more than 146 years to grow.
func (l Limit) Compile() (Rule, error) {
	if !(l.Rate > 0) {
		return Rule{}, fault.Value("bucket", "rate", strconv.FormatFloat(l.Rate, 'g', -1, 64), "a number above 0 (tokens a second)")
	}
	if l.Burst < 0 {
		return Rule{}, fault.Value("bucket", "burst", strconv.FormatInt(l.Burst, 10), "a whole number of 0 or more (tokens)")
	}
	if l.Rate > math.MaxFloat64 {
		return Rule{open: true, burst: math.MaxInt64}, nil
	}
	slow := fault.Value("bucket", "rate", strconv.FormatFloat(l.Rate, 'g', -1, 64),
		"fast enough that the burst of "+strconv.FormatInt(l.Burst, 10)+" grows in less than 146 years")
	t := float64(1e9) / l.Rate
	if t >= float64(latest) {
		return Rule{}, slow
	}
	interval := nanoseconds(l.Rate)
	if hi, lo := bits.Mul64(uint64(interval), uint64(l.Burst)); hi != 0 || lo >= uint64(latest) {
		return Rule{}, slow
	}
	return Rule{interval: interval, burst: l.Burst, span: interval * l.Burst, inverse: 1 / float64(interval)}, nil
}

// nanoseconds is 10^9/rate rounded up, exactly: a rate is m·2^exp, and a quotient of floats could fall below it. The
// quotient is known to be less than 2^62.
func nanoseconds(rate float64) int64 {
	b := math.Float64bits(rate)
	exp, m := int(b>>52)-1075, b&(1<<52-1)|1<<52
	if exp >= 0 {
		return 1
	}
	const second = 1_000_000_000
	hi, lo := uint64(second)>>max(64+exp, 0), uint64(second)<<min(-exp, 64)
	if exp < -64 {
		hi <<= -exp - 64
	}
	q, rest := bits.Div64(hi, lo, m)
	if rest > 0 {
		q++
	}
	return int64(q)
}

// Limit gives back what was compiled; the rate is the one obtained, at most the one asked for.
func (r Rule) Limit() Limit {
	if r.open {
		return Limit{Rate: math.Inf(1), Burst: r.burst}
	}
	if r.interval == 0 {
		return Limit{}
	}
	return Limit{Rate: 1e9 / float64(r.interval), Burst: r.burst}
}

// Interval is the time that one token takes to grow; 0 without limit and for the zero Rule.
func (r Rule) Interval() lapse.Duration { return lapse.Duration(r.interval) }

// Span is the time that a whole burst takes to grow; 0 without limit and for a burst of 0.
func (r Rule) Span() lapse.Duration { return lapse.Duration(r.span) }
