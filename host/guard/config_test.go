package guard

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
)

func TestReadConfig(t *testing.T) {
	base := Options{Mode: Enforce, Key: "ip", Client: bucket.Limit{Rate: 2, Burst: 5}, Fleet: bucket.Limit{Rate: 100, Burst: 10}}
	o, err := ReadConfig([]byte(`{"mode":"close","trusted_proxies":["10.0.0.0/8"],"rate":0.5,"fleet_rate":225,"fleet_burst":30,"hold_ms":0,"longest_wait_ms":60000,"instances":3}`), base)
	if err != nil || o.Mode != Close || o.Key != "ip" || o.Client != (bucket.Limit{Rate: 0.5, Burst: 5}) || o.Fleet != (bucket.Limit{Rate: 225, Burst: 30}) ||
		o.Hold >= 0 || o.Longest != time.Minute || o.Instances != 3 || len(o.TrustedProxies) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = ReadConfig([]byte(` {"fleet_rate":0,"rate":"inf"} `), base); err != nil || o.Fleet != (bucket.Limit{}) || !math.IsInf(o.Client.Rate, 1) {
		t.Errorf("%+v, %v", o, err)
	}
	quiet := base
	quiet.Hold = -1
	if o, err = ReadConfig([]byte(`{}`), quiet); err != nil || o.Hold != -1 {
		t.Errorf("an empty file changes something: %+v, %v", o, err)
	}
	keyless := Options{Mode: Enforce}
	if o, err = ReadConfig([]byte(`{"key":"ip"}`), keyless); err != nil || o.Key != "ip" {
		t.Errorf("what the flags lack the file may give: %+v, %v", o, err)
	}
	for in, want := range map[string]string{
		`{"rates":2}`:                        "unknown key",
		`{"rate":2,"rate":3}`:                "twice",
		`{"rate":"2"}`:                       "expected a number",
		`{"burst":2.5}`:                      "expected a whole number",
		`{"rate":1e999}`:                     "expected a number",
		`{"trusted_proxies":"x"}`:            "expected an array",
		`{"hold_ms":99999999999999999}`:      "292 years",
		`{"mode":1}`:                         "expected a string",
		`{"rate":0}`:                         "expected above 0",
		`{"rate":-0.0}`:                      "expected above 0",
		`{"burst":0}`:                        "expected 1 handshake",
		`{"hold_ms":-1}`:                     "expected from 0",
		`{"longest_wait_ms":0}`:              "expected from 1000",
		`{"instances":0}`:                    "expected 1 or more",
		`{"rate":null}`:                      "guard: rate is null, expected a value; leave the key out for the default",
		`{"mode":null,"key":"ip"}`:           "guard: mode is null, expected a value",
		`{"hold_ms":null}`:                   "guard: hold_ms is null, expected a value",
		`{"rate":-2}`:                        "guard: rate is -2, expected a number above 0",
		`{"fleet_rate":0,"fleet_burst":9}`:   "guard: fleet_rate is 0, expected a number above 0, since fleet_burst is set",
		`{"fleet_rate":5,"fleet_burst":50}`:  "guard: fleet_burst is 50, expected from 1 to 5",
		`{"trusted_proxies":["x"]}`:          `guard: trusted_proxies is "x", expected an address`,
		`{"trusted_proxies":["10.0.0.1/8"]}`: `guard: trusted_proxies is "10.0.0.1/8", expected the network 10.0.0.0/8 or the address 10.0.0.1`,
		`{"allow":["2001:db8::1/32"]}`:       `guard: allow is "2001:db8::1/32", expected the network 2001:db8::/32 or the address 2001:db8::1`,
		`{"longest_wait_ms":5}`:              "guard: longest_wait_ms is 5ms, expected from 1s to 24h",
		`{"rate":2,}`:                        "guard: ",
		`[]`:                                 "JSON object",
		`{"mode":"close"`:                    "ends too early",
		``:                                   "ends too early",
		`{"mode":"close"} x`:                 "not valid JSON",
	} {
		o, err := ReadConfig([]byte(in), base)
		var f *fault.Error
		if !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
		if o.Mode != Enforce {
			t.Errorf("%s: changed the options", in)
		}
	}
	if err := InFile("limits.json", bad("rate", "0", "more")); err.Error() != "guard: limits.json: rate is 0, expected more" {
		t.Error(err)
	}
}

// FuzzConfig: whatever the file says, either an error or settings whose limits admit somebody.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{`{}`, `{"mode":"enforce","key":"ip","rate":2,"burst":5}`, `{"rate":"inf","key":"none","fleet_rate":1e-9,"fleet_burst":9}`,
		`{"rate":-0.0,"burst":9223372036854775807}`, `{"trusted_proxies":["::/0","10.0.0.0/8, ::1"],"allow":[""]}`, `{"hold_ms":-9223372036854775808}`, `{"key":"header:X"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ReadConfig(data, Options{})
		if err != nil {
			return
		}
		s, err := o.compile()
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if s.mode != Shadow && o.Key == "" {
			t.Error("enforces without a key")
		}
		if s.client != nil {
			if b := (bucket.Bucket{Rule: *s.client}); !b.Take(0, 1).Allowed {
				t.Errorf("%s: a limit that admits nobody", data)
			}
		}
		if s.fleet != nil {
			if b := (bucket.Bucket{Rule: *s.fleet}); !b.Take(0, 1).Allowed {
				t.Errorf("%s: a fleet's limit that admits nobody", data)
			}
		}
	})
}
