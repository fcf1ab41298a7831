package herd

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

// Scenario is one question: these clients lose this server now; when are they back? Only Groups and Server.Capacity have
// no default.
type Scenario struct {
	Groups    []Group        // one to eight kinds of clients, 4,000,000 in all
	Server    Server         // what it can bear
	Net       Network        // what lies between
	Outage    Outage         // the server is away from the first drop on; zero: it is there
	Drops     []Drop         // who loses the connection when; empty: everybody at 0
	Restart   Restart        // a rolling restart instead of Drops; zero: none
	Door      Door           // a token bucket before the server; zero: none
	Seed      uint64         // another seed is another run of the same scenario
	Horizon   lapse.Duration // where the simulation stops at the latest; 0: the outage and the drops + max(15 min, 10 N/C), at most a week
	MaxEvents int64          // where it stops as well; 0: 300,000,000 arrivals
}

// Group is a number of clients with one policy.
type Group struct {
	Name    string         // for the result; empty: the policy's SPEC
	Clients int            // at least 1
	Policy  backoff.Policy // must be valid
}

// Server is a queue before one worker: work is served in order of arrival, a handshake takes 1/Capacity.
type Server struct {
	Capacity     float64 // C, handshakes per second, above 0
	Backlog      int     // B, handshakes that may wait or be in work; 0: 511, what nginx and Node ask of the kernel
	RejectCost   float64 // r, work of a refusal in handshakes, 0 to 1; 0: 0.1, see FreeRejects
	FreeRejects  bool    // refusals cost nothing
	Descriptors  int     // F, sockets the server may hold at once; 0: no limit
	DropSYN      bool    // a full backlog is silence, and the client's kernel tries again after 1, 3 and 7 s
	SkipDeparted bool    // handshakes of clients that left meanwhile cost nothing; false: the work is done for nobody
	Intake       float64 // attempts per second that the machine takes in at all, one after the other, refused or not; 0: no limit
	Growth       float64 // extra work of a handshake when all clients are connected, in handshakes (presence, fan-out); 0: none
}

// Network is what the packets meet, and how long a client waits for them.
type Network struct {
	Trip    lapse.Duration // median round trip; 0: 50 ms, see Instant
	Sigma   float64        // standard deviation of the trip's logarithm, anew at each attempt, 0 to 2; 0: 0.15
	Instant bool           // packets take no time
	Timeout lapse.Duration // T, a client gives an attempt up after this; 0: 10 s
}

// Outage is a server that is not there.
type Outage struct {
	For   lapse.Duration // since the first drop; 0: none
	Hangs bool           // attempts meet silence until their timeout; false: they are refused at once, at no cost to the server
}

// Drop is an instant at which connected clients lose their connection.
type Drop struct {
	At      lapse.Duration // since the start
	Share   float64        // of the connected clients, chosen at random, above 0 to 1; 0: all
	Over    lapse.Duration // spread evenly over this time, as a drain does; 0: at once
	Batches int            // in so many equal steps instead of evenly; 0: evenly
	node    int            // of a rolling restart, from 1; 0: any
}

// Restart is a deployment that takes one node after the other; the capacity is shared equally by the nodes that are up,
// and clients come back to any of them.
type Restart struct {
	Nodes int            // 2 to 250; 0: no restart
	Every lapse.Duration // from one node's stop to the next one's
	Down  lapse.Duration // how long a node is away, at most Every
	Drain lapse.Duration // a node closes its clients over this time, at most Down; 0: at once
}

// Door is a token bucket before the server.
type Door struct {
	Rate       float64        // admissions per second; 0: no door
	Burst      int            // admissions at once; 0: a tenth of a second's worth, at least 1
	RetryAfter lapse.Duration // told to whoever is turned away, and obeyed as the least wait; 0: nothing is told
	Jitter     lapse.Duration // up to this is added to what is told, drawn anew for each client; 0: all are told the same
	Cost       float64        // work of turning one away, in handshakes, 0 to 1; 0: none, it is another machine's
}

// The defaults of a Scenario: chosen as what an unconfigured service has, not as what it should have.
const (
	DefaultBacklog    = 511
	DefaultRejectCost = 0.1
	DefaultTrip       = 50 * lapse.Millisecond
	DefaultSigma      = 0.15
	DefaultTimeout    = 10 * lapse.Second
	defaultMaxEvents  = 300_000_000
	longestTimer      = (1<<31 - 1) * lapse.Millisecond // beyond it timers of JavaScript run at once
	longestHorizon    = 7 * 24 * lapse.Hour
)

// Clients is N, the clients of all groups.
func (s *Scenario) Clients() int {
	n := 0
	for _, g := range s.Groups {
		n += g.Clients
	}
	return n
}

// prepared is the scenario with every default filled in, or the fault of its first bad value.
func (s Scenario) prepared() (Scenario, error) {
	bad := func(field, value, expected string) (Scenario, error) {
		return Scenario{}, fault.Value("herd", field, value, expected)
	}
	if len(s.Groups) == 0 || len(s.Groups) > maxGroups {
		return bad("policy", strconv.Itoa(len(s.Groups))+" groups", "1 to "+strconv.Itoa(maxGroups))
	}
	total := 0
	for _, g := range s.Groups {
		if g.Clients < 1 || g.Clients > maxClients {
			return bad("clients", strconv.Itoa(g.Clients), "1 to 4000000 (simulate a tenth of the clients at a tenth of the capacity)")
		}
		total += g.Clients
		if err := g.Policy.Validate(); err != nil {
			return Scenario{}, err
		}
		if _, ok := g.Policy.Delay(backoff.State{Attempt: 1}, 1<<63); !ok {
			return bad("policy", g.Policy.String(), "a policy that tries at least once")
		}
	}
	if total > maxClients {
		return bad("clients", strconv.Itoa(total), "1 to 4000000 (simulate a tenth of the clients at a tenth of the capacity)")
	}
	sv := &s.Server
	if !(sv.Capacity >= 0.001 && sv.Capacity <= 1e6) {
		return bad("capacity", number(sv.Capacity), "0.001 to 1000000 handshakes per second")
	}
	if sv.Backlog == 0 {
		sv.Backlog = DefaultBacklog
	}
	if sv.Backlog < 1 || float64(sv.Backlog) > float64(sv.Capacity*longestHorizon.Seconds()) {
		return bad("backlog", strconv.Itoa(sv.Backlog), "1 handshake to a week's work")
	}
	if sv.RejectCost == 0 && !sv.FreeRejects {
		sv.RejectCost = DefaultRejectCost
	}
	if sv.FreeRejects {
		sv.RejectCost = 0
	}
	if !(sv.RejectCost >= 0 && sv.RejectCost <= 1) {
		return bad("reject-cost", number(sv.RejectCost), "0 to 1 handshakes")
	}
	if sv.Descriptors < 0 {
		return bad("fd-limit", strconv.Itoa(sv.Descriptors), "1 or more sockets, or 0 for no limit")
	}
	if sv.Descriptors > 0 && total > sv.Descriptors {
		return Scenario{}, &fault.Error{Code: fault.Infeasible, Package: "herd", Field: "fd-limit", Value: strconv.Itoa(sv.Descriptors),
			Expected: "at least " + strconv.Itoa(total) + ", one descriptor for each client: no policy helps when they cannot all be connected"}
	}
	if sv.Intake != 0 && !(sv.Intake >= 0.001 && sv.Intake <= 1e7) {
		return bad("intake", number(sv.Intake), "0.001 to 10000000 attempts per second, or 0 for no limit")
	}
	if !(sv.Growth >= 0 && sv.Growth <= 1000) {
		return bad("growth", number(sv.Growth), "0 to 1000 handshakes")
	}
	if s.Net.Instant {
		s.Net.Trip = 0
	} else if s.Net.Trip == 0 {
		s.Net.Trip = DefaultTrip
	}
	if s.Net.Trip < 0 || s.Net.Trip > lapse.Minute {
		return bad("rtt", s.Net.Trip.String(), "0 to 1m")
	}
	if s.Net.Sigma == 0 {
		s.Net.Sigma = DefaultSigma
	}
	if !(s.Net.Sigma >= 0 && s.Net.Sigma <= 2) {
		return bad("rtt-sigma", number(s.Net.Sigma), "0 to 2")
	}
	if s.Net.Timeout == 0 {
		s.Net.Timeout = DefaultTimeout
	}
	if s.Net.Timeout < lapse.Millisecond || s.Net.Timeout > longestTimer {
		return bad("timeout", s.Net.Timeout.String(), "1ms to "+longestTimer.String()+", the longest timer of JavaScript")
	}
	if s.Outage.For < 0 || s.Outage.For > longestHorizon {
		return bad("outage", s.Outage.For.String(), "0 to a week")
	}
	if s.Door.Rate != 0 {
		d := &s.Door
		if !(d.Rate >= 0.001 && d.Rate <= 1e6) {
			return bad("door-rate", number(d.Rate), "0.001 to 1000000 admissions per second")
		}
		if d.Burst == 0 {
			d.Burst = max(1, int(d.Rate/10))
		}
		if d.Burst < 1 || d.Burst > 1e9 {
			return bad("door-burst", strconv.Itoa(d.Burst), "1 to 1000000000 admissions")
		}
		if d.RetryAfter < 0 || d.RetryAfter > longestTimer || d.Jitter < 0 || d.Jitter > longestTimer {
			return bad("retry-after", d.RetryAfter.String()+" + "+d.Jitter.String(), "0 to "+longestTimer.String())
		}
		if !(d.Cost >= 0 && d.Cost <= 1) {
			return bad("door-cost", number(d.Cost), "0 to 1 handshakes")
		}
	}
	if err := s.prepareDrops(total); err != nil {
		return Scenario{}, err
	}
	last := s.Outage.For
	for _, d := range s.Drops {
		last = max(last, d.At+d.Over)
	}
	if s.Horizon == 0 {
		fastest := lapse.Duration(math.Min(float64(total)/sv.Capacity*10*1e9, float64(longestHorizon)))
		s.Horizon = min(last+max(15*lapse.Minute, fastest), longestHorizon)
	}
	if s.Horizon < lapse.Millisecond || s.Horizon > longestHorizon {
		return bad("horizon", s.Horizon.String(), "1ms to a week")
	}
	if s.MaxEvents == 0 {
		s.MaxEvents = defaultMaxEvents
	}
	if s.MaxEvents < 0 {
		return bad("max-events", strconv.FormatInt(s.MaxEvents, 10), "1 or more arrivals")
	}
	return s, nil
}

// prepareDrops turns a rolling restart into drops, fills in the first one and checks them all.
func (s *Scenario) prepareDrops(clients int) error {
	if r := s.Restart; r.Nodes != 0 {
		switch {
		case len(s.Drops) > 0:
			return &fault.Error{Code: fault.BadUsage, Package: "herd", Field: "restart", Expected: "either drops or a rolling restart, not both"}
		case r.Nodes < 2 || r.Nodes > 250:
			return fault.Value("herd", "restart", strconv.Itoa(r.Nodes), "2 to 250 nodes")
		case r.Every <= 0 || r.Every > longestHorizon/250:
			return fault.Value("herd", "restart-every", r.Every.String(), "above 0 to "+(longestHorizon/250).String())
		case r.Down < 0 || r.Down > r.Every:
			return fault.Value("herd", "restart-down", r.Down.String(), "0 to restart-every, "+r.Every.String())
		case r.Drain < 0 || r.Drain > r.Every:
			return fault.Value("herd", "drain", r.Drain.String(), "0 to restart-every, "+r.Every.String())
		}
		for i := range r.Nodes {
			s.Drops = append(s.Drops, Drop{At: lapse.Duration(i) * r.Every, Share: 1, Over: r.Drain, node: i + 1})
		}
		return nil
	}
	if len(s.Drops) == 0 {
		s.Drops = []Drop{{}}
	}
	s.Drops = append([]Drop(nil), s.Drops...)
	for i := range s.Drops {
		d := &s.Drops[i]
		if d.Share == 0 {
			d.Share = 1
		}
		switch {
		case !(d.Share > 0 && d.Share <= 1):
			return fault.Value("herd", "drop-share", number(d.Share), "above 0 to 1")
		case d.At < 0 || d.At > longestHorizon:
			return fault.Value("herd", "drop-at", d.At.String(), "0 to a week")
		case i == 0 && d.At != 0:
			return fault.Value("herd", "drop-at", d.At.String(), "0 for the first drop: time counts from it")
		case i > 0 && d.At < s.Drops[i-1].At+s.Drops[i-1].Over:
			return fault.Value("herd", "drop-at", d.At.String(), "the drops in order, each after the end of the one before")
		case d.Over < 0 || d.Over > longestHorizon/2:
			return fault.Value("herd", "drain", d.Over.String(), "0 to half a week")
		case d.Batches < 0 || d.Batches > clients:
			return fault.Value("herd", "batches", strconv.Itoa(d.Batches), "0 to the number of clients")
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
