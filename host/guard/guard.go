package guard

import (
	"context"
	"log/slog"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/stat"
)

// Guard decides over handshakes. It is safe for concurrent use, and a prometheus.Collector.
type Guard struct {
	settings atomic.Pointer[settings]
	store    Store
	log      *slog.Logger
	now      func() int64
	sleep    func(context.Context, time.Duration)
	seed     uint64
	random   func() uint64
	setting  sync.Mutex // held by Set
	suspects suspects
	line     line
	queue    struct {
		sync.Mutex
		*bucket.Queue
	}
	summary summary
	metrics *metrics
	closing chan struct{} // a token for each close handshake under way
	held    atomic.Int64
}

// maxClosing is how many refused clients may be in their close handshake at once in mode Close; each holds a descriptor
// for up to linger. Beyond that the refusal is Enforce's.
const maxClosing = 1024

// New makes a guard, or says which option is wrong.
func New(o Options) (*Guard, error) {
	g := &Guard{store: o.Store, log: o.Logger, now: o.Now, sleep: sleep, seed: o.Seed, random: rand.Uint64, closing: make(chan struct{}, maxClosing)}
	if g.seed == 0 {
		g.seed = rand.Uint64()
	} else {
		var drawn atomic.Uint64
		g.random = func() uint64 { return stat.Draw(g.seed, drawn.Add(1), 0) }
	}
	if g.store == nil {
		g.store = new(Memory)
	}
	if g.log == nil {
		g.log = slog.Default()
	}
	if g.now == nil {
		start := time.Now()
		g.now = func() int64 { return int64(time.Since(start)) }
	}
	g.metrics = newMetrics(g)
	if err := g.Set(o); err != nil {
		return nil, err
	}
	return g, nil
}

// Set changes the settings of a running guard: all or, with an error, none of them. What clients owe stays. Store,
// Logger, Now and Keys are those of the start.
func (g *Guard) Set(o Options) error {
	s, err := o.compile()
	if err != nil {
		return err
	}
	g.setting.Lock() // two changes at once must not leave the store with one and the answers with the other
	defer g.setting.Unlock()
	old := g.settings.Load()
	if old != nil {
		s.keys = old.keys
	}
	var q *bucket.Queue
	if s.fleet != nil {
		share := s.fleet.Limit()
		share.Rate /= float64(s.instances)
		rule, err := share.Compile()
		if err != nil {
			return err
		}
		if q, err = bucket.NewQueue(rule, 0, s.longest, s.keys); err != nil {
			return err
		}
	}
	hold := s.hold
	if s.mode == Shadow {
		hold = 0
	}
	if err := g.store.Set(Limits{Client: s.client, Fleet: s.fleet, Hold: hold, Keys: s.keys, Instances: s.instances}); err != nil {
		return err
	}
	g.line.set(s.fleet, hold)
	g.queue.Lock()
	g.queue.Queue = q
	g.queue.Unlock()
	g.settings.Store(s)
	if old == nil {
		return nil
	}
	g.log.Info("guard: limits changed", "mode", string(s.mode), "client_rate", s.clientLimit.Rate, "client_burst", s.clientLimit.Burst,
		"fleet_rate", s.fleetLimit.Rate, "fleet_burst", s.fleetLimit.Burst)
	return nil
}

// Outcome is what became of a handshake.
type Outcome string

// The outcomes.
const (
	Admitted    Outcome = "admitted"
	Refused     Outcome = "refused"
	WouldRefuse Outcome = "would_refuse" // shadow: let in all the same
	Exempt      Outcome = "exempt"       // on the allow list
	Gone        Outcome = "gone"         // admitted, and went away while it waited for its token
)

// Verdict is what the guard decided over one handshake.
type Verdict struct {
	Ruling
	Outcome   Outcome
	Key       Key
	Hint      time.Duration // what a refused client is told to wait; 0 for the others
	Suspended bool          // the client's limit was not asked: its address looks like a proxy that nobody declared
}

// Judge decides over one request without answering it. Wrap is what most programs want.
func (g *Guard) Judge(r *http.Request) Verdict {
	s := g.settings.Load()
	v := g.judge(s, r)
	g.count(s, v)
	return v
}

// count tells the metrics and the log.
func (g *Guard) count(s *settings, v Verdict) {
	g.metrics.count(v)
	if v.Outcome == Refused || v.Outcome == WouldRefuse {
		g.summary.add(g, s, v, g.now())
	}
}

func (g *Guard) judge(s *settings, r *http.Request) Verdict {
	c := s.identify(r)
	if len(s.allow) > 0 && !c.client.IsZero() && s.allow.Trust(c.client) {
		return Verdict{Outcome: Exempt, Key: Key{Text: c.key}, Ruling: Ruling{Decision: bucket.Decision{Allowed: true}, Scope: Process, Source: "none"}}
	}
	now := g.now()
	v := Verdict{Outcome: Admitted, Key: Key{Text: c.key, ID: g.id(c.key), FleetOnly: s.rule == keyNone}}
	if s.rule == keyIP && c.direct {
		var news bool
		if v.Suspended, news = g.suspects.observe(v.Key, g.hash(c.forwarded), now); news {
			g.log.Warn("guard: this address looks like a proxy that was not declared: refusals by the client's limit are suspended for it; declare it as a trusted proxy, or its clients share one limit",
				"address", c.key, "share_above", address.ProxyShare, "forwarded_addresses", address.ProxyAddresses)
		}
		v.Key.FleetOnly = v.Suspended
	}
	v.Ruling = g.store.Take(r.Context(), v.Key, now)
	if v.Allowed {
		return v
	}
	v.Outcome = Refused
	if s.mode == Shadow {
		v.Outcome = WouldRefuse
	}
	v.Hint = g.hint(s, v, now)
	return v
}

// hint is when a refused client should come again. It never is a constant, and never sooner than the limit allows.
func (g *Guard) hint(s *settings, v Verdict, now int64) time.Duration {
	if v.Gate == bucket.Fleet {
		g.queue.Lock()
		defer g.queue.Unlock()
		if g.queue.Queue != nil {
			return g.queue.Wait(v.Key.ID, now, g.random())
		}
	}
	least := min(max(v.RetryAfter, 0), s.longest)
	extra, _ := bits.Mul64(g.random(), uint64(max(least, time.Second)))
	return min(least+time.Duration(extra), s.longest)
}

// Trusts reports whether an address is one of the trusted proxies, by the settings of now.
func (g *Guard) Trusts(peer address.Addr) bool { return g.settings.Load().proxies.Trust(peer) }

// Wrap puts the guard before a handler. Requests that are no WebSocket handshakes pass untouched unless Every is set.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := g.settings.Load()
		if !s.every && !handshake(r) {
			next.ServeHTTP(w, r)
			return
		}
		v := g.judge(s, r)
		if v.Outcome == Admitted {
			ok, full := g.line.pass(r.Context(), g, v.Ruling)
			switch {
			case full:
				v.Outcome, v.Gate, v.Source = Refused, bucket.Fleet, "line"
				v.Allowed, v.Hint = false, g.hint(s, v, g.now())
			case !ok:
				v.Outcome = Gone
			case s.most > 0 && s.mode != Shadow:
				r = r.WithContext(context.WithValue(r.Context(), mostKey{}, s.most))
			}
		}
		g.count(s, v)
		switch v.Outcome {
		case Refused:
			g.refuse(s, w, r, v)
		case Gone:
		default:
			next.ServeHTTP(w, r)
		}
	})
}

type mostKey struct{}

// Most is how many handshakes the fleet's limit lets in in any second, for the context of a request that a guard admitted;
// 0 for any other: exempt, in shadow mode, or without a limit. A handler that passes handshakes on needs it, because what
// leaves at the right moments may arrive in a bunch.
func Most(ctx context.Context) int64 {
	most, _ := ctx.Value(mostKey{}).(int64)
	return most
}

// sleep waits, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
