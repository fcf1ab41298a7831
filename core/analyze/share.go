package analyze

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fleet"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// share is what one of several workers does of Finish's rounds: a stretch of the clients. Nothing that it writes is another
// share's; what it adds up is merged between the rounds, in sums and maxima whose order does not matter, so the report does
// not depend on how many shares there were.
type share struct {
	a        *Analyzer
	next, to int // clients
	left     int // of the last budget

	room    []byte
	history []timeline.Moment // of the client in hand, as what follows
	tally   tally
	served  []bool
	trace   timeline.Trace
	delays  []jitter.Delay

	counting counting
	judging  judging
}

// counting is what the first round adds up.
type counting struct {
	arrivals   *series
	counts     [3]fleet.Counts // attempts, opens, closes
	attempts   map[string]int64
	pools      map[string]*group // of every name met, while these are no more than mostPools
	nameless   int64
	candidates []candidate
}

// judging is what the last round adds up.
type judging struct {
	totals    report.Totals
	rows      []row
	lifetimes report.Lifetimes
	company   company
	groups    map[string]*report.Group
	summary   *summary
}

// Share lets Finish's work be done by n at a time: each must run its argument for every number below n and return when all
// are done. Called before Finish; without it, or with n below 2, one does all. The report is the same.
func (a *Analyzer) Share(n int, each func(n int, do func(k int))) { a.shares, a.each = n, each }

// inTurn runs do for every number below n, one after the other.
func inTurn(n int, do func(k int)) {
	for k := range n {
		do(k)
	}
}

func (a *Analyzer) newShares() []*share {
	shares := make([]*share, max(a.shares, 1))
	for k := range shares {
		shares[k] = &share{a: a, counting: counting{
			arrivals: a.newArrivals(a.from, a.to, a.resolution, report.MaxBins), attempts: map[string]int64{}, pools: map[string]*group{},
		}}
	}
	f := a.finished
	f.shares = shares
	f.divide(a.table.Clients())
	return shares
}

// divide gives every share its stretch of the clients for another round.
func (f *finished) divide(clients int) {
	n := len(f.shares)
	for k, h := range f.shares {
		h.next, h.to = clients*k/n, clients*(k+1)/n
	}
}

// advance does clients of a phase until the budget is spent.
func (h *share) advance(phase func(h *share, i int) int, budget int) {
	for h.next < h.to && budget > 0 {
		budget -= phase(h, h.next) + 16
		h.next++
	}
	h.left = budget
}

// read takes a client in hand.
func (h *share) read(i int) {
	h.history = h.a.table.History(i, h.history[:0], &h.room)
}

// count is the first round: what happened when, whoever did it, and the waits of a client and of its group.
func (h *share) count(i int) int {
	c := &h.counting
	h.read(i)
	c.arrivals.count(h.a.table, h.history)
	for j := range h.history {
		m := &h.history[j]
		first, second := kindsOf(h.a.table.Signature(m))
		c.counts[first].Add(m.Time, m.Count)
		if second >= 0 {
			c.counts[second].Add(m.Time, m.Count)
		}
	}
	if key, named := h.a.table.Key(i); named {
		kinds := h.tally.take(h.a.table, h.history)
		name := h.a.group(kinds)
		c.group(h.a, i, name, kinds)
		o, again := h.waits()
		if again {
			c.met(name).pool(h.a, key, kinds, h.delays, o)
		}
		if len(h.delays) >= jitter.Fewest && !severalAtOnce(&h.trace) {
			c.candidates = append(c.candidates, candidate{uint32(i), uint16(min(len(h.delays), 1<<16-1)), again})
		}
		return len(h.history)
	}
	for j := range h.history {
		c.nameless += int64(h.history[j].Count)
	}
	h.a.table.Beyond(i, func(_ *timeline.Signature, n int64) { c.nameless += n })
	return len(h.history)
}

// gather is the round between, where there are very many groups: a client's waits join those of its group.
func (h *share) gather(i int) int {
	key, named := h.a.table.Key(i)
	if !named {
		return 0
	}
	h.read(i)
	if o, again := h.waits(); again {
		kinds := h.tally.take(h.a.table, h.history)
		name := h.a.group(kinds)
		if h.a.finished.work.groups.chosen[name] != nil {
			h.counting.met(name).pool(h.a, key, kinds, h.delays, o)
		}
	}
	return len(h.history)
}

// judge is the last round: a client's row, and its part in what happened together.
func (h *share) judge(i int) int {
	f, j := h.a.finished, &h.judging
	if _, named := h.a.table.Key(i); !named {
		return 0
	}
	cost := 0
	if v := f.fitting.verdicts[uint32(i)]; v != nil && v.N < 0 {
		cost = fitCost
	}
	c := h.client(i)
	cost += len(h.history)
	if c.Attempts+c.Closes == 0 {
		return cost // all of it was told elsewhere
	}
	j.add(&c)
	j.rows = append(j.rows, newRow(i, &c))
	for k := range h.trace.Sessions {
		if life := h.trace.Sessions[k].Life; life != connlog.None {
			j.lifetimes.Add(life)
		}
	}
	j.company.client(f.work.together, h.history, &h.trace)
	if f.work.groups.chosen[c.Group] != nil {
		x := j.groups[c.Group]
		if x == nil {
			x = &report.Group{}
			j.groups[c.Group] = x
		}
		x.Clients++
		x.Attempts += c.Attempts
		x.Refused += c.Refused
		x.Sessions += c.Sessions
		x.Levels[c.Risk]++
	}
	j.summary.add(&c)
	return cost
}

func (j *judging) add(c *report.Client) {
	t := &j.totals
	t.Clients++
	t.Attempts += c.Attempts
	t.Sessions += c.Sessions
	t.OpenSessions += c.OpenSessions
	t.Refused += c.Refused
	t.Aborted += c.Aborted
	t.Closes += c.Closes
	if c.OverThreshold {
		t.OverThreshold++
	}
	t.Levels[c.Risk]++
}

// merge adds what one share found in the last round.
func (f *finished) merge(j *judging) {
	t := &f.totals
	t.Clients += j.totals.Clients
	t.Attempts += j.totals.Attempts
	t.Sessions += j.totals.Sessions
	t.OpenSessions += j.totals.OpenSessions
	t.Refused += j.totals.Refused
	t.Aborted += j.totals.Aborted
	t.Closes += j.totals.Closes
	t.OverThreshold += j.totals.OverThreshold
	for i, n := range j.totals.Levels {
		t.Levels[i] += n
	}
	f.rows = append(f.rows, j.rows...)
	f.report.Lifetimes.Merge(&j.lifetimes)
	f.work.together.company.merge(&j.company)
	for name, x := range j.groups {
		g := f.work.groups.chosen[name]
		g.Clients += x.Clients
		g.Attempts += x.Attempts
		g.Refused += x.Refused
		g.Sessions += x.Sessions
		for i, n := range x.Levels {
			g.Levels[i] += n
		}
	}
	f.work.summary.merge(j.summary)
}
