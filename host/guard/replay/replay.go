// Package replay asks what a guard's limits would have done to a log: how many handshakes they had refused, whose, and
// how many of those clients were innocent. That is how an operator chooses the numbers before anybody is refused.
//
//	r, err := replay.New(guard.Options{Client: bucket.Limit{Rate: 2, Burst: 5}})
//	for each event of the log { r.Add(batch, event) }
//	result, err := r.Result()
//
// The guard itself decides, over requests made from the log's attempts in the order of their instants, by a clock that is
// the latest instant seen; an address that cannot be read counts as the peer that the log names. Waits are rounded up to
// whole seconds, at least one, as Retry-After is.
//
// # Innocent or not
//
// A refused client that came more often than the limit for a client (2 a second, 5 at once, if there is none) hammers, or
// several clients share its address ("shared", when three or more user agents came from it). One that never did was
// refused by the fleet's limit for coming when all came ("rush"). Rush and shared are the innocents.
//
// What a replay cannot know: a refused client would have come again, and the log has only what happened without a guard.
// So the figures say who is hit, and how hard at first; what the herd does then, a simulation says.
package replay

import (
	"cmp"
	"log/slog"
	"math"
	"net/http"
	"net/textproto"
	"slices"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/guard"
)

// Replay collects the attempts of a log, 32 bytes each and each text once.
type Replay struct {
	options   guard.Options
	attempts  []attempt
	texts     []string
	known     map[string]uint32
	timeless  int64
	forwarded string
}

// attempt is one handshake of the log; texts are indices.
type attempt struct {
	at                       int64
	count                    uint32
	client, forwarded, agent uint32
}

// New makes a replay of a guard with these options; Mode, Store, Logger, Now and Seed are the replay's own. The key is
// "ip" when none is said; a log does not show headers.
func New(o guard.Options) (*Replay, error) {
	if o.Key == "" {
		o.Key = "ip"
	}
	if len(o.Key) > 6 && o.Key[:7] == "header:" {
		return nil, &fault.Error{Code: fault.Unsupported, Package: "guard", Field: "key", Value: o.Key, Expected: "ip, direct or none: a log does not show that header"}
	}
	o.Mode, o.Store, o.Logger, o.Seed = guard.Enforce, nil, slog.New(slog.DiscardHandler), 1
	if _, err := guard.New(o); err != nil {
		return nil, err
	}
	r := &Replay{options: o, known: map[string]uint32{"": 0}, texts: []string{""}, forwarded: "X-Forwarded-For"}
	if o.Forwarded != "" {
		r.forwarded = textproto.CanonicalMIMEHeaderKey(o.Forwarded)
	}
	return r, nil
}

// Add takes an event of a batch; closes are passed over.
func (r *Replay) Add(b *connlog.Batch, e *connlog.Event) {
	if e.Kind != connlog.Attempt {
		return
	}
	if e.Time == connlog.None {
		r.timeless++
		return
	}
	client, forwarded := b.Text(e.Client), b.Text(e.Forwarded)
	if len(client) == 0 || string(client) == "-" { // a log with the list alone: its newest entry is the gateway's peer
		client = address.Hop(forwarded, 1)
	}
	r.attempts = append(r.attempts, attempt{e.Time, max(e.Count, 1), r.text(client), r.text(forwarded), r.text(b.Text(e.UserAgent))})
}

func (r *Replay) text(t []byte) uint32 {
	i, ok := r.known[string(t)]
	if !ok {
		i = uint32(len(r.texts))
		r.texts = append(r.texts, string(t))
		r.known[r.texts[i]] = i
	}
	return i
}

// Result decides over everything that was added, by the limits asked for and by some around them.
func (r *Replay) Result() (*Result, error) {
	if len(r.attempts) == 0 {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "guard", Message: "the log holds no handshakes with a time"}
	}
	slices.SortStableFunc(r.attempts, func(a, b attempt) int { return cmp.Compare(a.at, b.at) })
	res := &Result{Timeless: r.timeless, From: r.attempts[0].at, To: r.attempts[len(r.attempts)-1].at}
	res.bins()
	main, err := r.lane(r.options, res)
	if err != nil {
		return nil, err
	}
	res.Limits = *main
	res.peaks()
	for _, o := range around(r.options) {
		l, err := r.lane(o, nil)
		if err != nil {
			continue // a multiple beyond what a limit may be
		}
		res.Around = append(res.Around, *l)
	}
	return res, nil
}

// around are the limits worth comparing with those asked for.
func around(o guard.Options) (list []guard.Options) {
	if o.Client == (bucket.Limit{}) {
		o.Client = bucket.Limit{Rate: 2, Burst: 5}
	}
	if o.Key != "none" && o.Client.Rate <= math.MaxFloat64 {
		for _, f := range []float64{0.25, 0.5, 2, 4} {
			p := o
			p.Client.Rate *= f
			list = append(list, p)
		}
		for _, b := range []int64{1, 2 * o.Client.Burst} {
			if p := o; b != o.Client.Burst {
				p.Client.Burst = b
				list = append(list, p)
			}
		}
	}
	if o.Fleet.Rate > 0 {
		for _, f := range []float64{0.5, 2} {
			p := o
			p.Fleet.Rate *= f
			p.Fleet.Burst = int64(math.Ceil(float64(p.Fleet.Burst) * f))
			list = append(list, p)
		}
	}
	return list
}

// lane runs one guard over the log; with a result to fill, it keeps account of each client.
func (r *Replay) lane(o guard.Options, res *Result) (*Lane, error) {
	clock := int64(math.MinInt64)
	o.Now = func() int64 { return clock }
	g, err := guard.New(o)
	if err != nil {
		return nil, err
	}
	client, fleet := o.Client, o.Fleet
	if client == (bucket.Limit{}) {
		client = bucket.Limit{Rate: 2, Burst: 5}
	}
	if o.Key == "none" {
		client.Rate = math.Inf(1)
	}
	if fleet.Rate > 0 && fleet.Burst == 0 {
		fleet.Burst = int64(max(1, math.Ceil(fleet.Rate)/10))
	}
	l := &Lane{Client: client, Fleet: fleet}
	judge := client
	if client.Rate > math.MaxFloat64 {
		judge = bucket.Limit{Rate: 2, Burst: 5}
	}
	manners, err := judge.Compile()
	if err != nil {
		return nil, err
	}
	tallies := map[string]*Client{}
	agents := map[string]map[uint32]bool{}
	for i := range r.attempts {
		a := &r.attempts[i]
		clock = max(clock, a.at)
		request := &http.Request{RemoteAddr: r.texts[a.client], Header: http.Header{}}
		if a.forwarded != 0 {
			request.Header[r.forwarded] = []string{r.texts[a.forwarded]}
		}
		for range a.count {
			v := g.Judge(request)
			l.Attempts++
			c := tallies[v.Key.Text]
			if c == nil {
				c = &Client{Name: v.Key.Text, First: a.at, manners: bucket.Bucket{Rule: manners}}
				tallies[c.Name] = c
				agents[c.Name] = map[uint32]bool{}
			}
			if set := agents[c.Name]; a.agent != 0 && len(set) < shared {
				set[a.agent] = true
			}
			c.Attempts++
			c.often = !c.manners.Take(clock, 1).Allowed || c.often
			admitted := v.Outcome != guard.Refused
			switch {
			case v.Outcome == guard.Exempt:
				l.Exempt++
			case admitted && v.Wait > 0:
				l.Held++
			case admitted:
			case v.Gate == bucket.Client:
				l.ByClient++
				c.ByClient++
			default:
				l.ByFleet++
				c.ByFleet++
			}
			if v.Suspended {
				l.Suspended++
				c.Suspended = true
			}
			if !admitted {
				if c.Since == 0 {
					c.Since = a.at
				}
				l.Longest = max(l.Longest, wholeSeconds(v.Hint))
			}
			if res != nil {
				res.count(a.at)
				if admitted {
					res.admit(clock + int64(v.Wait))
				}
			}
		}
	}
	l.Clients = int64(len(tallies))
	for _, c := range tallies {
		c.Agents = int64(len(agents[c.Name]))
		c.Kind = c.kind()
		switch c.Kind {
		case Hammering:
			l.Hammering++
		case Shared:
			l.Shared++
		case Rush:
			l.Rush++
		}
		if res != nil && c.Kind != Passed {
			res.Refused = append(res.Refused, *c)
		}
		if res != nil && c.Suspended {
			res.Suspended = append(res.Suspended, c.Name)
		}
	}
	if res != nil {
		slices.Sort(res.Suspended)
		slices.SortFunc(res.Refused, func(a, b Client) int {
			return cmp.Or(cmp.Compare(b.ByClient+b.ByFleet, a.ByClient+a.ByFleet), cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Name, b.Name))
		})
	}
	return l, nil
}

func wholeSeconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}
