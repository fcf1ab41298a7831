package lint

import "github.com/stormlint/stormlint/core/lapse"

// The scenarios that runs are observed under; the words are those of the test kits.
const (
	Refused          = "refused"           // every attempt is refused
	LongSession      = "dropped"           // a long session ends, then refusals; the first wait is the one after it
	Flap             = "open-then-dropped" // every attempt opens and is dropped at once
	Acknowledged     = "acknowledged-then-dropped"
	Hang             = "hang"     // attempts are not answered
	Failures         = "failures" // thousands of refusals, for overflows
	Fatal            = "fatal"    // refused in a way that cannot heal: close 1008, 4000 to 4099, HTTP 401, 403
	Hint             = "hint"     // a close or refusal that names a wait
	Wake             = "wake"     // the machine, the tab or the network wakes up; the first wait is the one after that
	RepeatedSessions = "sessions" // long sessions, each dropped; every wait is the first after one
)

// Runs is what independent clients did under one scenario.
type Runs struct {
	Scenario   string             // one of the scenarios; "" is Refused
	Delays     [][]lapse.Duration // a run each: the waits between the end of an attempt and the begin of the next; negative: they overlapped
	Resolution lapse.Duration     // of the waits; 0 is 1 ms
	Hint       lapse.Duration     // the wait the server named, for Hint
	Held       [][]lapse.Duration // a run each: how long hung attempts were waited for, for Hang; may be absent
	Endings    []string           // a run each: "observed", "gave-up" or "not-observed"; may be absent
	Parallel   int                // the most connections of one client at once; 0 is not known
	Far        []Far              // waits asked of a schedule far out; may be absent
}

// Far is what a schedule answered for one far attempt.
type Far struct {
	Attempt int
	Delay   lapse.Duration
	Fault   string // "an exception", "not a number"; "" for a wait
}

const (
	gaveUp      = "gave-up"
	notObserved = "not-observed"
)
