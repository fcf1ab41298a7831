package herd

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/lapse"
)

// Request is what simulate and recommend read: the scenario without its groups, and who the clients are. Its JSON form
// has the command line's flags with _ for -, durations as numbers of milliseconds under names that end in _ms:
//
//	clients capacity policy others                          policy is a SPEC, an object, or an array of them
//	backlog timeout_ms reject_cost fd_limit rtt_ms rtt_sigma drop_syn skip_departed growth
//	outage_ms outage_hangs drain_ms batches drops restart door seed horizon_ms max_events
//	tight max_wait_ms clients_fixed nodes                   of recommend
//	report                                                  an analysis; what the request does not say is taken from it
type Request struct {
	Scenario
	Clients      int      // N
	Policies     []string // each is simulated for itself
	Others       []Other  // clients that have another policy, whatever is simulated
	Tight        bool     // N, C and the backlog are known: no room for error
	MaxWait      lapse.Duration
	ClientsFixed string // the policy that the clients have and keep
	Nodes        int    // of the deployment to be planned; 0: 10
	Notes        []string
}

// Other is a share of the clients with a policy of their own.
type Other struct {
	Share  float64
	Policy string
}

const requestKeys = "clients, capacity, policy, others, backlog, timeout_ms, reject_cost, fd_limit, rtt_ms, rtt_sigma, drop_syn, skip_departed, intake, growth, " +
	"outage_ms, outage_hangs, drain_ms, batches, drops, restart, door, seed, horizon_ms, max_events, tight, max_wait_ms, clients_fixed, nodes, report"

// ParseRequest reads the JSON form; unknown keys are refused.
func ParseRequest(data []byte) (Request, error) {
	var q Request
	var drain Drop
	var report []byte
	err := jsonscan.Object(data, func(key, value []byte) error {
		name := string(key)
		read := func(into any) error { return jsonscan.Read("herd", name, value, into) }
		span := func(into *lapse.Duration) error { return readSpan(name, value, into) }
		if jsonscan.KindOf(value) == jsonscan.Null {
			return nil
		}
		switch name {
		case "clients":
			return read(&q.Clients)
		case "capacity":
			return read(&q.Server.Capacity)
		case "policy":
			return readPolicies(value, &q.Policies)
		case "others":
			return readOthers(value, &q.Others)
		case "backlog":
			if err := read(&q.Server.Backlog); err != nil {
				return err
			}
			return positive(name, float64(q.Server.Backlog), "1 handshake or more")
		case "timeout_ms":
			if err := span(&q.Net.Timeout); err != nil {
				return err
			}
			return positive(name, float64(q.Net.Timeout), "1 to 2147483647 ms")
		case "reject_cost":
			err := read(&q.Server.RejectCost)
			q.Server.FreeRejects = q.Server.RejectCost == 0
			return err
		case "fd_limit":
			if err := read(&q.Server.Descriptors); err != nil {
				return err
			}
			return positive(name, float64(q.Server.Descriptors), "1 socket or more")
		case "rtt_ms":
			err := span(&q.Net.Trip)
			q.Net.Instant = q.Net.Trip == 0
			return err
		case "rtt_sigma":
			return read(&q.Net.Sigma)
		case "drop_syn":
			return read(&q.Server.DropSYN)
		case "skip_departed":
			return read(&q.Server.SkipDeparted)
		case "intake":
			return read(&q.Server.Intake)
		case "growth":
			return read(&q.Server.Growth)
		case "outage_ms":
			return span(&q.Outage.For)
		case "outage_hangs":
			return read(&q.Outage.Hangs)
		case "drain_ms":
			return span(&drain.Over)
		case "batches":
			if err := read(&drain.Batches); err != nil {
				return err
			}
			return positive(name, float64(drain.Batches), "1 step or more")
		case "drops":
			return readDrops(value, &q.Drops)
		case "restart":
			return readRestart(value, &q.Restart)
		case "door":
			return readDoor(value, &q.Door)
		case "seed":
			return read(&q.Seed)
		case "horizon_ms":
			if err := span(&q.Horizon); err != nil {
				return err
			}
			return positive(name, float64(q.Horizon), "1 ms to a week")
		case "max_events":
			if err := read(&q.MaxEvents); err != nil {
				return err
			}
			return positive(name, float64(q.MaxEvents), "1 or more arrivals")
		case "tight":
			return read(&q.Tight)
		case "max_wait_ms":
			if err := span(&q.MaxWait); err != nil {
				return err
			}
			return positive(name, float64(q.MaxWait), "1 ms to a week")
		case "clients_fixed":
			var list []string
			if err := readPolicies(value, &list); err != nil || len(list) != 1 {
				return fault.Value("herd", name, jsonscan.Sample(value), "one policy")
			}
			q.ClientsFixed = list[0]
			return nil
		case "nodes":
			if err := read(&q.Nodes); err != nil {
				return err
			}
			return positive(name, float64(q.Nodes), "1 to 10000")
		case "report":
			report = append([]byte(nil), value...)
			return nil
		}
		return jsonscan.Unknown("herd", key, requestKeys)
	})
	if err != nil {
		return q, err
	}
	if drain != (Drop{}) {
		switch {
		case q.Restart.Nodes > 0:
			return q, &fault.Error{Code: fault.BadUsage, Package: "herd", Field: "drain_ms", Expected: "restart.drain_ms for the drain of each node"}
		case len(q.Drops) > 0:
			return q, &fault.Error{Code: fault.BadUsage, Package: "herd", Field: "drain_ms", Expected: "over_ms within drops, or no drops"}
		}
		q.Drops = []Drop{drain}
	}
	if report != nil {
		if err := q.fromReport(report); err != nil {
			return q, err
		}
	}
	return q, nil
}

func positive(field string, v float64, expected string) error {
	if v > 0 {
		return nil
	}
	return fault.Value("herd", field, number(v), expected)
}

// readSpan reads milliseconds.
func readSpan(field string, value []byte, into *lapse.Duration) error {
	var ms float64
	if err := jsonscan.Read("herd", field, value, &ms); err != nil {
		return err
	}
	if !(ms >= 0 && ms <= 1e12) { // the narrower limits of each are the scenario's
		return fault.Value("herd", field, number(ms), "0 to 1e12 ms")
	}
	*into = lapse.Duration(ms * 1e6)
	return nil
}

// readPolicies reads a SPEC, an object, or an array of them, and keeps the words.
func readPolicies(value []byte, into *[]string) error {
	one := func(value []byte) error {
		switch jsonscan.KindOf(value) {
		case jsonscan.Map:
			*into = append(*into, string(value))
			return nil
		case jsonscan.String:
			s, _ := jsonscan.Text(value)
			*into = append(*into, s)
			return nil
		}
		return fault.Value("herd", "policy", jsonscan.Sample(value), "a SPEC such as full:1s:30s, or an object")
	}
	if jsonscan.KindOf(value) == jsonscan.List {
		return jsonscan.Array(value, func(_ int, v []byte) error { return one(v) })
	}
	return one(value)
}

// readOthers reads ["20%:fixed:1s"] or [{"share":0.2,"policy":"fixed:1s"}].
func readOthers(value []byte, into *[]Other) error {
	return jsonscan.Array(value, func(_ int, v []byte) error {
		if jsonscan.KindOf(v) == jsonscan.String {
			text, _ := jsonscan.Text(v)
			share, policy, _ := strings.Cut(text, ":")
			digits, percent := strings.CutSuffix(share, "%")
			f, err := strconv.ParseFloat(digits, 64)
			if percent {
				f /= 100
			}
			if err != nil || !(f > 0 && f < 1) || policy == "" {
				return fault.Value("herd", "others", jsonscan.Sample(v), "SHARE:SPEC with a share above 0 and below 100 %, such as 20%:fixed:1s")
			}
			*into = append(*into, Other{f, policy})
			return nil
		}
		var o Other
		err := jsonscan.Object(v, func(key, value []byte) error {
			switch string(key) {
			case "share":
				return jsonscan.Read("herd", "others.share", value, &o.Share)
			case "policy":
				var list []string
				err := readPolicies(value, &list)
				if err == nil && len(list) == 1 {
					o.Policy = list[0]
				}
				return err
			}
			return jsonscan.Unknown("herd", key, "share, policy")
		})
		if err == nil && (!(o.Share > 0 && o.Share < 1) || o.Policy == "") {
			err = fault.Value("herd", "others", jsonscan.Sample(v), "a share above 0 and below 1, and a policy")
		}
		*into = append(*into, o)
		return err
	})
}

func readDrops(value []byte, into *[]Drop) error {
	return jsonscan.Array(value, func(_ int, v []byte) error {
		var d Drop
		err := jsonscan.Object(v, func(key, value []byte) error {
			switch string(key) {
			case "at_ms":
				return readSpan("drops.at_ms", value, &d.At)
			case "share":
				return jsonscan.Read("herd", "drops.share", value, &d.Share)
			case "over_ms":
				return readSpan("drops.over_ms", value, &d.Over)
			case "batches":
				return jsonscan.Read("herd", "drops.batches", value, &d.Batches)
			}
			return jsonscan.Unknown("herd", key, "at_ms, share, over_ms, batches")
		})
		*into = append(*into, d)
		return err
	})
}

func readRestart(value []byte, r *Restart) error {
	err := jsonscan.Object(value, func(key, value []byte) error {
		switch string(key) {
		case "nodes":
			return jsonscan.Read("herd", "restart.nodes", value, &r.Nodes)
		case "every_ms":
			return readSpan("restart.every_ms", value, &r.Every)
		case "down_ms":
			return readSpan("restart.down_ms", value, &r.Down)
		case "drain_ms":
			return readSpan("restart.drain_ms", value, &r.Drain)
		}
		return jsonscan.Unknown("herd", key, "nodes, every_ms, down_ms, drain_ms")
	})
	if err != nil {
		return err
	}
	return positive("restart.nodes", float64(r.Nodes), "2 to 250 nodes")
}

func readDoor(value []byte, d *Door) error {
	err := jsonscan.Object(value, func(key, value []byte) error {
		switch string(key) {
		case "rate":
			return jsonscan.Read("herd", "door.rate", value, &d.Rate)
		case "burst":
			if err := jsonscan.Read("herd", "door.burst", value, &d.Burst); err != nil {
				return err
			}
			return positive("door.burst", float64(d.Burst), "1 to 1000000000 admissions")
		case "retry_after_ms":
			return readSpan("door.retry_after_ms", value, &d.RetryAfter)
		case "jitter_ms":
			return readSpan("door.jitter_ms", value, &d.Jitter)
		case "cost":
			return jsonscan.Read("herd", "door.cost", value, &d.Cost)
		}
		return jsonscan.Unknown("herd", key, "rate, burst, retry_after_ms, jitter_ms, cost")
	})
	if err != nil {
		return err
	}
	return positive("door.rate", d.Rate, "0.001 to 1000000 admissions per second")
}

// with is the request's scenario with its clients under a policy, or in the report's groups where the policy is "".
func (q *Request) with(policy string) (Scenario, error) {
	s := q.Scenario
	if q.Clients < 1 || q.Clients > maxClients {
		return s, fault.Value("herd", "clients", strconv.Itoa(q.Clients), "1 to 4000000 (simulate a tenth of the clients at a tenth of the capacity)")
	}
	if policy == "" {
		if len(s.Groups) == 0 {
			return s, &fault.Error{Code: fault.BadUsage, Package: "herd", Message: "no policy", Expected: "--policy SPEC, such as full:1s:30s, or a report that knows its clients' schedules"}
		}
		return s, nil
	}
	s.Groups = nil
	left := q.Clients
	for _, o := range q.Others {
		p, err := backoff.Parse(o.Policy)
		if err != nil {
			return s, err
		}
		n := int(float64(o.Share*float64(q.Clients)) + 0.5)
		if n == 0 {
			continue
		}
		s.Groups = append(s.Groups, Group{Clients: n, Policy: p})
		left -= n
	}
	if left < 1 {
		return s, fault.Value("herd", "others", strconv.Itoa(q.Clients-left)+" of "+strconv.Itoa(q.Clients)+" clients", "shares that leave somebody with the policy")
	}
	p, err := backoff.Parse(policy)
	if err != nil {
		return s, err
	}
	s.Groups = append([]Group{{Clients: left, Policy: p}}, s.Groups...)
	return s, nil
}
