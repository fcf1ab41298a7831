package herd

import (
	"math"

	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lapse"
)

// Never is a time that did not come before the simulation stopped; null in JSON.
const Never = lapse.Duration(math.MaxInt64)

// Result is what one run of a scenario showed. Recovery counts from the moment the server is there: the first drop, or
// the end of the outage.
type Result struct {
	Policy      string         // SPEC, or several with their shares
	Clients     int            // N
	Limit       lapse.Duration // N/C: no policy can be faster
	Recovery    Spread         // of all clients: when they were back for good
	Recovered   int            // clients that are back
	GaveUp      int            // clients whose policy made its last attempt in vain
	Wait        Spread         // of the clients that are back: from a client's own drop to its connection
	Peak        float64        // arrivals per second in the busiest bin, the server being there
	PeakBin     lapse.Duration // the bin: max(100 ms, 100/C s), in tenths of a second
	OutagePeak  float64        // the same during the outage
	Waste       float64        // failed attempts per client, the server being there
	Arrivals    int64          // attempts that reached the server
	Refused     int64          // for want of room, or by the outage
	TurnedAway  int64          // by the door
	TimedOut    int64
	Silent      int64 // SYNs that nobody answered
	Descriptors int64 // the most sockets held at once
	Stopped     string
	StoppedAt   lapse.Duration
	Work        Work
	Reason      Reason
	Groups      []GroupResult
	Series      Series // the whole run, in at most 600 bins
	Head        Series // its beginning, max(10 s, 2 N/C), in at most 240 bins
	Form        Form
	Nodes       []int // sessions per node after a rolling restart
}

// Spread is a distribution of times in four numbers; Never where too few clients are back.
type Spread struct{ Mean, P50, P95, P99, Last lapse.Duration }

// Work is what became of the server's time, as shares of the whole; the sum is 1.
type Work struct{ Useful, Departed, Refusals, Idle float64 }

// GroupResult is a group's part of the result.
type GroupResult struct {
	Name      string
	Clients   int
	Recovered int
	GaveUp    int
	Recovery  Spread
}

// Series is the arrivals over time, in equal bins from the start.
type Series struct {
	Bin      lapse.Duration
	Arrivals []int64
	Opens    []int64 // clients that came back for good
}

const (
	seriesBins = 600
	headBins   = 240
)

// Result is what the run has shown so far; after Step has said done, all of it.
func (r *Run) Result() Result {
	s := &r.s
	r.server.now(r.ms)
	res := Result{
		Policy: s.label(), Clients: r.total, Limit: r.limit(), GaveUp: int(r.gone),
		Arrivals: r.events, Refused: r.refused, TurnedAway: r.turned, TimedOut: r.timedOut, Silent: r.silent, Descriptors: r.fdPeak,
		Waste: float64(r.wasted) / float64(r.total), StoppedAt: lapse.Duration(r.ms) * lapse.Millisecond,
	}
	switch {
	case r.events >= s.MaxEvents:
		res.Stopped = "max-events"
	case r.ms >= r.end:
		res.Stopped = "horizon"
	}
	waits := make([]uint32, 0, r.total)
	outage := uint32(r.outage)
	for i := range r.groups {
		g := &r.groups[i]
		times := make([]uint32, 0, g.clients)
		for c := g.first; c < g.first+g.clients; c++ {
			if r.at[c] == 0 {
				continue
			}
			ms := r.at[c] - 1
			times = append(times, max(ms, outage)-outage)
			if r.since != nil {
				ms -= r.since[c]
			}
			waits = append(waits, ms)
		}
		res.Groups = append(res.Groups, GroupResult{Name: s.groupName(i), Clients: g.clients, Recovered: len(times), GaveUp: int(g.gaveUp), Recovery: spread(times, g.clients)})
		res.Recovered += len(times)
	}
	times := waits
	if len(r.groups) == 1 {
		res.Recovery = res.Groups[0].Recovery
	}
	if len(r.groups) == 1 && r.since == nil && outage == 0 && res.Recovered == r.total {
		res.Wait = res.Recovery
	} else {
		res.Wait = spread(waits, len(waits))
	}
	if len(r.groups) > 1 {
		times = times[:0]
		for _, at := range r.at {
			if at > 0 {
				times = append(times, max(at-1, outage)-outage)
			}
		}
		res.Recovery = spread(times, r.total)
	}
	r.peaks(&res)
	r.series(&res)
	if sum := float64(r.server.useful + r.server.wasted + r.server.refusing + r.server.idle); sum > 0 {
		v := &r.server
		res.Work = Work{float64(v.useful) / sum, float64(v.wasted) / sum, float64(v.refusing) / sum, float64(v.idle) / sum}
	}
	if r.node != nil {
		res.Nodes = make([]int, s.Restart.Nodes)
		for c, n := range r.node {
			if r.at[c] > 0 {
				res.Nodes[n-1]++
			}
		}
	}
	res.Form = s.form()
	res.Reason = r.reason(&res)
	return res
}

func (r *Run) limit() lapse.Duration {
	return lapse.Duration(float64(r.total) / r.s.Server.Capacity * 1e9)
}

// label names the fleet: its SPEC, or its SPECs with their shares.
func (s *Scenario) label() string {
	if len(s.Groups) == 1 {
		return s.Groups[0].Policy.String()
	}
	n := float64(s.Clients())
	b := []byte(nil)
	for i := range s.Groups {
		if i > 0 {
			b = append(b, " + "...)
		}
		b = jsonwrite.Fixed(b, 100*float64(s.Groups[i].Clients)/n, 1)
		b = append(b, "% "...)
		b = append(b, s.Groups[i].Policy.String()...)
	}
	return string(b)
}

func (s *Scenario) groupName(i int) string {
	if g := &s.Groups[i]; g.Name != "" {
		return g.Name
	}
	return s.Groups[i].Policy.String()
}

// spread takes milliseconds apart; of is the number that all quantiles refer to. The list is put out of order.
func spread(list []uint32, of int) Spread {
	if of == 0 {
		return Spread{}
	}
	sum := uint64(0)
	for _, v := range list {
		sum += uint64(v)
	}
	s := Spread{Mean: Never, P50: Never, P95: Never, P99: Never, Last: Never}
	if len(list) == of {
		s.Mean = lapse.Duration(float64(sum) / float64(of) * 1e6)
	}
	from := 0 // what lies before has been found to be smaller
	at := func(q float64) lapse.Duration {
		k := max(int(math.Ceil(q*float64(of)))-1, 0)
		if k >= len(list) {
			return Never
		}
		ms := kth(list[from:], k-from)
		from = k
		return lapse.Duration(ms) * lapse.Millisecond
	}
	s.P50, s.P95, s.P99, s.Last = at(0.5), at(0.95), at(0.99), at(1)
	return s
}

// kth is the k-th smallest of the list, from 0 (Hoare 1961, the middle of three as pivot).
func kth(list []uint32, k int) uint32 {
	lo, hi := 0, len(list)-1
	for lo < hi {
		a, b, c := list[lo], list[lo+(hi-lo)/2], list[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return list[k]
		}
	}
	return list[k]
}

// peaks finds the busiest bin before and after the server is there; bins are counted from the start.
func (r *Run) peaks(res *Result) {
	bins := max(1, int(math.Ceil(1000/r.s.Server.Capacity-1e-9)))
	res.PeakBin = lapse.Duration(bins) * binMs * lapse.Millisecond
	for i := 0; i < len(r.arrivals); i += bins {
		sum := 0.0
		for _, n := range r.arrivals[i:min(i+bins, len(r.arrivals))] {
			sum += float64(n)
		}
		rate := sum / (float64(bins) * binMs / 1000)
		if int64(i)*binMs < r.outage {
			res.OutagePeak = max(res.OutagePeak, rate)
		} else {
			res.Peak = max(res.Peak, rate)
		}
	}
}

// series puts arrivals and returns into bins.
func (r *Run) series(res *Result) {
	last := len(r.arrivals)
	for _, at := range r.at {
		last = max(last, int(at)/binMs+1)
	}
	res.Series = r.binned(last, seriesBins)
	head := max(10*lapse.Second, 2*res.Limit)
	res.Head = r.binned(min(last, int(min(head, longestHorizon)/(binMs*lapse.Millisecond))), headBins)
}

// binned is the first tenths of a second in at most so many bins.
func (r *Run) binned(tenths, bins int) Series {
	per := max(1, (tenths+bins-1)/bins)
	n := (tenths + per - 1) / per
	s := Series{Bin: lapse.Duration(per) * binMs * lapse.Millisecond, Arrivals: make([]int64, n), Opens: make([]int64, n)}
	for i, a := range r.arrivals[:min(tenths, len(r.arrivals))] {
		s.Arrivals[i/per] += int64(a)
	}
	for _, at := range r.at {
		if i := int(at-1) / binMs / per; at > 1 && i < n {
			s.Opens[i]++
		}
	}
	return s
}
