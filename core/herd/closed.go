package herd

import (
	"math"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/stat"
)

// Form is what can be said of a scenario on paper, beside the simulation. A zero field does not apply. The forms hold
// for one policy, one drop of everybody and no door.
type Form struct {
	Tau         lapse.Duration // τ, the mean wait of a client that has failed many times
	Collapse    float64        // rN/(Cτ): at 1 or more refusals alone use the capacity up and nobody comes back
	CollapseEnd lapse.Duration // (1−r)(τ/r)·ln(1/(1−Collapse)): the recovery below 1; of policies whose waits stay at τ
	Stale       float64        // N/(C(T+τ)), for a backlog of more than T: at 1 or more the server works for clients that have left
	Waves       int            // of identical waits: how often the fleet comes in step, each time admitting a backlog's worth
	WavesEnd    lapse.Duration // the sum of that many waits
	Window      lapse.Duration // width of the first wait, where that alone decides: at least N/C
	QueueP99    float64        // of such a window: the queue's 99th percentile in handshakes
}

// form works the closed forms of the scenario out.
func (s *Scenario) form() Form {
	var f Form
	if len(s.Groups) != 1 || len(s.Drops) != 1 || s.Drops[0].Over > 0 || s.Drops[0].Share < 1 || s.Door.Rate > 0 || s.Restart.Nodes > 0 {
		return f
	}
	p := &s.Groups[0].Policy
	n, c, r := float64(s.Groups[0].Clients), s.Server.Capacity, s.Server.RejectCost
	timeout := s.Net.Timeout.Seconds()
	limit := n / c
	queue := float64(s.Server.Backlog) / c
	late := p.Law(backoff.State{Attempt: 1 << 20, Outcome: backoff.Refused, Previous: p.Cap})
	tau := late.Mean() / 1e9
	if tau > 0 && tau < 1e7 {
		f.Tau = seconds(tau)
	}
	first := p.Law(backoff.State{Attempt: 1})
	width := (first.Max() - first.Min()).Seconds()
	switch {
	case width >= limit:
		f.Window = seconds(width)
		f.QueueP99 = QueueP99(n, limit/width)
		return f
	case locked(p) && queue < limit:
		f.Waves, f.WavesEnd = waves(p, limit, queue, r, s.Net)
	}
	if r > 0 && tau > 0 {
		f.Collapse = r * limit / tau
		if f.Collapse < 1 {
			f.CollapseEnd = seconds((1 - r) * (tau / r) * stat.Log(1/(1-f.Collapse)))
		}
	}
	if queue > timeout && tau > 0 {
		f.Stale = limit / (timeout + tau)
	}
	return f
}

// QueueP99 is the 99th percentile of the longest queue, in handshakes, when n clients arrive evenly at a share load of
// the capacity: the range of a Brownian bridge at load 1, the tail of M/D/1 below, whichever is less.
func QueueP99(n, load float64) float64 {
	bridge := 1.9 * math.Sqrt(n)
	if load >= 1 {
		return bridge
	}
	// θ is the root of load·(e^θ − 1) = θ.
	lo, hi := 1e-9, 60.0
	for range 80 {
		mid := (lo + hi) / 2
		if float64(load*(stat.Exp(mid)-1)) < mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	return min(bridge, 1.1*stat.Log(max(1, 50*n*(1-load)))/lo)
}

// locked reports whether every client waits the same at every attempt.
func locked(p *backoff.Policy) bool {
	if p.Jitter == backoff.Decorrelated {
		return false
	}
	for _, attempt := range []int{1, 2, 3, 8, 1 << 20} {
		l := p.Law(backoff.State{Attempt: attempt, Outcome: backoff.Refused})
		if l.Min() != l.Max() {
			return false
		}
	}
	return true
}

// waves follows a fleet in step: each wave finds what the refusals of the one before have left of the queue, and admits the
// rest and what the server gets done while the wave passes by, which grows as trips add up: the standard deviation of a
// trip times the root of the attempts (and 1.5, fitted). It gives up where a wave admits nobody.
func waves(p *backoff.Policy, limit, queue, refusal float64, net Network) (n int, end lapse.Duration) {
	square := stat.Exp(float64(net.Sigma * net.Sigma))
	deviation := net.Trip.Seconds() * math.Sqrt(float64(square*(square-1)))
	sum, busy := 0.0, 0.0
	for left := limit; left > 0; {
		n++
		d, ok := p.Delay(backoff.State{Attempt: n, Outcome: backoff.Refused}, 0)
		if !ok || n > 100_000 {
			return 0, 0
		}
		sum += d.Seconds()
		if n > 1 {
			sum += net.Trip.Seconds()
			busy = max(0, busy-d.Seconds()-net.Trip.Seconds())
		}
		width := float64(1.5 * deviation * math.Sqrt(float64(n)))
		admitted := min(max(0, queue+width-busy), max(d.Seconds(), 1e-3)+queue)
		if admitted >= left {
			return n, seconds(sum + busy + left + net.Trip.Seconds())
		}
		if admitted == 0 && busy > queue+width && float64(refusal*left) > d.Seconds() {
			return 0, 0
		}
		left -= admitted
		busy += admitted - width + float64(refusal*left)
	}
	return n, seconds(sum)
}

func seconds(s float64) lapse.Duration { return lapse.Duration(s * 1e9) }
