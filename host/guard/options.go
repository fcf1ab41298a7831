package guard

import (
	"errors"
	"log/slog"
	"math"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
)

// Mode says what becomes of a handshake over a limit.
type Mode string

// The modes; "" is Shadow.
const (
	Shadow  Mode = "shadow"  // it is let in, counted and logged
	Enforce Mode = "enforce" // it is refused by 429 or 503
	Close   Mode = "close"   // it is accepted and closed with 1013, which browsers can see
)

// Options are a guard's settings. The zero Options watch: mode shadow, two handshakes a second and five at once for each
// address, no limit for the fleet.
type Options struct {
	Mode Mode
	// Key says who a client is: "ip", the address behind the trusted proxies (IPv6 by its /64); "direct", the address of
	// the peer, declared to be the client's own; "header:NAME", a header that something before the guard sets; "none", no
	// limit for each client. "" is "ip", in shadow only: to refuse, choose.
	Key            string
	TrustedProxies []string // networks whose forwarded header is believed: "10.0.0.0/8"; none believes nobody
	Forwarded      string   // the header that those proxies append the client to; "" is X-Forwarded-For
	Allow          []string // networks that pass unlimited and uncounted by the limits: health checks

	Client bucket.Limit // for each client; zero is 2 a second, 5 at once; Rate +Inf for none
	Fleet  bucket.Limit // for all clients: at most Rate in any second, Burst of them at once (bucket.AtMost); zero is none
	Keys   int          // clients expected to be live at once, 48 bytes each; 0 is 65,536

	Hold      time.Duration // how long an admission may wait for the fleet's next token; 0 is 1 s, negative is not at all
	Longest   time.Duration // the longest wait that a refusal asks for; 0 is 5 min
	Instances int           // processes that share the fleet's limit by a Store; 0 is 1
	Every     bool          // limit every request, not WebSocket handshakes only

	Store  Store        // where the buckets are; nil is this process's memory
	Logger *slog.Logger // nil is slog.Default()
	Now    func() int64 // the clock in ns, for tests and replays; nil is the process's monotonic clock
	Seed   uint64       // of hashes and hints, for tests and replays; 0 is random, so that nobody can aim at a bucket
}

// settings are Options, checked and compiled.
type settings struct {
	mode        Mode
	rule        keyRule
	header      string // of keyRule header
	forwarded   string
	proxies     address.Proxies
	allow       address.Proxies
	client      *bucket.Rule
	fleet       *bucket.Rule // what the fleet is told to be
	hold        time.Duration
	longest     time.Duration
	instances   int
	keys        int
	every       bool
	most        int64 // of the fleet in any second; 0 without a limit
	clientLimit bucket.Limit
	fleetLimit  bucket.Limit // as it was told, the burst filled in
}

type keyRule uint8

const (
	keyIP keyRule = iota
	keyDirect
	keyHeader
	keyNone
)

func bad(field, value, expected string) error { return fault.Value("guard", field, value, expected) }

// compile is the one place that refuses settings.
func (o Options) compile() (*settings, error) {
	s := &settings{mode: o.Mode, forwarded: o.Forwarded, hold: o.Hold, longest: o.Longest, instances: o.Instances, keys: o.Keys, every: o.Every}
	switch o.Mode {
	case "":
		s.mode = Shadow
	case Shadow, Enforce, Close:
	default:
		return nil, bad("mode", strconv.Quote(string(o.Mode)), "shadow, enforce or close")
	}
	if err := s.key(o.Key); err != nil {
		return nil, err
	}
	if s.forwarded == "" {
		s.forwarded = "X-Forwarded-For"
	} else if !token(s.forwarded) {
		return nil, bad("forwarded header", strconv.Quote(s.forwarded), "the name of a header")
	}
	s.forwarded = textproto.CanonicalMIMEHeaderKey(s.forwarded)
	var err error
	if s.proxies, err = networks("trusted proxy", o.TrustedProxies); err != nil {
		return nil, err
	}
	if s.rule == keyDirect && len(s.proxies) > 0 {
		return nil, bad("key", "direct", "ip, since trusted proxies are declared")
	}
	if s.allow, err = networks("allow", o.Allow); err != nil {
		return nil, err
	}
	if err := s.limits(o.Client, o.Fleet); err != nil {
		return nil, err
	}
	switch {
	case s.hold == 0:
		s.hold = time.Second
	case s.hold < 0:
		s.hold = 0
	case s.hold > time.Minute:
		return nil, bad("hold", s.hold.String(), "at most 1m; 0s for 1s, negative for none")
	}
	switch {
	case s.longest == 0:
		s.longest = 5 * time.Minute
	case s.longest < time.Second || s.longest > 24*time.Hour:
		return nil, bad("longest wait", s.longest.String(), "from 1s to 24h, or 0s for 5m")
	}
	switch {
	case s.instances == 0:
		s.instances = 1
	case s.instances < 0 || s.instances > 100_000:
		return nil, bad("instances", strconv.Itoa(s.instances), "from 1 to 100000")
	}
	if s.keys < 0 || s.keys > 1<<30 {
		return nil, bad("keys", strconv.Itoa(s.keys), "from 1 to 1073741824, or 0 for 65536")
	}
	return s, nil
}

func (s *settings) key(text string) error {
	name, header, found := strings.Cut(text, ":")
	switch {
	case text == "":
		if s.mode != Shadow {
			return &fault.Error{Code: fault.BadUsage, Package: "guard", Field: "key", Value: "not set",
				Expected: "ip, direct, header:NAME or none before the guard may refuse anybody"}
		}
	case text == "ip":
	case text == "direct":
		s.rule = keyDirect
	case text == "none":
		s.rule = keyNone
	case name == "header" && found && token(header):
		s.rule, s.header = keyHeader, textproto.CanonicalMIMEHeaderKey(header)
	default:
		return bad("key", strconv.Quote(cut(text, 80)), "ip, direct, header:NAME or none")
	}
	return nil
}

func (s *settings) limits(client, fleet bucket.Limit) error {
	if client == (bucket.Limit{}) {
		client = bucket.Limit{Rate: 2, Burst: 5}
	}
	if s.rule != keyNone && !(client.Rate > math.MaxFloat64) {
		r, err := whole("", client)
		if err != nil {
			return err
		}
		s.client, s.clientLimit = &r, client
	}
	if fleet == (bucket.Limit{}) {
		return nil
	}
	if fleet.Rate > math.MaxFloat64 {
		return bad("fleet rate", "+Inf", "a number above 0; leave it out for no limit")
	}
	l, err := bucket.AtMost(fleet.Rate, fleet.Burst)
	if err != nil {
		return named("fleet ", err)
	}
	r, err := whole("fleet ", l)
	if err != nil {
		return err
	}
	s.fleet, s.fleetLimit, s.most = &r, bucket.Limit{Rate: fleet.Rate, Burst: l.Burst}, int64(math.Ceil(fleet.Rate))
	return nil
}

// whole compiles a limit that must be able to admit somebody.
func whole(prefix string, l bucket.Limit) (bucket.Rule, error) {
	r, err := l.Compile()
	if err != nil {
		return r, named(prefix, err)
	}
	if l.Burst < 1 {
		return r, bad(prefix+"burst", strconv.FormatInt(l.Burst, 10), "at least 1: a burst of 0 admits nobody")
	}
	return r, nil
}

// named says whose limit the bucket's fault is about.
func named(prefix string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		f.Package, f.Field = "guard", prefix+f.Field
	}
	return err
}

// networks reads addresses and networks; a fault is told of the setting that they are for.
func networks(field string, list []string) (address.Proxies, error) {
	p, err := address.ParseProxies(list)
	var f *fault.Error
	if errors.As(err, &f) {
		f.Package, f.Field = "guard", field
	}
	return p, err
}

// token reports whether text can be a header's name.
func token(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0 {
			return false
		}
	}
	return text != "" && len(text) <= 200
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}
