package replay

import (
	"math"
	"slices"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// shared is how many user agents from one address make several clients of it.
const shared = 3

// Kind says why a client was refused, as far as a log can tell.
type Kind string

// The kinds of client.
const (
	Passed    Kind = ""
	Hammering Kind = "hammering" // it came more often than the limit for a client
	Shared    Kind = "shared"    // the same, and its address is several clients'
	Rush      Kind = "rush"      // it did not, but came when all came
)

// Lane is what one pair of limits would have done.
type Lane struct {
	Client, Fleet           bucket.Limit // Fleet's rate is 0 without one, Client's +Inf
	Attempts, Clients       int64
	ByClient, ByFleet       int64 // refusals
	Exempt, Held, Suspended int64
	Hammering, Shared, Rush int64 // clients refused at least once
	Longest                 int64 // s, the longest wait that a refusal asked for
}

// Refusals is how many handshakes were refused.
func (l *Lane) Refusals() int64 { return l.ByClient + l.ByFleet }

// Innocents is how many of the refused clients did nothing wrong.
func (l *Lane) Innocents() int64 { return l.Shared + l.Rush }

// Client is one client that was refused.
type Client struct {
	Name              string
	Kind              Kind
	Attempts          int64
	ByClient, ByFleet int64 // refusals
	Agents            int64 // different user agents, counted up to 3
	First, Since      int64 // instants of the first attempt and of the first refusal
	Suspended         bool
	manners           bucket.Bucket // what a client may do
	often             bool          // it did more
}

func (c *Client) kind() Kind {
	switch {
	case c.ByClient+c.ByFleet == 0:
		return Passed
	case !c.often:
		return Rush
	case c.Agents >= shared:
		return Shared
	}
	return Hammering
}

// Result is what the limits would have done to a log.
type Result struct {
	Limits    Lane
	Around    []Lane   // other limits, for comparison
	Refused   []Client // most refusals first
	Suspended []string // addresses that look like a proxy that was not declared
	Timeless  int64    // attempts without a time, left out
	From, To  int64
	Bin       int64 // ns, the width of a bin
	Came      []int64
	Let       []int64
	PeakCame  int64 // in any second
	PeakLet   int64
	came, let []int64 // instants
}

const charted = 80 // bins

func (r *Result) bins() {
	r.Bin = max((r.To-r.From)/charted+1, 1_000_000)
	n := (r.To-r.From)/r.Bin + 1
	r.Came, r.Let = make([]int64, n), make([]int64, n)
}

// count takes an attempt by its instant.
func (r *Result) count(at int64) {
	r.Came[(at-r.From)/r.Bin]++
	r.came = append(r.came, at)
}

// admit takes the instant at which an attempt would have been let in.
func (r *Result) admit(at int64) {
	i := (at - r.From) / r.Bin
	for int64(len(r.Let)) <= i { // held beyond the log's end
		r.Came, r.Let = append(r.Came, 0), append(r.Let, 0)
	}
	r.Let[i]++
	r.let = append(r.let, at)
}

func (r *Result) peaks() {
	r.PeakCame, r.PeakLet = peak(r.came), peak(r.let)
	r.came, r.let = nil, nil
}

// peak is the most instants within any second, its end left out.
func peak(instants []int64) (most int64) {
	slices.Sort(instants)
	first := 0
	for i, at := range instants {
		for at-instants[first] >= 1e9 {
			first++
		}
		most = max(most, int64(i-first+1))
	}
	return most
}

// AppendJSON appends the result as the next value; input is JSON that says what was read, or nil. Clients beyond top are
// left out (negative: none are).
func (r *Result) AppendJSON(b, input []byte, top int) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "schema"), "stormlint/guard-replay/1")
	if input != nil {
		b = jsonwrite.Raw(jsonwrite.Key(b, "input"), input)
	}
	b = jsonwrite.Time(jsonwrite.Key(b, "from"), r.From, 0)
	b = jsonwrite.Time(jsonwrite.Key(b, "to"), r.To, 0)
	b = jsonwrite.Int(jsonwrite.Key(b, "without_time"), r.Timeless)
	b = r.Limits.appendJSON(jsonwrite.Key(b, "limits"))
	b = jsonwrite.Int(jsonwrite.Key(b, "peak_per_s"), r.PeakCame)
	b = jsonwrite.Int(jsonwrite.Key(b, "peak_admitted_per_s"), r.PeakLet)
	b = jsonwrite.Strings(jsonwrite.Key(b, "suspended"), r.Suspended)
	b = jsonwrite.Array(jsonwrite.Key(b, "clients"))
	for i, c := range r.Refused {
		if i == top {
			break
		}
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "client"), c.Name)
		b = jsonwrite.String(jsonwrite.Key(b, "kind"), string(c.Kind))
		b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), c.Attempts)
		b = jsonwrite.Int(jsonwrite.Key(b, "refused_by_client_limit"), c.ByClient)
		b = jsonwrite.Int(jsonwrite.Key(b, "refused_by_fleet_limit"), c.ByFleet)
		b = jsonwrite.Int(jsonwrite.Key(b, "user_agents"), c.Agents)
		b = jsonwrite.Time(jsonwrite.Key(b, "first_refused_at"), c.Since, 0)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "around"))
	for i := range r.Around {
		b = r.Around[i].appendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Object(jsonwrite.Key(b, "arrivals"))
	b = jsonwrite.Millis(jsonwrite.Key(b, "bin_ms"), r.Bin)
	for _, s := range []struct {
		key  string
		list []int64
	}{{"attempts", r.Came}, {"admitted", r.Let}} {
		b = jsonwrite.Array(jsonwrite.Key(b, s.key))
		for _, n := range s.list {
			b = jsonwrite.Int(b, n)
		}
		b = jsonwrite.End(b, ']')
	}
	b = jsonwrite.End(b, '}')
	return jsonwrite.End(b, '}')
}

func (l *Lane) appendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	if l.Client.Rate <= math.MaxFloat64 {
		b = jsonwrite.Float(jsonwrite.Key(b, "rate"), l.Client.Rate)
		b = jsonwrite.Int(jsonwrite.Key(b, "burst"), l.Client.Burst)
	}
	if l.Fleet.Rate > 0 {
		b = jsonwrite.Float(jsonwrite.Key(b, "fleet_rate"), l.Fleet.Rate)
		b = jsonwrite.Int(jsonwrite.Key(b, "fleet_burst"), l.Fleet.Burst)
	}
	for _, f := range []struct {
		key string
		n   int64
	}{{"attempts", l.Attempts}, {"clients", l.Clients}, {"refused_by_client_limit", l.ByClient}, {"refused_by_fleet_limit", l.ByFleet},
		{"held", l.Held}, {"exempt", l.Exempt}, {"suspended", l.Suspended}, {"clients_hammering", l.Hammering}, {"clients_shared", l.Shared},
		{"clients_rush", l.Rush}, {"innocents", l.Innocents()}, {"longest_wait_s", l.Longest}} {
		b = jsonwrite.Int(jsonwrite.Key(b, f.key), f.n)
	}
	return jsonwrite.End(b, '}')
}
