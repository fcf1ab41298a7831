package herd

import (
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/lapse"
)

// plan lists the trials.
func (p *Plan) plan() error {
	q, a := &p.request, &p.advice
	base := q.Scenario
	base.Groups, base.Drops, base.Restart, base.Door = nil, nil, Restart{}, Door{}
	base.Server.Capacity, base.Server.Backlog = a.Capacity, a.Backlog
	base.Net.Timeout = a.Timeout
	base.Outage = Outage{}
	base.Server.Descriptors = 0
	base.MaxEvents = 20_000_000
	if base.Horizon == 0 {
		base.Horizon = min(longestHorizon, 30*lapse.Second+max(15*lapse.Minute, 20*a.Limit))
	}
	add := func(name string, clients float64, change func(*Scenario)) error {
		n := float64(q.Clients) * clients
		scale := 1.0
		if n > largestTrial {
			scale = largestTrial / n
		}
		request := *q
		request.Scenario = base
		request.Clients = max(1, int(n*scale))
		s := base
		s.Server.Capacity *= scale
		s.Server.Backlog = max(1, int(float64(a.Backlog)*scale))
		if scale < 1 { // the queue of fewer clients is relatively longer
			s.Server.Backlog = max(s.Server.Backlog, int(min(2*QueueP99(n*scale, 0.99), s.Server.Capacity*a.Timeout.Seconds()*0.48)))
		}
		change(&s)
		request.Scenario = s
		s, err := request.with(a.Policy)
		if err != nil {
			return err
		}
		if _, err = s.prepared(); err != nil {
			return err
		}
		p.cases = append(p.cases, trial{name, s, scale})
		return nil
	}
	plain := func(*Scenario) {}
	deep := func(s *Scenario) {
		s.Server.Backlog = max(1, int(20*s.Server.Capacity))
		s.Net.Timeout = min(s.Net.Timeout, 10*lapse.Second)
	}
	var err error
	try := func(name string, clients float64, change func(*Scenario)) {
		if err == nil {
			err = add(name, clients, change)
		}
	}
	if a.ClientsFixed {
		try("planned restart, closed over "+figure.Span(float64(a.Drain)), 1, func(s *Scenario) { s.Drops = []Drop{{Over: a.Drain}} })
		try("the same, closed twice as fast", 1, func(s *Scenario) { s.Drops = []Drop{{Over: a.Drain / 2}} })
		try("unplanned: all drop at once", 1, plain)
		try("unplanned, with the admission rate at the door", 1, func(s *Scenario) {
			s.Door = Door{Rate: a.Admission * s.Server.Capacity / a.Capacity, Burst: max(1, int(float64(a.Burst)*s.Server.Capacity/a.Capacity))}
		})
		try("unplanned, 30 s of outage, with the admission rate", 1, func(s *Scenario) {
			s.Outage.For = 30 * lapse.Second
			s.Door = Door{Rate: a.Admission * s.Server.Capacity / a.Capacity, Burst: max(1, int(float64(a.Burst)*s.Server.Capacity/a.Capacity))}
		})
		return err
	}
	try("as asked", 1, plain)
	try("twice the clients", 2, plain)
	try("half the clients", 0.5, plain)
	try("half the capacity, in front of a backlog of 20 s", 1, func(s *Scenario) { s.Server.Capacity /= 2; deep(s) })
	try("30 s of outage that refuses", 1, func(s *Scenario) { s.Outage.For = 30 * lapse.Second })
	try("30 s of outage that hangs", 1, func(s *Scenario) { s.Outage = Outage{For: 30 * lapse.Second, Hangs: true} })
	try("outage, a backlog of 20 s and dear refusals together", 1, func(s *Scenario) { s.Outage.For = 30 * lapse.Second; deep(s) })
	try("a second drop of everybody half way", 1, func(s *Scenario) { s.Drops = []Drop{{}, {At: a.Window / 2}} })
	return err
}

// Step works on the trials, about budget arrivals, and reports whether the advice is complete.
func (p *Plan) Step(budget int64) (done bool, err error) {
	if p.next == len(p.cases) {
		return true, nil
	}
	if p.run == nil {
		if p.run, err = New(p.cases[p.next].scenario); err != nil {
			return false, err
		}
	}
	if !p.run.Step(budget) {
		return false, nil
	}
	res := p.run.Result()
	t := p.cases[p.next]
	p.run = nil
	p.next++
	trial := Trial{Case: t.name, Last: res.Recovery.Last, Waste: res.Waste, Peak: res.Peak / t.scenario.Server.Capacity,
		Recovered: res.Recovered == res.Clients}
	if trial.Recovered {
		trial.Ratio = float64(res.Recovery.Last) / float64(res.Limit)
	} else {
		trial.Reason = res.Reason
	}
	if len(p.advice.IfWrong) == 0 {
		p.advice.Peak = res.Peak / t.size
		if p.advice.ClientsFixed {
			p.advice.WaitMean, p.advice.WaitP95 = res.Wait.Mean, res.Wait.P95
		}
	}
	p.advice.IfWrong = append(p.advice.IfWrong, trial)
	if p.next == len(p.cases) {
		return true, p.judge()
	}
	return false, nil
}

// Progress is how far the plan is, 0 to 1.
func (p *Plan) Progress() float64 {
	done := float64(p.next)
	if p.run != nil {
		done += p.run.Progress()
	}
	return done / float64(len(p.cases))
}

// judge refuses an advice that its own first trial does not bear out.
func (p *Plan) judge() error {
	a := &p.advice
	first := a.IfWrong[0]
	if !first.Recovered {
		return &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "policy", Value: p.cases[0].scenario.label(),
			Message: "nobody can recommend this: in the simulation not all clients come back: " + first.Reason.Text}
	}
	for _, t := range a.IfWrong[1:] {
		if !t.Recovered {
			text := t.Case + ": clients stay out"
			if t.Reason.Text != "" {
				text += "; " + t.Reason.Text
			}
			a.Warnings = append(a.Warnings, text)
		}
	}
	a.Snippets = snippets(a)
	return nil
}

// Advice is the result; complete after Step has said done.
func (p *Plan) Advice() Advice {
	a := p.advice
	a.Warnings = append(append([]string(nil), p.request.Notes...), a.Warnings...)
	return a
}
