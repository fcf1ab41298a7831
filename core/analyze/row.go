package analyze

import (
	"math"
	"slices"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// mostAgents is how many user agents a client's row lists.
const mostAgents = 16

// client makes a client's row from its history.
func (a *Analyzer) client(i int) report.Client { return a.finished.shares[0].client(i) }

func (f *share) client(i int) report.Client {
	a := f.a
	f.read(i)
	h := f.history
	kinds := f.tally.take(a.table, h)
	a.table.Trace(h, &f.trace)
	key, _ := a.table.Key(i)
	c := report.Client{Key: string(key), First: report.None, Last: report.None}
	c.Name, _ = a.options.split(c.Key)
	var agents []timeline.Word
	count := func(s *timeline.Signature, n int64) {
		if s.Kind == connlog.Close {
			c.Closes += n
		} else {
			c.Attempts += n
			switch s.Outcome {
			case connlog.Refused, connlog.Limited, connlog.Upstream, connlog.TLS:
				c.Refused += n
			case connlog.Aborted:
				c.Aborted += n
			}
		}
		c.Resolution = max(c.Resolution, s.Resolution())
		if !slices.Contains(agents, s.UserAgent) {
			agents = append(agents, s.UserAgent)
		}
	}
	for j := range kinds {
		count(kinds[j].sign, kinds[j].events)
	}
	if len(h) > 0 {
		c.First, c.Last = h[0].Time, h[len(h)-1].Time
	}
	a.table.Beyond(i, func(s *timeline.Signature, n int64) {
		count(s, n)
		c.Beyond += n
		if s.Kind == connlog.Attempt && s.Outcome == connlog.OK {
			c.Sessions += n
		}
	})
	if _, last, ok := a.table.BeyondRange(i); ok {
		c.Last = max(c.Last, last)
	}
	for _, w := range agents {
		c.UserAgents = append(c.UserAgents, a.table.Text(w))
	}
	slices.Sort(c.UserAgents)
	c.UserAgents = c.UserAgents[:min(len(c.UserAgents), mostAgents)]

	c.Sessions += int64(len(f.trace.Sessions))
	c.OpenSessions = int64(f.trace.Open)
	if c.Closes > 0 { // without closes every session would seem to stay open
		c.MaxParallel = int64(f.trace.MostOpen)
	}
	c.PeakPerMin = max(a.table.Peak(h, civil.Minute, nil), a.beyondPeak(i, h))
	c.OverThreshold = c.PeakPerMin >= a.options.Threshold
	c.Lifetimes = spread(len(f.trace.Sessions), func(j int) (int64, bool) {
		life := f.trace.Sessions[j].Life
		return life, life != connlog.None
	})
	c.Group = a.group(kinds)
	c.Delays = spread(len(f.trace.Waits), func(j int) (int64, bool) { return f.trace.Waits[j].Delay, true })
	if n := min(len(f.trace.Waits), report.MaxWaits); n > 0 {
		c.Waits = make([]report.Wait, n)
		for j := range c.Waits {
			w := &f.trace.Waits[j]
			c.Waits[j] = report.Wait{Attempt: w.Nth, Delay: w.Delay}
		}
	}
	v := f.schedule(i, c.Group)
	if len(f.delays) > 0 {
		c.Schedule = scheduleOf(&v)
		c.HasJitter = hasJitter(v.Kind)
	}
	verdict := judge{a: a, share: f, index: i, c: &c, h: h, tr: &f.trace, v: &v, kinds: kinds}
	verdict.client()
	c.Findings = verdict.list
	c.Risk = risk(c.Findings)
	return c
}

// beyondPeak is the most attempts in one minute as far as events that were not kept tell: a lower bound.
func (a *Analyzer) beyondPeak(i int, h []timeline.Moment) (peak int64) {
	a.table.BeyondMinutes(i, func(from, width int64, n uint32) {
		minutes := width / civil.Minute
		if minutes > 1 {
			peak = max(peak, (int64(n)+minutes-1)/minutes)
			return
		}
		sum := int64(n)
		for j := len(h) - 1; j >= 0 && h[j].Time >= from; j-- {
			if h[j].Time-from < width && a.table.Signature(&h[j]).Kind == connlog.Attempt {
				sum += int64(h[j].Count)
			}
		}
		peak = max(peak, sum)
	})
	return peak
}

// spread describes those of n spans that are known. Sums run in one order, so the figures are the same everywhere.
func spread(n int, at func(int) (int64, bool)) report.Spread {
	var s report.Spread
	var sum float64
	for i := range n {
		v, ok := at(i)
		if !ok {
			continue
		}
		if s.N == 0 {
			s.Min, s.Max = v, v
		}
		s.N++
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		sum += float64(v)
	}
	if s.N == 0 {
		return s
	}
	s.Mean = sum / float64(s.N)
	var squares float64
	for i := range n {
		if v, ok := at(i); ok {
			d := float64(v) - s.Mean
			squares += float64(d * d)
		}
	}
	s.SD = math.Sqrt(squares / float64(s.N))
	return s
}
