package analyze

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
)

// probe recognises a health check by its name or its ways.
func (j *judge) probe() bool {
	named := len(j.c.UserAgents) > 0
	for _, ua := range j.c.UserAgents {
		named = named && monitor(ua)
	}
	if !named && !j.even() {
		return false
	}
	j.add("probe", finding.Info, figure.Several(j.c.Attempts, "attempt")+" of a health check", nil)
	return true
}

// even reports ten attempts or more at even intervals, all accepted and left within 2 s.
func (j *judge) even() bool {
	tr := j.tr
	if len(tr.Sessions) < 10 || j.c.Attempts != int64(len(tr.Sessions)) || tr.MostOpen > 1 {
		return false
	}
	gaps := make([]int64, 0, len(tr.Sessions))
	for i := range tr.Sessions {
		s := &tr.Sessions[i]
		if s.Open == connlog.None || s.Life == connlog.None || s.Life >= 2*civil.Second || s.Closed < 0 || j.sign(s.Closed).ClosedBy == connlog.ByServer {
			return false
		}
		if i > 0 {
			gaps = append(gaps, s.Open-tr.Sessions[i-1].Open)
		}
	}
	m := median(gaps)
	if m < brief {
		return false
	}
	near := 0
	for _, g := range gaps {
		if g > m-m/10 && g < m+m/10 {
			near++
		}
	}
	return near*10 >= len(gaps)*9
}
