package backoff

import "github.com/stormlint/stormlint/core/lapse"

// Growth is how the ceiling moves with the attempt; each has a file with its formula.
type Growth string

// Jitter is where the wait falls relative to the ceiling; each has a file with its formula.
type Jitter string

// Policy is the rule that makes schedules. The zero value is not a policy; Validate says what is missing. Durations are
// from 0 to 100 days, in ns.
type Policy struct {
	Growth Growth
	Jitter Jitter           // "" is none
	Base   lapse.Duration   // the first ceiling; the window's width
	Cap    lapse.Duration   // 0 is none: an exponential then grows for ever
	Factor float64          // of an exponential, at least 1; 0 is 2, and 3 for decorrelated
	Spread float64          // of proportional jitter, 0 to 1: 0.2 is ±20 %
	Extra  Range            // of additive jitter: what is added; its low end may be negative
	Table  []lapse.Duration // of a list: the waits, the last one for ever

	Attempts  int            // how many attempts are made before giving up; 0 is no end
	First     *Range         // the wait before attempt 1, ahead of the schedule, which then begins at attempt 2; nil is none
	Floor     lapse.Duration // a lower end; 0 is none
	FloorEdge Edge           // how Floor applies: "" the range is cut, Add, After
	CapEdge   Edge           // how Cap applies: "" before the jitter, After, Both, Exact
	Sign      Sign           // of proportional jitter: "" both sides, Plus, Minus, Comb
	DrawnOnce bool           // one random number for a whole schedule instead of one an attempt: see DrawAttempt
	Step      lapse.Duration // waits are cut to whole multiples of it; 0 is none
	Reset     Reset          // when the attempt count starts again; "" is unknown and not judged
	Stable    lapse.Duration // of ResetStable: how long a connection must have lasted

	Breaks int     // the first attempt at which the implementation's arithmetic fails and it stops waiting; 0 is never
	Broken float64 // the share of waits that are 0 from then on; 0 is all
}

// Range is a span of waits, uniformly drawn; Low = High is a constant.
type Range struct{ Low, High lapse.Duration }

// Edge is how a bound meets the jitter.
type Edge string

// A bound cuts the range before the draw unless one of these says otherwise.
const (
	After Edge = "after" // the drawn wait is clamped: whatever falls outside sits exactly on the bound
	Both  Edge = "both"  // the ceiling is cut, and the drawn wait clamped as well
	Exact Edge = "exact" // no jitter any more once the ceiling has reached the cap
	Add   Edge = "add"   // the floor is added to the drawn wait
)

// Sign is the side of proportional jitter.
type Sign string

// Proportional jitter lies on both sides of the ceiling unless one of these says otherwise.
const (
	Plus  Sign = "+"    // only above
	Minus Sign = "-"    // only below
	Comb  Sign = "comb" // Socket.IO's: the random number's first decimal digit is also the sign, even below and odd above
)

// Reset is the event that starts the attempt count again.
type Reset string

// The reset rules; unknown ("") is not judged.
const (
	ResetOpen    Reset = "open"    // as soon as a connection opens
	ResetMessage Reset = "message" // at the first message, a proof that the other side serves
	ResetStable  Reset = "stable"  // after the connection has lasted Stable
)

// Outcome is what became of the attempt before, or of the session.
type Outcome uint8

// The outcomes; the zero value is the start of an episode.
const (
	Dropped  Outcome = iota // a session ended
	Refused                 // the attempt was answered, and not with an open connection
	TimedOut                // the attempt was not answered in time
)

// State is where a client stands before an attempt.
type State struct {
	Attempt  int            // the attempt to come, from 1
	Previous lapse.Duration // the wait before the attempt before; only decorrelated jitter asks
	Outcome  Outcome        // of the attempt before; only the window asks
	Timeouts int            // timed-out attempts of this episode so far; only the window asks
}

// Delay is the wait before the attempt, the law's quantile at u; ok is false when the policy has given up. u is 64 random
// bits, stat.Draw(seed, client, p.DrawAttempt(attempt)). An invalid policy waits 0.
func (p *Policy) Delay(s State, u uint64) (d lapse.Duration, ok bool) {
	if s.Attempt < 1 || p.Attempts > 0 && s.Attempt > p.Attempts {
		return 0, false
	}
	l := p.Law(s)
	return l.At(u), true
}

// DrawAttempt is the attempt to draw for: the attempt itself, and 1 for all attempts where the policy draws once.
func (p *Policy) DrawAttempt(attempt int) uint64 {
	if p.DrawnOnce {
		return 1
	}
	return uint64(attempt)
}
