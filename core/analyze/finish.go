package analyze

import (
	"strconv"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// finished is what is held for questions after Finish, and while it works.
type finished struct {
	work    *work // nil when all is done
	report  *report.Report
	shares  []*share // after Finish the first, which answers questions
	rows    []row    // in the order of the last question's sort
	sort    Sort
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
func (a *Analyzer) Finish() (*report.Report, error) {
	for {
		again, err := a.Step(1 << 30)
		if err != nil {
			return nil, err
		}
		if !again {
			return a.finished.report, nil
		}
	}
}

// work is how far Finish has come. It goes through the clients twice: for what all did together and those of a group have
// in common, and for each of them in the light of both. Where there are too many groups to gather for all, it goes through
// them once more in between.
type work struct {
	phase    func(s *share, i int) (cost int) // for one client
	then     func()                           // after the last
	arrivals *series
	together *together
	groups   *groups
	summary  *summary
}

// fitCost is what the fit of one client costs, in events.
const fitCost = 4096

// Step does some of Finish's work, so that a caller can look at its clock in between; again says that there is more. The
// budget counts events; 65,536 take some milliseconds. The first step ends the reading.
func (a *Analyzer) Step(budget int) (again bool, err error) {
	if a.finished == nil {
		if err := a.begin(); err != nil {
			return false, err
		}
	}
	f := a.finished
	for f.work != nil && budget > 0 {
		done := true
		for _, h := range f.shares {
			done = done && h.next == h.to
		}
		if done {
			f.work.then()
			budget -= len(f.rows) // sorting
			f.divide(a.table.Clients())
			continue
		}
		each := a.each
		if len(f.shares) == 1 {
			each = inTurn
		}
		least := budget
		each(len(f.shares), func(k int) { f.shares[k].advance(f.work.phase, least) })
		for _, h := range f.shares {
			least = min(least, h.left)
		}
		budget = least
	}
	return f.work != nil, nil
}

// begin ends the reading and adds up what was read.
func (a *Analyzer) begin() error {
	if err := a.usable(); err != nil {
		return err
	}
	r := &report.Report{}
	if !a.settled {
		a.drain()
		order.By(a.parts, func(a, b reading) int { return a.before(&b) })
		a.compareSources()
	}
	r.BlindSpots = account(a.parts, &r.Input, a.told)
	a.extent = nothing
	for i := range a.parts {
		if p := &a.parts[i]; a.told[p.Source] == "" {
			a.span(p.from, p.to, p.resolution)
		}
	}
	r.Input.From, r.Input.To, r.Input.Resolution = a.from, a.to, a.resolution
	if r.Input.Records > 0 && r.Input.Used == 0 && r.Input.Ignored == 0 {
		s := &r.Input.Skipped[0]
		return &fault.Error{Code: fault.Unreadable, Package: "analyze", Source: s.Source, Record: s.FirstRecord, Line: s.FirstLine,
			Message: "none of " + strconv.FormatInt(r.Input.Records, 10) + " records could be read: " + s.Reason, Value: s.Sample}
	}
	a.table.Freeze(a.tier)
	r.Marks = a.options.Marks
	w := &work{arrivals: a.newArrivals(a.from, a.to, a.resolution, report.MaxBins), together: &together{a: a}, groups: &groups{a: a}, summary: newSummary()}
	a.settled = true
	a.finished = &finished{work: w, report: r, lossy: r.Input.Used*100 < (r.Input.Records-r.Input.Ignored)*99, origins: a.origins()}
	a.finished.shares = a.newShares()
	w.phase, w.then = (*share).count, a.counted
	return nil
}

func (a *Analyzer) counted() {
	f := a.finished
	w := f.work
	for _, h := range f.shares {
		w.arrivals.merge(h.counting.arrivals)
		w.together.merge(&h.counting.counts)
		f.totals.Nameless += h.counting.nameless
		f.fitting.candidates = append(f.fitting.candidates, h.counting.candidates...)
	}
	w.arrivals.countBeyond(a.table)
	f.report.Arrivals = w.arrivals.Arrivals
	w.together.find()
	pooled := w.groups.choose(f.shares)
	for _, h := range f.shares {
		h.counting = counting{pools: map[string]*group{}}
	}
	if pooled {
		a.gathered()
		return
	}
	w.phase, w.then = (*share).gather, a.gathered
}

// judged puts the report together.
func (a *Analyzer) judged() {
	f := a.finished
	r := f.report
	for _, h := range f.shares {
		f.merge(&h.judging)
	}
	clear(f.shares[1:]) // what they held is not kept
	f.shares = f.shares[:1]
	f.shares[0].judging = judging{}
	r.Groups = f.work.groups.finish(f.totals.Attempts)
	f.work.together.finish(r)
	for i := range a.parts {
		if p := &a.parts[i]; a.told[p.Source] == "" {
			f.totals.Outside += p.outside
		}
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
		r.Clients[i] = a.client(int(f.rows[i].client))
	}
	r.Findings = append(r.Findings, f.work.summary.findings()...)
	r.Findings = append(r.Findings, a.clockSteps()...)
	for i := range r.Groups {
		r.Findings = append(r.Findings, r.Groups[i].Findings...)
	}
	finding.Sort(r.Findings)
	r.Warnings = a.warnings(r)
	f.work = nil
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
	out := append([]string(nil), a.doubts...)
	var skipped int64
	for _, s := range r.Input.Skipped {
		skipped += s.Count
	}
	if skipped*5 > r.Input.Records {
		out = append(out, "More than a fifth of the records could not be read; the figures describe the others.")
	}
	if s := a.unread(skipped, r.Input.Records); s != "" {
		out = append(out, s)
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
	if n := a.finished.fitting.others; n > 0 {
		out = append(out, "The waits of "+strconv.Itoa(mostFitted)+" clients were looked at one by one, of those that had to try again and waited most often; "+strconv.Itoa(n)+" more are judged with their group.")
	}
	if s := a.collapsed(); s != "" {
		out = append(out, s)
	}
	return append(append(out, a.unopened()...), a.repeated()...)
}

// unread warns of skipped records that are few and large: their number does not show how much of the log is missing.
func (a *Analyzer) unread(skipped, records int64) string {
	var all, lost int64
	for i := range a.parts {
		all += a.parts[i].counts.Bytes
		lost += a.parts[i].counts.Unread
	}
	if lost*20 < all || float64(lost)*float64(records) < 2*float64(skipped)*float64(all) {
		return ""
	}
	const advice = " bytes: much of the log is missing from the figures. Damage such as a lost quote or line end can make one long record of many"
	text := "The records that could not be read hold " + figure.Count(lost) + " of the " + figure.Count(all) + advice
	for i := range a.parts {
		for _, s := range a.parts[i].counts.Skipped {
			if s.Reason == connlog.RunOn {
				return text + "; where lines end with a carriage return alone, convert them, for example with tr '\\r' '\\n'."
			}
		}
	}
	return text + "."
}

// unopened warns of logs that should tell of sessions and do not, source by source.
func (a *Analyzer) unopened() (out []string) {
	for from := 0; from < len(a.parts); { // in order, since begin
		var opens, records int64
		to := from
		for ; to < len(a.parts) && a.parts[to].Source == a.parts[from].Source; to++ {
			opens += a.parts[to].opens
			records += a.parts[to].counts.Records
		}
		if p := &a.parts[from]; opens == 0 && records > 0 && p.unopened != "" {
			out = append(out, prefixed(p.Name, p.unopened))
		}
		from = to
	}
	return out
}

// collapsed warns when nearly everything comes from a few private addresses although lines carry a forwarded list: then
// the rows are load balancers, not clients.
func (a *Analyzer) collapsed() string {
	var listed, events, few int64
	for i := range a.parts {
		if a.told[a.parts[i].Source] == "" {
			listed += a.parts[i].listed
		}
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
