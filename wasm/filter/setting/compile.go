package setting

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
)

// compile is the one place that refuses a configuration.
func (a *asked) compile() (*Settings, error) {
	s := &Settings{Share: a.share, Log: a.log, Watch: a.watch, Clients: a.clients}
	var ok bool
	switch a.mode {
	case "shadow":
	case "enforce":
		s.Enforce = true
	default:
		return nil, bad("mode", quote(a.mode), "shadow or enforce")
	}
	switch a.scope {
	case "process":
		s.Process = true
	case "worker":
	default:
		return nil, bad("scope", quote(a.scope), "process or worker")
	}
	if err := s.key(a.key); err != nil {
		return nil, err
	}
	if s.Forwarded, ok = lower(a.forwarded); !ok {
		return nil, bad("forwarded_header", quote(a.forwarded), "the name of a header")
	}
	if _, ok = lower(a.share); !ok || len(a.share) > 40 {
		return nil, bad("share", quote(a.share), "a word of at most 40 letters and digits")
	}
	var err error
	if s.Proxies, err = networks("trusted_proxies", a.proxies); err != nil {
		return nil, err
	}
	if s.Allow, err = networks("allow", a.allow); err != nil {
		return nil, err
	}
	if s.Key == Direct && len(s.Proxies) > 0 {
		return nil, bad("key", "direct", "ip, since trusted_proxies are declared")
	}
	if !(a.log >= 0 && a.log <= 1) {
		return nil, bad("log", strconv.FormatFloat(a.log, 'g', -1, 64), "0 to 1, the share of clients whose handshakes are logged")
	}
	if a.clients < 1 || a.clients > MostClients {
		return nil, bad("clients", strconv.Itoa(a.clients), "1 to "+strconv.Itoa(MostClients))
	}
	if a.longest < 1000 || a.longest > 86_400_000 {
		return nil, bad("longest_wait_ms", strconv.FormatInt(a.longest, 10), "1000 to 86400000 (1 s to 24 h)")
	}
	s.Longest = time.Duration(a.longest) * time.Millisecond
	return s, s.limits(a)
}

func (s *Settings) key(text string) error {
	switch text {
	case "":
		if s.Enforce {
			return &fault.Error{Code: fault.BadUsage, Package: pkg, Field: "key", Value: "not set",
				Expected: "ip, direct, header:NAME or none before the filter may refuse anybody"}
		}
		return nil
	case "ip":
		return nil
	case "direct":
		s.Key = Direct
		return nil
	case "none":
		s.Key = None
		return nil
	}
	const prefix = "header:"
	if len(text) > len(prefix) && text[:len(prefix)] == prefix {
		if name, ok := lower(text[len(prefix):]); ok {
			s.Key, s.Header = Header, name
			return nil
		}
	}
	return bad("key", quote(text), "ip, direct, header:NAME or none")
}

func (s *Settings) limits(a *asked) error {
	if s.Key != None && !infinite(a.rate) {
		s.ClientLimit = bucket.Limit{Rate: a.rate, Burst: a.burst}
		r, err := compile("rate", "burst", s.ClientLimit)
		if err != nil {
			return err
		}
		s.Client = &r
	}
	if a.fleetRate == 0 {
		if a.fleetBurst != 0 {
			return bad("fleet_rate", "0", "a number above 0, since fleet_burst is set")
		}
		return nil
	}
	l, err := bucket.AtMost(a.fleetRate, a.fleetBurst)
	if err != nil {
		return renamed(err, "fleet_rate", "fleet_burst")
	}
	r, err := compile("fleet_rate", "fleet_burst", l)
	if err != nil {
		return err
	}
	s.Fleet, s.FleetLimit = &r, bucket.Limit{Rate: a.fleetRate, Burst: l.Burst}
	return nil
}

// compile makes a rule of a limit that must be able to admit somebody; what is wrong has the names of the configuration.
func compile(rate, burst string, l bucket.Limit) (bucket.Rule, error) {
	if l.Rate > 0 && infinite(l.Rate) {
		return bucket.Rule{}, bad(rate, "inf", "a number above 0; leave it out for no limit")
	}
	r, err := l.Compile()
	if err != nil {
		return r, renamed(err, rate, burst)
	}
	if l.Burst == 0 {
		return r, bad(burst, "0", "at least 1: a burst of 0 admits nobody")
	}
	return r, nil
}

// renamed gives a limit's fault the names of the configuration.
func renamed(err error, rate, burst string) error {
	if f, ok := err.(*fault.Error); ok {
		f.Package = pkg
		if f.Field == "rate" {
			f.Field = rate
		} else {
			f.Field = burst
		}
	}
	return err
}

func networks(field string, list []string) (address.Proxies, error) {
	p, err := address.ParseProxies(list)
	if f, ok := err.(*fault.Error); ok {
		f.Package, f.Field = pkg, field
	}
	return p, err
}

// lower is a header's name in lower case; ok is false for what can be none.
func lower(text string) (name string, ok bool) {
	if text == "" || len(text) > 200 {
		return "", false
	}
	b := []byte(text)
	for i, c := range b {
		switch {
		case 'A' <= c && c <= 'Z':
			b[i] = c | 0x20
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return "", false
		}
	}
	return string(b), true
}

// quote shows a text, cut to what a person wants to see.
func quote(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}
