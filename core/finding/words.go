package finding

import "slices"

// Word is an older word for a fault and the rules it has become.
type Word struct {
	Word  string
	Rules []string // any of them is the fault; empty where no rule judges it
	Note  string   // what changed, empty if only the name did
}

var oldWords = []Word{
	{"no-jitter", []string{"fixed-locked", "growth-locked"}, "by whether the waits grow"},
	{"jitter-drawn-once", []string{"drawn-once"}, ""},
	{"jitter-lost-at-cap", []string{"clamp-after-jitter"}, ""},
	{"jitter-name-only", []string{"fixed-locked", "growth-locked"}, "a constant is a constant, whatever it is called"},
	{"first-wave-unjittered", []string{"narrow-first-delay"}, "medium"},
	{"immediate-first-retry", []string{"immediate-retry"}, ""},
	{"zero-delay", []string{"zero-delay"}, "high where zero has a share of its own, info where a range begins at 0; zeros after an overflow count, too"},
	{"weak-jitter", []string{"weak-jitter"}, ""},
	{"point-mass", []string{"point-mass"}, ""},
	{"no-growth", []string{"no-growth"}, ""},
	{"cap-too-low", []string{"cap-too-small"}, "growing waits only: a short constant wait is no-growth"},
	{"no-cap", []string{"cap-missing"}, ""},
	{"overflow", []string{"overflow"}, ""},
	{"resets-on-open", []string{"early-reset"}, ""},
	{"unbounded-attempts", []string{"unbounded-attempts"}, ""},
	{"hidden-schedule", nil, "a second timer that drives the retries cannot be seen in a schedule; a run shows it as other waits, or as not-observed"},
}

// Words is the published map from the words that descriptions of libraries used before there was a linter to the rules of
// this catalogue. The slice is the caller's.
func Words() []Word { return slices.Clone(oldWords) }
