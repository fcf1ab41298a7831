package jitter

import "github.com/stormlint/stormlint/core/lapse"

// Kind is the answer to the one question that matters for a fleet: would two such clients, cut off together, return
// together at every attempt?
type Kind uint8

// The three answers; the zero value claims nothing.
const (
	Undecided Kind = iota // too few delays, or both readings explain them
	Locked                // the same delays every time
	Jittered              // delays that are drawn
)

// String is the word that stands in reports: "undecided", "locked", "jittered".
func (k Kind) String() string {
	return [...]string{"undecided", "locked", "jittered"}[min(k, Jittered)]
}

// Family is a rule by which delays are made.
type Family uint8

// The families. Proportional with a spread of one half is Equal by another name: the two cannot be told apart.
const (
	Unknown      Family = iota
	Immediate           // no wait beyond the way of the packets
	Fixed               // the same wait always
	Linear              // base, 2 base, 3 base …
	Exponential         // base · m^(k−1), up to a cap
	Table               // another fixed list of waits
	Proportional        // a share of the ceiling: U(1−s, 1) · c
	Equal               // U(½, 1) · c
	Full                // U(0, 1) · c
	Decorrelated        // U(base, 3 · the wait before), up to a cap
	Additive            // c + U(0, w) with the same w at every attempt
	families
)

// String is the word that stands in reports, "exponential"; "unknown" for Unknown.
func (f Family) String() string {
	return [...]string{"unknown", "immediate", "fixed", "linear", "exponential", "table", "proportional", "equal", "full",
		"decorrelated", "additive"}[f%families]
}

// kind says what a family means for a fleet.
func (f Family) kind() Kind {
	switch {
	case f == Unknown:
		return Undecided
	case f <= Table:
		return Locked
	}
	return Jittered
}

// Delay is one wait of a client, from the end of its last attempt or session to the beginning of the next attempt.
type Delay struct {
	Wait    lapse.Duration // as the log shows it, 0 or more
	Attempt int32          // 1 for the first attempt after a session's end; 0 means one more than the delay before
	Late    uint8          // gateway hops that may each have kept the end from the client for a second; 0 after refusals and ends of the client's own
}

// Options say how the delays were seen; the zero value means exact stamps and nothing lost.
type Options struct {
	Resolution lapse.Duration // what one unit of the log's stamps can mean; 0 is exact
	LateStep   lapse.Duration // what one late hop adds; 0 means 1 s, the default of Envoy's delayed_close_timeout
	Lossy      bool           // lines are known to be missing: more is then left undecided
	Quiet      bool           // the waits were measured at the client: no way of packets is in them
}

// Verdict is what the delays say about the rule behind them. The zero value is "undecided" without a reason.
type Verdict struct {
	Kind       Kind
	Family     Family         // the likeliest family, of the decided kind if there is one
	Base       lapse.Duration // the wait of attempt 1: its value, its upper end (full, equal), its middle (proportional), its least (decorrelated, additive)
	Multiplier float64        // growth from attempt to attempt, 1 for none, 0 where the family has none or no second attempt was seen
	Cap        lapse.Duration // in the sense of Base; 0 where none was seen
	Spread     float64        // (longest − shortest) / longest at one attempt: 0 none, 1 full
	Width      lapse.Duration // of an additive part, else 0
	Offset     lapse.Duration // the late close that was taken off the waits concerned
	N          int            // delays looked at
	LogOdds    float64        // ln of the odds of jittered against locked; beyond ± Threshold(N) it is a verdict
	Group      bool           // the waits are those of several clients behind one key: no verdict on any of them
	Clamped    bool           // the jitter disappears at the cap: most waits there are equal
	Method     string         // how it was decided, or why it was not
}

// Spec is the fitted rule in the words of --policy, "full:1s:30s"; empty where the family has no such form.
func (v Verdict) Spec() string { return spec(v) }
