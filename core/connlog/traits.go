package connlog

import "strconv"

// BlindSpots says in sentences what such a log cannot show: what follows from the fields, then what is its own.
func (t *Traits) BlindSpots() []string {
	var out []string
	say := func(is bool, sentence string) {
		if is {
			out = append(out, sentence)
		}
	}
	say(t.Written == AtClose, "a line is written when a connection ends, so sessions still open at the end are not in the log.")
	say(!t.Closes && !t.Duration, "ends of sessions are not logged, so lifetimes, and waits after an end, are unknown.")
	say(t.Written == AtClose && !t.Duration && t.Stamped == StampEnd, "lines have no duration, so it is unknown when an established connection began.")
	say(t.Written == AtClose && !t.Duration && t.Stamped == StampStart, "lines have no duration, so it is unknown when an established connection ended.")
	say(!t.Refusals, "refused handshakes are not logged.")
	say(!t.Client, "clients are not named.")
	say(!t.UserAgent, "user agents are not logged, so versions cannot be told apart.")
	say(!t.Zone && t.Stamped != StampNone, "stamps have no zone; they were read in the one given, or as UTC.")
	say(t.Resolution >= 1e9, "stamps are whole seconds, so waits are known to about a second.")
	say(t.LateBy > 0, "the client may see an end up to "+strconv.FormatInt(t.LateBy/1e9, 10)+" s after the log has it.")
	return append(out, t.Blind...)
}
