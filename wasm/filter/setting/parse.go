package setting

import (
	"math"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
)

const known = "mode, key, trusted_proxies, forwarded_header, allow, rate, burst, fleet_rate, fleet_burst, longest_wait_ms, clients, scope, share, log, watch"

// Parse reads and checks a configuration; no bytes, or blanks alone, are the default. The error is a *fault.Error that
// names the field, its value and the range.
func Parse(data []byte) (*Settings, error) {
	a := defaults()
	if jsonscan.Space(data, 0) < len(data) {
		if err := a.read(data); err != nil {
			return nil, err
		}
	}
	return a.compile()
}

func (a *asked) read(data []byte) error {
	return jsonscan.Once(pkg, data, func(key, value []byte) error {
		name := string(key)
		into := a.field(name)
		if into == nil {
			return jsonscan.Unknown(pkg, key, known)
		}
		if s, ok := jsonscan.Text(value); ok && name == "rate" && s == "inf" {
			a.rate = math.Inf(1)
			return nil
		}
		return jsonscan.Set(pkg, name, value, into)
	})
}

// field is where a key's value goes; nil for a key that does not exist.
func (a *asked) field(name string) any {
	switch name {
	case "mode":
		return &a.mode
	case "key":
		return &a.key
	case "trusted_proxies":
		return &a.proxies
	case "forwarded_header":
		return &a.forwarded
	case "allow":
		return &a.allow
	case "rate":
		return &a.rate
	case "burst":
		return &a.burst
	case "fleet_rate":
		return &a.fleetRate
	case "fleet_burst":
		return &a.fleetBurst
	case "longest_wait_ms":
		return &a.longest
	case "clients":
		return &a.clients
	case "scope":
		return &a.scope
	case "share":
		return &a.share
	case "log":
		return &a.log
	case "watch":
		return &a.watch
	}
	return nil
}

const pkg = "filter"

func bad(field, value, expected string) *fault.Error {
	return fault.Value(pkg, field, value, expected)
}
