package redisstore

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/guard"
)

// Down says who decides while Redis does not answer.
type Down string

// The choices; "" is Local.
const (
	Local  Down = "local"  // this process, with limit/Instances
	Open   Down = "open"   // nobody: all are admitted
	Closed Down = "closed" // all are refused
)

// Options are a store's settings. Only URL must be set.
type Options struct {
	URL     string        // redis://[user:password@]host:port[/database], rediss:// for TLS
	Prefix  string        // of all keys; "" is "stormlint"
	Lease   time.Duration // how long tokens taken together may be spent; 0 takes one at a time, at most 10 s
	Down    Down          // who decides then
	Timeout time.Duration // of one question to Redis; 0 is 20 ms, from 1 ms to 10 s
	Logger  *slog.Logger  // nil is slog.Default()
}

// Store is a guard.Store on Redis. It is safe for concurrent use, and a prometheus.Collector. Close it in the end.
type Store struct {
	redis                  *redis.Client
	fleetKey, clientPrefix string
	timeout                time.Duration
	down                   Down
	leaseFor               time.Duration

	mu    sync.RWMutex
	now   limits
	local guard.Memory // limit/Instances, always charged
	own   guard.Memory // with leases: the clients' limits in this process

	lease   lease
	breaker breaker
	metrics metrics
}

// limits are what Set compiled.
type limits struct {
	client, fleet limit
	free          time.Duration // debt of the fleet that needs no waiting
	hold          bool
	leased        bool
	span          time.Duration // after Redis's return, for how long the local buckets must agree
	rule          struct{ client, fleet bucket.Rule }
}

var _ guard.Store = (*Store)(nil)

// New makes a store. It does not need Redis to be there.
func New(o Options) (*Store, error) {
	options, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, fault.Value("redisstore", "url", redacted(o.URL), "redis://[user:password@]host:port[/database]")
	}
	s := &Store{timeout: o.Timeout, down: o.Down, leaseFor: o.Lease}
	switch {
	case s.timeout == 0:
		s.timeout = 20 * time.Millisecond
	case s.timeout < time.Millisecond || s.timeout > 10*time.Second:
		return nil, fault.Value("redisstore", "timeout", s.timeout.String(), "from 1ms to 10s, or 0s for 20ms")
	}
	if s.leaseFor < 0 || s.leaseFor > 10*time.Second {
		return nil, fault.Value("redisstore", "lease", s.leaseFor.String(), "from 0s (none) to 10s")
	}
	switch s.down {
	case "":
		s.down = Local
	case Local, Open, Closed:
	default:
		return nil, fault.Value("redisstore", "down", strconv.Quote(string(o.Down)), "local, open or closed")
	}
	prefix := o.Prefix
	if prefix == "" {
		prefix = "stormlint"
	}
	s.fleetKey, s.clientPrefix = "{"+prefix+"}:fleet", "{"+prefix+"}:client:"

	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = s.timeout, s.timeout, s.timeout, s.timeout
	options.MaxRetries, options.DialerRetries, options.ContextTimeoutEnabled = -1, 1, true
	options.PoolSize = 64
	options.DisableIdentity = true // one round trip less for each connection
	s.redis = redis.NewClient(options)
	log := o.Logger
	if log == nil {
		log = slog.Default()
	}
	s.metrics.init()
	s.breaker.init(s, log)
	return s, nil
}

// Close ends the connections; decisions after it are local.
func (s *Store) Close() error {
	s.breaker.close()
	return s.redis.Close()
}

func redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "unreadable"
	}
	return strconv.Quote(u.Redacted())
}

// Set implements guard.Store.
func (s *Store) Set(l guard.Limits) error {
	var n limits
	local, instances := guard.Limits{Keys: l.Keys}, int64(max(1, l.Instances))
	var err error
	lease := s.leaseFor
	if l.Client != nil {
		n.rule.client = *l.Client
		if n.client, err = micros(*l.Client, l.Client.Limit().Burst); err != nil {
			return err
		}
		if local.Client, err = share(*l.Client, instances); err != nil {
			return err
		}
		n.span = max(n.span, l.Client.Span())
	}
	if l.Fleet != nil {
		n.rule.fleet = *l.Fleet
		burst := l.Fleet.Limit().Burst
		if lease = min(lease, l.Fleet.Span()/2); lease >= time.Millisecond {
			n.leased = true
			burst -= int64(lease/l.Fleet.Interval()) + 1
		} else if l.Hold > 0 {
			n.hold = true
			burst += int64(l.Hold / l.Fleet.Interval())
		}
		if burst < 1 { // a span of a token or two: no room for a lease
			n.leased, burst = false, l.Fleet.Limit().Burst
		}
		if n.fleet, err = micros(*l.Fleet, burst); err != nil {
			return err
		}
		n.free = time.Duration(n.fleet.interval*l.Fleet.Limit().Burst) * time.Microsecond
		if local.Fleet, err = share(*l.Fleet, instances); err != nil {
			return err
		}
		n.span = max(n.span, l.Fleet.Span())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.local.Set(local); err != nil {
		return err
	}
	if err := s.own.Set(guard.Limits{Client: l.Client, Keys: l.Keys}); err != nil {
		return err
	}
	if l.Fleet != nil {
		s.lease.set(lease, max(1, int64(lease/l.Fleet.Interval())))
	}
	s.now = n
	return nil
}

// share is a rule's part for one of several processes: at least one token at once.
func share(r bucket.Rule, instances int64) (*bucket.Rule, error) {
	l := r.Limit()
	part, err := bucket.Limit{Rate: l.Rate / float64(instances), Burst: max(1, l.Burst/instances)}.Compile()
	return &part, err
}

// Take implements guard.Store: in about the timeout at the worst, and without asking Redis while the breaker is open.
func (s *Store) Take(_ context.Context, key guard.Key, now int64) guard.Ruling {
	s.mu.RLock()
	l := s.now
	s.mu.RUnlock()
	r, ok := guard.Ruling{}, false
	if s.breaker.closed() {
		if s.breaker.probation(now) { // Redis is back: the local buckets must agree
			if local := s.local.Take(context.Background(), key, now); !local.Allowed {
				local.Source = "local"
				s.metrics.decided("local")
				return local
			}
		}
		if l.leased {
			r, ok = s.takeLease(l, key, now)
		} else {
			r, ok = s.takeExact(l, key)
		}
	}
	if !ok {
		r = s.takeDown(key, now)
	} else if r.Allowed {
		s.local.Take(context.Background(), key, now) // kept warm
	}
	s.metrics.decided(r.Source)
	return r
}

// takeExact is one round trip for one decision.
func (s *Store) takeExact(l limits, key guard.Key) (guard.Ruling, bool) {
	c := l.client
	if key.FleetOnly {
		c = limit{}
	}
	if c.interval == 0 && l.fleet.interval == 0 {
		return guard.Ruling{Decision: bucket.Decision{Allowed: true}, Scope: guard.Cluster, Source: "redis"}, true
	}
	a, ok := s.ask(key.Text, l.fleet, c, 1)
	if !ok {
		return guard.Ruling{}, false
	}
	r := guard.Ruling{Gate: a.gate, Scope: guard.Cluster, Source: "redis"}
	r.Allowed, r.RetryAfter, r.ResetAfter = a.gate == bucket.Open, a.wait, a.owned
	if a.gate == bucket.Fleet || c.interval == 0 {
		r.Remaining, r.ResetAfter = left(l.fleet, a.fleet), a.fleet
	} else {
		r.Remaining = left(c, a.owned)
	}
	if r.Allowed && l.hold {
		r.Wait = max(0, a.fleet-l.free)
	}
	return r, true
}

func left(l limit, debt time.Duration) int64 {
	if l.interval == 0 {
		return 0
	}
	return (l.span - int64(debt/time.Microsecond)) / l.interval
}

// takeDown decides without Redis.
func (s *Store) takeDown(key guard.Key, now int64) guard.Ruling {
	switch s.down {
	case Open:
		return guard.Ruling{Decision: bucket.Decision{Allowed: true}, Scope: guard.Process, Source: "open"}
	case Closed:
		return guard.Ruling{Decision: bucket.Decision{RetryAfter: time.Second}, Gate: bucket.Fleet, Scope: guard.Process, Source: "closed"}
	}
	r := s.local.Take(context.Background(), key, now)
	r.Source, r.Wait = "local", 0
	return r
}

// ask runs the script and tells the breaker how it went.
func (s *Store) ask(client string, f, c limit, want int64) (answer, bool) {
	s.metrics.trips.Inc()
	a, err := s.run(client, f, c, want)
	switch {
	case err == nil:
		s.breaker.success()
		return a, true
	case errors.Is(err, redis.ErrPoolTimeout): // more callers than connections: this process's load, not Redis's fault
	default:
		s.breaker.failure(err)
	}
	s.metrics.failures.Inc()
	return answer{}, false
}
