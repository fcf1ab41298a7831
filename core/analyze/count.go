package analyze

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
)

// parallel finds several connections of one key. Behind an address they may be several people; of one identity they are
// several loops.
func (j *judge) parallel() {
	if j.tr.Parallel < 3 || j.tr.MostOpen < 2 && j.c.Refused == 0 {
		return
	}
	severity, whose := finding.Low, "behind this address"
	if j.a.options.Key == ByConn || j.a.options.Key == ByClient {
		severity, whose = finding.Medium, "of this identity"
	}
	message := figure.Several(int64(j.tr.Parallel), "attempt") + " beside an open or running one " + whose
	if j.tr.MostOpen > 1 {
		message += ", up to " + figure.Count(int64(j.tr.MostOpen)) + " sessions at once"
	}
	j.add("parallel-loops", severity, message+": several tabs, loops, devices or people", nil,
		number("attempts", int64(j.tr.Parallel)), number("sessions_at_once", int64(j.tr.MostOpen)))
}

// budget compares any 24 hours with what a client may do a day.
func (j *judge) budget() {
	if j.a.options.Budget <= 0 {
		return
	}
	if n := j.a.table.Peak(j.h, civil.Day, nil); n > j.a.options.Budget {
		j.add("budget-exceeded", finding.High, "made "+figure.Several(n, "attempt")+" in 24 hours, more than the "+figure.Count(j.a.options.Budget)+" allowed", nil,
			number("attempts_per_day", n), number("budget", j.a.options.Budget))
	}
}
