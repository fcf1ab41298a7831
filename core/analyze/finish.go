package analyze

import (
	"strconv"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jitter"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// finished is what is held for questions after Finish.
type finished struct {
	rows    []row // in the order of the last question's sort
	sort    Sort
	history []timeline.Moment
	trace   timeline.Trace
	delays  []jitter.Delay
	fitting fitting
	totals  report.Totals
	lossy   bool     // lines are known to be missing
	origins []origin // of the table's parts, in their order
}

// origin is where a part's records stand in their source.
type origin struct {
	name string
	base int64
}

// Finish ends the reading and gives the report: the sums over everything and the first clients. An input of which no
// record could be read at all is a fault of code "unreadable"; an empty one gives an empty report.
//
// It goes through the clients three times: for what all did together, for what those of a group have in common, and for
// each of them in the light of both.
func (a *Analyzer) Finish() (*report.Report, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	a.drain()
	r := &report.Report{}
	r.BlindSpots = account(a.parts, &r.Input)
	r.Input.From, r.Input.To, r.Input.Resolution = a.from, a.to, a.resolution
	if r.Input.Records > 0 && r.Input.Used == 0 && r.Input.Ignored == 0 {
		s := &r.Input.Skipped[0]
		return nil, &fault.Error{Code: fault.Unreadable, Package: "analyze", Source: s.Source, Record: s.FirstRecord, Line: s.FirstLine,
			Message: "none of " + strconv.FormatInt(r.Input.Records, 10) + " records could be read: " + s.Reason, Value: s.Sample}
	}
	a.table.Freeze(a.tier)
	f := &finished{lossy: r.Input.Used*100 < (r.Input.Records-r.Input.Ignored)*99, origins: a.origins()}
	a.finished = f
	r.Marks = a.options.Marks

	arrivals := a.newArrivals(a.from, a.to, a.resolution, report.MaxBins)
	together := newTogether(a)
	groups := newGroups(a)
	for i := range a.table.Clients() {
		f.history = a.table.History(i, f.history[:0])
		arrivals.count(a.table, f.history)
		together.count(f.history)
		if _, named := a.table.Key(i); named {
			groups.count(i, f.history)
			continue
		}
		for j := range f.history {
			f.totals.Nameless += int64(f.history[j].Count)
		}
		a.table.Beyond(i, func(_ *timeline.Signature, n int64) { f.totals.Nameless += n })
	}
	arrivals.countBeyond(a.table)
	r.Arrivals = arrivals.Arrivals
	together.find()
	groups.choose()
	a.gather(groups)
	summary := newSummary()
	for i := range a.table.Clients() {
		if _, named := a.table.Key(i); !named {
			continue
		}
		c := a.client(i, true)
		if c.Attempts+c.Closes == 0 {
			continue // all of it was told elsewhere
		}
		f.add(&c)
		f.rows = append(f.rows, newRow(i, &c))
		for j := range f.trace.Sessions {
			if life := f.trace.Sessions[j].Life; life != connlog.None {
				r.Lifetimes.Add(life)
			}
		}
		together.client(f.history, &f.trace)
		groups.client(&c)
		summary.add(&c)
	}
	r.Groups = groups.finish(f.totals.Attempts)
	together.finish(r)
	for i := range a.parts {
		f.totals.Outside += a.parts[i].outside
	}
	f.totals.Duplicates = a.table.Duplicates()
	r.Totals = f.totals
	a.order(Sort{})
	n := len(f.rows)
	if a.options.Top >= 0 {
		n = min(n, a.options.Top)
	}
	r.Clients = make([]report.Client, n)
	for i := range r.Clients {
		r.Clients[i] = a.client(int(f.rows[i].client), true)
	}
	r.Findings = append(r.Findings, summary.findings()...)
	r.Findings = append(r.Findings, a.clockSteps()...)
	for i := range r.Groups {
		r.Findings = append(r.Findings, r.Groups[i].Findings...)
	}
	finding.Sort(r.Findings)
	r.Warnings = a.warnings(r)
	return r, nil
}

// origins gives, for each of the table's parts, its source's name and the number of records before it.
func (a *Analyzer) origins() []origin {
	at := map[timeline.Part]origin{}
	var base int64
	for i := range a.parts { // in order, since account
		p := &a.parts[i]
		if i == 0 || a.parts[i-1].Source != p.Source {
			base = 0
		}
		at[timeline.Part{Source: uint32(p.Source), Index: uint32(p.Index)}] = origin{p.Name, base}
		base += p.counts.Records
	}
	list := make([]origin, len(a.table.Parts()))
	for i, p := range a.table.Parts() {
		list[i] = at[p]
	}
	return list
}

// where gives the source of an event and its record there, counted from 1.
func (a *Analyzer) where(m *timeline.Moment) (name string, record int64) {
	o := a.finished.origins[m.Part]
	return o.name, o.base + m.Record + 1
}

func (f *finished) add(c *report.Client) {
	t := &f.totals
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

// tier ranks a source.
func (a *Analyzer) tier(source uint32) int {
	for i := range a.parts {
		if a.parts[i].Source == int(source) {
			return a.parts[i].Tier
		}
	}
	return 0
}

// warnings are doubts about the figures.
func (a *Analyzer) warnings(r *report.Report) []string {
	var out []string
	var skipped int64
	for _, s := range r.Input.Skipped {
		skipped += s.Count
	}
	if skipped*5 > r.Input.Records {
		out = append(out, "More than a fifth of the records could not be read; the figures describe the others.")
	}
	var beyond int
	for i := range a.finished.rows {
		if a.finished.rows[i].beyond {
			beyond++
		}
	}
	if beyond > 0 {
		out = append(out, "Clients with more than "+strconv.Itoa(timeline.Limit)+" events: "+strconv.Itoa(beyond)+
			". Their first ones are kept in full, so their waits and lifetimes are those of the beginning, and their peaks are lower bounds.")
	}
	if s := a.collapsed(); s != "" {
		out = append(out, s)
	}
	return out
}

// collapsed warns when nearly everything comes from a few private addresses although lines carry a forwarded list: then
// the rows are load balancers, not clients.
func (a *Analyzer) collapsed() string {
	var listed, events, few int64
	for i := range a.parts {
		listed += a.parts[i].listed
	}
	if listed == 0 || len(a.options.Proxies) > 0 || a.options.Key != ByIP && a.options.Key != ByIPAgent {
		return ""
	}
	private, flags := 0, ""
	for i := range a.finished.rows {
		w := &a.finished.rows[i]
		n := int64(w.attempts) + int64(w.closes)
		events += n
		key, _ := a.table.Key(int(w.client))
		host, _ := a.options.split(string(key))
		addr, ok := address.Parse([]byte(host))
		if c := addr.Class(); ok && (c == address.Private || c == address.CarrierNAT) && private < 3 {
			private++
			few += n
			flags += " --trusted-proxy " + host
		}
	}
	if few*5 < events*4 || few == 0 {
		return ""
	}
	return "Nearly all events come from " + strconv.Itoa(private) + " private address(es), and lines carry a forwarded list: these rows may be load balancers. To see the clients behind them try" + flags + "."
}

// kinds of arrivals.
const (
	attempts = iota
	opens
	closes
)

// kindsOf says in which of the three counts an event appears.
func kindsOf(s *timeline.Signature) (first, second int) {
	switch {
	case s.Kind == connlog.Close:
		return closes, -1
	case s.Outcome == connlog.OK:
		return attempts, opens
	}
	return attempts, -1
}
