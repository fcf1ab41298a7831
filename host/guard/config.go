package guard

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// configKeys are the keys of a limits file.
const configKeys = "mode, key, trusted_proxies, forwarded_header, allow, rate, burst, fleet_rate, fleet_burst, hold_ms, longest_wait_ms, instances"

// ReadConfig changes options by a JSON object, the limits file of the command line:
//
//	{"mode": "enforce", "key": "ip", "trusted_proxies": ["10.0.0.0/8"], "rate": 2, "burst": 5, "fleet_rate": 225}
//
// Keys that are absent leave the option as it is; null is refused. "rate": "inf" is no limit for each client, and
// "fleet_rate": 0 none for the fleet; "hold_ms": 0 does not hold. A key that does not exist is an error, and so is one written twice: a typo in a
// limit must not pass. What the file makes wrong of options that were right is its error; the rest is New's and Set's to check.
func ReadConfig(data []byte, base Options) (Options, error) {
	o := base
	said := map[string]bool{}
	err := jsonscan.Once("guard", data, func(key, value []byte) error {
		name := string(key)
		said[name] = true
		read := func(into any) error { return jsonscan.Set("guard", name, value, into) }
		switch name {
		case "mode":
			return read((*string)(&o.Mode))
		case "key":
			return read(&o.Key)
		case "trusted_proxies":
			return read(&o.TrustedProxies)
		case "forwarded_header":
			return read(&o.Forwarded)
		case "allow":
			return read(&o.Allow)
		case "rate":
			if s, ok := jsonscan.Text(value); ok && s == "inf" {
				o.Client.Rate = math.Inf(1)
				return nil
			}
			return read(&o.Client.Rate)
		case "burst":
			return read(&o.Client.Burst)
		case "fleet_rate":
			return read(&o.Fleet.Rate)
		case "fleet_burst":
			return read(&o.Fleet.Burst)
		case "hold_ms":
			return readMillis(name, value, &o.Hold)
		case "longest_wait_ms":
			return readMillis(name, value, &o.Longest)
		case "instances":
			return read(&o.Instances)
		}
		return jsonscan.Unknown("guard", key, configKeys)
	})
	if err != nil {
		return base, ofFile(err)
	}
	// Zero in Options is the default, in a file it is said.
	for _, z := range []struct {
		key, expected string
		zero          bool
	}{
		{"rate", `above 0 handshakes a second, or "inf" for no limit`, o.Client.Rate == 0},
		{"burst", "1 handshake or more", o.Client.Burst == 0},
		{"longest_wait_ms", "from 1000 to 86400000", o.Longest == 0},
		{"instances", "1 or more", o.Instances == 0},
	} {
		if said[z.key] && z.zero {
			return base, bad(z.key, "0", z.expected)
		}
	}
	switch {
	case said["hold_ms"] && o.Hold < 0:
		return base, bad("hold_ms", strconv.FormatInt(int64(o.Hold/time.Millisecond), 10), "from 0 to 60000")
	case said["hold_ms"] && o.Hold == 0:
		o.Hold = -1
	}
	if o.Fleet.Rate == 0 {
		if said["fleet_burst"] {
			return base, bad("fleet_rate", "0", "a number above 0, since fleet_burst is set")
		}
		o.Fleet.Burst = 0
	}
	if _, err := o.compile(); err != nil {
		if _, already := base.compile(); already == nil {
			return base, ofFile(err)
		}
	}
	return o, nil
}

// ofFile gives a fault one prefix, whichever package found it, and the key's name in place of the option's.
func ofFile(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	g := *f
	g.Package = "guard"
	switch g.Field {
	case "trusted proxy":
		g.Field = "trusted_proxies"
	case "longest wait", "hold":
		g.Field = strings.ReplaceAll(g.Field, " ", "_") + "_ms"
	default:
		g.Field = strings.ReplaceAll(g.Field, " ", "_")
	}
	return &g
}

func readMillis(name string, value []byte, into *time.Duration) error {
	ms := int64(*into / time.Millisecond)
	if err := jsonscan.Set("guard", name, value, &ms); err != nil {
		return err
	}
	if ms > math.MaxInt64/int64(time.Millisecond) || ms < math.MinInt64/int64(time.Millisecond) {
		return bad(name, strconv.FormatInt(ms, 10), "milliseconds within 292 years")
	}
	*into = time.Duration(ms) * time.Millisecond
	return nil
}

// InFile names the file in an error that its content caused.
func InFile(name string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		g := *f
		g.Source = name
		return &g
	}
	return err
}
