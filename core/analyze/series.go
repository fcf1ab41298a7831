package analyze

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// mostBins bounds what one question for arrivals may ask.
const mostBins = 100_000

// series counts events in the bins of an Arrivals.
type series struct{ report.Arrivals }

// newArrivals makes empty bins that cover a range; without one there are none.
func (a *Analyzer) newArrivals(from, to, least int64, most int) *series {
	s := &series{}
	if from == report.None {
		return s
	}
	start, width, n := report.Bins(from, to, least, most)
	s.From, s.Bin = start, width
	s.make(n)
	return s
}

func (s *series) make(n int) {
	s.Attempts, s.Opens, s.Closes = make([]int64, n), make([]int64, n), make([]int64, n)
}

func (s *series) add(kind int, t, n int64) {
	if t < s.From || len(s.Attempts) == 0 {
		return
	}
	i := (uint64(t) - uint64(s.From)) / uint64(s.Bin)
	if i >= uint64(len(s.Attempts)) {
		return
	}
	switch kind {
	case attempts:
		s.Attempts[i] += n
	case opens:
		s.Opens[i] += n
	case closes:
		s.Closes[i] += n
	}
}

func (s *series) count(t *timeline.Table, history []timeline.Moment) {
	for i := range history {
		m := &history[i]
		first, second := kindsOf(t.Signature(m))
		s.add(first, m.Time, int64(m.Count))
		if second >= 0 {
			s.add(second, m.Time, int64(m.Count))
		}
	}
}

// merge adds the counts of a series of the same bins.
func (s *series) merge(o *series) {
	for i := range o.Attempts {
		s.Attempts[i] += o.Attempts[i]
		s.Opens[i] += o.Opens[i]
		s.Closes[i] += o.Closes[i]
	}
}

// countBeyond adds the events that were not kept one by one; what is known of a stretch is spread evenly over its bins.
func (s *series) countBeyond(t *timeline.Table) {
	for kind := attempts; kind <= closes; kind++ {
		t.BeyondSeconds(kind, func(from, width int64, n uint32) {
			pieces := int64(1)
			if s.Bin > 0 && s.Bin < width {
				pieces = width / s.Bin
			}
			for i := range pieces {
				share := int64(n) / pieces
				if i < int64(n)%pieces {
					share++
				}
				if share > 0 {
					s.add(kind, from+i*s.Bin, share)
				}
			}
		})
	}
}

// Series gives arrivals from one instant up to, not including, another in bins of a width of one's own, after Finish.
func (a *Analyzer) Series(from, to, bin int64) (*report.Arrivals, error) {
	if err := a.asked(); err != nil {
		return nil, err
	}
	if bin <= 0 || to <= from || (uint64(to)-uint64(from)-1)/uint64(bin)+1 > mostBins {
		return nil, fault.Value("analyze", "series", strconv.FormatInt(from, 10)+" to "+strconv.FormatInt(to, 10)+" by "+strconv.FormatInt(bin, 10),
			"from before to, and 1 to "+strconv.Itoa(mostBins)+" bins")
	}
	s := &series{}
	s.From, s.Bin = from, bin
	s.make(int((uint64(to)-uint64(from)-1)/uint64(bin) + 1))
	h := a.finished.shares[0]
	for i := range a.table.Clients() {
		h.read(i)
		s.count(a.table, h.history)
	}
	s.countBeyond(a.table)
	return &s.Arrivals, nil
}
