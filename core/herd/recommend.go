package herd

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/lapse"
)

// Advice is what to set, and what it costs when the figures behind it are wrong.
type Advice struct {
	Policy       string         // of the clients: window:W, or the one they keep
	Clients      int            // N
	Capacity     float64        // C: given, or with a longest wait the least that does
	Limit        lapse.Duration // N/C
	Window       lapse.Duration // W, the first wait's width; 0 when the clients are fixed
	Retry        lapse.Duration // after a refusal
	Cap          lapse.Duration // the longest wait, after timeouts
	Backlog      int            // handshakes that may wait
	Timeout      lapse.Duration // of the client's attempt
	Drain        lapse.Duration // close all clients over this before a planned restart
	BatchSize    int            // so many at a time …
	BatchEvery   lapse.Duration // … this far apart
	Nodes        int            // of the deployment plan
	NodeDrain    lapse.Duration // the drain of one node of Nodes
	Admission    float64        // a second, at the door
	Burst        int            // at once, at the door
	DownPerSec   float64        // attempts that the balancer sees while the server is away
	WaitMean     lapse.Duration // of a user
	WaitP95      lapse.Duration
	Peak         float64 // arrivals per second in the busiest bin, as simulated
	ClientsFixed bool
	IfWrong      []Trial
	Snippets     []Snippet
	Warnings     []string
}

// Trial is a simulation of the advice in circumstances other than those it was made for.
type Trial struct {
	Case      string         // in plain words
	Last      lapse.Duration // the last client's return, from the moment the server is there; Never
	Ratio     float64        // the same over the N/C of the trial
	Peak      float64        // over its C
	Waste     float64        // failed attempts per client, the server being there
	Recovered bool
	Reason    Reason
}

// Snippet is text to paste.
type Snippet struct {
	Name     string // "nginx", "go"
	Language string // "nginx", "yaml", "js"
	Text     string
}

// The factors of W over N/C: room for figures that are wrong by two, and none.
const (
	cautious = 2.0
	tight    = 1.25
)

// largestTrial is the number of clients that a trial simulates at most; beyond it the capacity is scaled as well, which
// leaves N/C and every time as they are.
const largestTrial = 100_000

// Plan works an advice out, trial by trial.
type Plan struct {
	advice  Advice
	request Request
	cases   []trial
	next    int
	run     *Run
}

type trial struct {
	name     string
	scenario Scenario
	size     float64 // the scale of the capacity
}

// NewPlan checks what is asked and refuses what cannot be.
func NewPlan(q Request) (*Plan, error) {
	p := &Plan{request: q}
	if q.ClientsFixed != "" && q.Tight {
		return nil, &fault.Error{Code: fault.BadUsage, Package: "herd", Field: "tight", Expected: "clients that can be given a window, not --clients-fixed"}
	}
	if q.Clients < 1 || q.Clients > 1e9 {
		return nil, fault.Value("herd", "clients", strconv.Itoa(q.Clients), "1 to 1000000000")
	}
	if q.Nodes == 0 {
		p.request.Nodes = min(10, max(2, q.Clients))
	}
	if p.request.Nodes < 1 || p.request.Nodes > 10_000 {
		return nil, fault.Value("herd", "nodes", strconv.Itoa(p.request.Nodes), "1 to 10000")
	}
	if f := q.Server.Descriptors; f < 0 {
		return nil, fault.Value("herd", "fd-limit", strconv.Itoa(f), "1 or more sockets, or 0 for no limit")
	} else if f > 0 && q.Clients > f {
		return nil, &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "fd-limit", Value: strconv.Itoa(f),
			Expected: "at least " + strconv.Itoa(q.Clients) + ", one descriptor for each client: no policy helps when they cannot all be connected"}
	}
	if err := p.work(); err != nil {
		return nil, err
	}
	if err := p.foreign(); err != nil {
		return nil, err
	}
	if err := p.plan(); err != nil {
		return nil, err
	}
	return p, nil
}

// work works the numbers out.
func (p *Plan) work() error {
	q, a := &p.request, &p.advice
	n := float64(q.Clients)
	factor := cautious
	if q.Tight {
		factor = tight
	}
	c := q.Server.Capacity
	trip := q.Net.Trip
	if trip == 0 && !q.Net.Instant {
		trip = DefaultTrip
	}
	if q.MaxWait > 0 {
		room := (q.MaxWait - 2*trip).Seconds()
		if room <= 0 {
			return fault.Value("herd", "max-wait", q.MaxWait.String(), "more than two round trips, "+(2*trip).String())
		}
		need := factor * n / room
		if c == 0 {
			c = math.Ceil(need)
		} else if c < need*(1-1e-9) {
			return &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "max-wait", Value: q.MaxWait.String(),
				Expected: "a capacity of at least " + number(math.Ceil(need)) + " handshakes a second (given: " + number(c) + "), or a longest wait of " + roundUp(seconds(factor*n/c)).String()}
		}
	}
	if !(c >= 0.001 && c <= 1e6) {
		return fault.Value("herd", "capacity", number(c), "0.001 to 1000000 handshakes per second (or --max-wait, and the capacity is worked out)")
	}
	limit := n / c
	if limit*factor*4 > longestTimer.Seconds() {
		return &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "capacity", Value: number(c),
			Expected: "N/C below three days: beyond it waits pass the limit of timers, 24.8 days"}
	}
	w := roundUp(max(seconds(factor*limit), lapse.Second))
	if q.Tight { // after an outage a client's round is W and a trip: the last one's should still end inside 1.25 N/C and a trip
		w = max(seconds(factor*limit)-trip*6/5, seconds(1.2*limit))/lapse.Millisecond*lapse.Millisecond + lapse.Millisecond
	}
	*a = Advice{
		Clients: q.Clients, Capacity: c, Limit: seconds(limit), Window: w, Retry: w, Cap: 4 * w, Nodes: q.Nodes,
		Policy: (&backoff.Policy{Growth: backoff.Window, Base: w}).String(), ClientsFixed: q.ClientsFixed != "",
	}
	// The queue: what twice the clients would need, were they evenly spread over their N/C; at most half a timeout's work.
	a.Timeout = q.Net.Timeout
	queue := QueueP99(2*n, 1)
	if a.Timeout == 0 {
		a.Timeout = max(DefaultTimeout, roundUp(seconds(4*queue/c)))
	}
	half := c * a.Timeout.Seconds() / 2
	a.Backlog = max(1, int(math.Floor(min(max(queue, 16), half*0.96))))
	if half < 1 {
		a.Warnings = append(a.Warnings, "one handshake takes longer than half the timeout: raise the timeout to "+roundUp(seconds(4/c)).String()+" or more")
	} else if queue > half {
		a.Warnings = append(a.Warnings, "a backlog of half a timeout's work holds fewer than the queue may need ("+rounded(queue)+" handshakes when there are twice as many clients): a few may be refused and come one window later; a timeout of "+roundUp(seconds(2*queue/c)).String()+" avoids it")
	}
	if b := q.Server.Backlog; b > 0 && float64(b) >= half {
		a.Warnings = append(a.Warnings, "the backlog of "+strconv.Itoa(b)+" holds "+((seconds(float64(b)/c)+lapse.Millisecond/2)/lapse.Millisecond*lapse.Millisecond).String()+" of work, more than half the timeout of "+a.Timeout.String()+": cut it to "+strconv.Itoa(a.Backlog)+", or the server will work for clients that have left")
	}
	if q.Tight {
		a.Warnings = append(a.Warnings, "tight: confirm that there are never more than "+strconv.Itoa(q.Clients)+" clients, that the server does "+number(c)+" handshakes a second while it is filling up, and that its backlog is below "+rounded(half))
	}
	// Planned restarts: close at 0.8 C.
	a.Drain = roundUp(seconds(limit / 0.8))
	a.BatchEvery = 100 * lapse.Millisecond
	if c*0.08 < 1 {
		a.BatchEvery = roundUp(seconds(1 / (0.8 * c)))
	}
	a.BatchSize = max(1, int(0.8*c*a.BatchEvery.Seconds()))
	a.NodeDrain = roundUp(seconds(limit / 0.8 / float64(q.Nodes)))
	a.Admission = float64(int64(c*0.9*1000)) / 1000
	a.Burst = max(1, min(int(c/10), a.Backlog/2))
	a.DownPerSec = n / w.Seconds()
	a.WaitMean, a.WaitP95 = w/2+trip, lapse.Duration(float64(w)*0.95)+trip
	if f := q.Server.Descriptors; f > 0 && float64(f) < 1.1*n {
		a.Warnings = append(a.Warnings, strconv.Itoa(f-q.Clients)+" descriptors are left beside the clients: sockets of clients that have gone, logs and upstreams need some; leave a tenth")
	}
	if q.ClientsFixed != "" {
		return p.fixed()
	}
	return nil
}

// fixed is the advice to a server whose clients cannot be changed.
func (p *Plan) fixed() error {
	q, a := &p.request, &p.advice
	policy, err := backoff.Parse(q.ClientsFixed)
	if err != nil {
		return err
	}
	first := policy.Law(backoff.State{Attempt: 1})
	late := policy.Law(backoff.State{Attempt: 1 << 20, Outcome: backoff.Refused, Previous: policy.Cap})
	tau := late.Mean() / 1e9
	a.Policy = policy.String()
	a.Window, a.Retry, a.Cap = 0, 0, 0
	a.WaitMean, a.WaitP95 = 0, 0 // the trials say
	a.DownPerSec = float64(q.Clients) / max(tau, 0.001)
	width := (first.Max() - first.Min()).Seconds()
	if width < a.Limit.Seconds() {
		a.Warnings = append(a.Warnings, "the first wait spreads the clients over "+figure.Span(float64(roundUp(seconds(width))))+", less than the "+figure.Span(float64(roundUp(a.Limit)))+" that the server needs: every unplanned drop of all of them is a storm; only closing them slowly avoids it")
	}
	return nil
}

// foreign refuses a fleet in which clients that cannot be changed use the whole capacity up by being refused.
func (p *Plan) foreign() error {
	q := &p.request
	if len(q.Others) == 0 {
		return nil
	}
	r := q.Server.RejectCost
	if r == 0 && !q.Server.FreeRejects {
		r = DefaultRejectCost
	}
	load, worst, share := 0.0, "", 0.0
	for _, o := range q.Others {
		policy, err := backoff.Parse(o.Policy)
		if err != nil {
			return err
		}
		law := policy.Law(backoff.State{Attempt: 1 << 20, Outcome: backoff.Refused, Previous: policy.Cap})
		tau := max(law.Mean()/1e9, 0.001)
		load += r * o.Share * float64(q.Clients) / (p.advice.Capacity * tau)
		worst, share = policy.String(), share+o.Share
	}
	if load < 1 {
		p.advice.Warnings = append(p.advice.Warnings, "refusing the clients that cannot be changed takes "+rounded(100*load)+" % of the capacity while they all try")
		return nil
	}
	return &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "others", Value: rounded(100*share) + " % " + worst,
		Expected: "fewer of them, longer waits, or cheaper refusals: refusing them alone takes " + figure.Decimal(load) + " times the capacity (r·N/(C·τ)), so nobody recovers whatever the other clients do. Refuse them before the server does any work (a token bucket at the balancer), or raise the capacity to " + number(math.Ceil(float64(p.advice.Capacity*load*1.5)-1e-6)) + " a second"}
}

func rounded(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

// roundUp gives a time that people would write: up to the next hundredth of its size, in whole milliseconds.
func roundUp(d lapse.Duration) lapse.Duration {
	step := lapse.Millisecond
	for _, s := range []lapse.Duration{10 * lapse.Millisecond, 100 * lapse.Millisecond, lapse.Second, 10 * lapse.Second, lapse.Minute, 10 * lapse.Minute} {
		if d >= 100*s {
			step = s
		}
	}
	return (d + step - 1) / step * step
}
