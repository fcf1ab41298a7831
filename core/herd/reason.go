package herd

import (
	"slices"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/lapse"
)

// Reason says why clients stay out, or why their return took more than four times as long as it had to. The zero value
// means that there is nothing to explain.
type Reason struct {
	Code string // reject-collapse, stale-queue, locked-waves, gave-up, door, overload, too-few-attempts, late-attempts
	Text string // in plain words, with the figures
}

// reason reads the books of the last quarter of the run (all of it, when everybody came back).
func (r *Run) reason(res *Result) Reason {
	back := res.Recovered == res.Clients
	if back && (res.Recovery.Last < 4*res.Limit || res.Recovery.Last < 5*lapse.Second || len(r.s.Drops) > 1 || r.s.Drops[0].Over > 0) {
		return Reason{}
	}
	out := res.Clients - res.Recovered
	if !back && out == res.GaveUp {
		return Reason{"gave-up", figure.Several(int64(out), "client") + " made the last attempt in vain and will not try again"}
	}
	from := mark{}
	to := mark{r.ms, r.out, r.events, r.server.useful, r.server.wasted, r.server.refusing, r.server.idle}
	for _, m := range r.marks {
		if m.ms <= r.outage || !back && m.ms <= r.ms-(r.ms-r.outage)/4 {
			from = m
		}
	}
	useful, departed := float64(to.useful-from.useful), float64(to.wasted-from.wasted)
	refusing, idle := float64(to.refusing-from.refusing), float64(to.idle-from.idle)
	all := max(useful+departed+refusing+idle, 1)
	percent := func(part float64) string { return figure.Percent(part / all) }
	span := lapse.Duration(to.ms-from.ms) * lapse.Millisecond
	rate := float64(to.events-from.events) / max(span.Seconds(), 0.001)
	clumped := r.clumped(from.ms, to.ms)
	switch {
	case refusing/all >= 0.5:
		return Reason{"reject-collapse", percent(refusing) + " of the server's time goes into refusing " + figure.Count(int64(rate)) +
			" attempts a second; the waits are too short for so many clients, or refusing costs too much"}
	case departed/all >= 0.4:
		return Reason{"stale-queue", percent(departed) + " of the server's time goes into handshakes of clients that had given up waiting; the backlog holds more work than the clients' timeout"}
	case r.turned > r.refused && r.s.Door.Rate < r.s.Server.Capacity && idle/all > 0.1:
		return Reason{"door", "the door admits " + figure.Decimal(r.s.Door.Rate) + " a second, less than the server could serve"}
	case clumped < 0.25 && idle/all >= 0.25:
		return Reason{"locked-waves", "clients come in step: nine tenths of their attempts fall into " + figure.Percent(clumped) +
			" of the time, and the server is idle for " + percent(idle) + " of it"}
	case idle/all >= 0.5 && back:
		return Reason{"late-attempts", "the server was idle for " + percent(idle) + " of the time: the last clients waited long before they tried again"}
	case idle/all >= 0.5:
		return Reason{"too-few-attempts", "the server is idle for " + percent(idle) + " of the time: clients wait longer than the simulation lasted"}
	}
	return Reason{"overload", "the server is busy all the time, and " + percent(useful) + " of its time brings somebody back"}
}

// clumped is the share of the 100 ms bins between two instants that holds nine tenths of the arrivals; 1 without any.
func (r *Run) clumped(from, to int64) float64 {
	lo, hi := min(int(from/binMs), len(r.arrivals)), min(int(to/binMs)+1, len(r.arrivals))
	list := slices.Clone(r.arrivals[lo:hi])
	slices.Sort(list)
	sum := uint64(0)
	for _, n := range list {
		sum += uint64(n)
	}
	part := uint64(0)
	for i := len(list) - 1; i >= 0; i-- {
		part += uint64(list[i])
		if part*10 >= sum*9 && sum > 0 {
			return float64(len(list)-i) / float64(len(list))
		}
	}
	return 1
}
