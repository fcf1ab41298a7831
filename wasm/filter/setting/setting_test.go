package setting

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

func TestDefault(t *testing.T) {
	for _, text := range []string{"", "  \n", "{}"} {
		s, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if s.Enforce || s.Key != IP || !s.Process || !s.Watch || s.Log != 1 || s.Fleet != nil || s.Client == nil ||
			s.ClientLimit.Rate != 2 || s.ClientLimit.Burst != 5 || s.Longest != 5*time.Minute || s.Forwarded != "x-forwarded-for" {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := Parse([]byte(`{"mode":"enforce","key":"header:X-Client","trusted_proxies":["10.0.0.0/8, 192.0.2.1"],"allow":["::1"],"rate":0.5,"burst":3,
		"fleet_rate":225,"longest_wait_ms":60000,"clients":1000,"scope":"worker","share":"edge","log":0.25,"watch":false,"forwarded_header":"Forwarded"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Enforce || s.Key != Header || s.Header != "x-client" || len(s.Proxies) != 2 || len(s.Allow) != 1 || s.Process || s.Share != "edge" ||
		s.FleetLimit.Burst != 22 || s.Longest != time.Minute || s.Clients != 1000 || s.Log != 0.25 || s.Watch || s.Forwarded != "forwarded" {
		t.Errorf("%+v", s)
	}
	if s, err = Parse([]byte(`{"rate":"inf"}`)); err != nil || s.Client != nil {
		t.Errorf("no limit for each client: %+v, %v", s, err)
	}
	if s, err = Parse([]byte(`{"mode":"enforce","key":"none","fleet_rate":10,"fleet_burst":4}`)); err != nil || s.Client != nil || s.FleetLimit.Burst != 4 {
		t.Errorf("the fleet's limit alone: %+v, %v", s, err)
	}
}

// Every refusal names the field, its value and what was expected.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"mode":"on"}`:                      `filter: mode is "on", expected shadow or enforce`,
		`{"mode":"enforce"}`:                 `filter: key is not set, expected ip, direct, header:NAME or none before the filter may refuse anybody`,
		`{"key":"cookie"}`:                   `filter: key is "cookie", expected ip, direct, header:NAME or none`,
		`{"key":"header:"}`:                  `filter: key is "header:", expected ip, direct, header:NAME or none`,
		`{"key":"header:a b"}`:               `filter: key is "header:a b", expected ip, direct, header:NAME or none`,
		`{"rate":0}`:                         `filter: rate is 0, expected a number above 0 (tokens a second)`,
		`{"rate":-1}`:                        `filter: rate is -1, expected a number above 0 (tokens a second)`,
		`{"rate":"fast"}`:                    `filter: rate is "fast", expected a number`,
		`{"rate":1e999}`:                     `filter: rate is 1e999, expected a number`,
		`{"burst":0}`:                        `filter: burst is 0, expected at least 1: a burst of 0 admits nobody`,
		`{"burst":-1}`:                       `filter: burst is -1, expected a whole number of 0 or more (tokens)`,
		`{"burst":1.5}`:                      `filter: burst is 1.5, expected a whole number`,
		`{"rate":1e-9,"burst":99}`:           `filter: rate is 1e-09, expected fast enough that the burst of 99 grows in less than 146 years`,
		`{"mode":null}`:                      `filter: mode is null, expected a value; leave the key out for the default`,
		`{"mode":null,"key":"ip"}`:           `filter: mode is null, expected a value; leave the key out for the default`,
		`{"rate":null}`:                      `filter: rate is null, expected a value; leave the key out for the default`,
		`{"trusted_proxies":["10.0.0.1/8"]}`: `filter: trusted_proxies is "10.0.0.1/8", expected the network 10.0.0.0/8 or the address 10.0.0.1`,
		`{"fleet_rate":5,"fleet_burst":50}`:  `filter: fleet_burst is 50, expected from 1 to 5, the rate: it is the most in any second, the burst counted in; or 0 for a tenth of that`,
		`{"fleet_rate":-3}`:                  `filter: fleet_rate is -3, expected a number above 0, to 1e+15 (in any second)`,
		`{"fleet_burst":3}`:                  `filter: fleet_rate is 0, expected a number above 0, since fleet_burst is set`,
		`{"trusted_proxies":["x"]}`:          `filter: trusted_proxies is "x", expected an address or a network such as 10.0.0.0/8`,
		`{"trusted_proxies":"10.0.0.0/8"}`:   `filter: trusted_proxies is "10.0.0.0/8", expected an array`,
		`{"allow":["10.0.0.0/33"]}`:          `filter: allow is "10.0.0.0/33", expected an address or a network such as 10.0.0.0/8`,
		`{"key":"direct","trusted_proxies":["10.0.0.0/8"]}`: `filter: key is direct, expected ip, since trusted_proxies are declared`,
		`{"longest_wait_ms":0}`:                             `filter: longest_wait_ms is 0, expected 1000 to 86400000 (1 s to 24 h)`,
		`{"clients":0}`:                                     `filter: clients is 0, expected 1 to 1048576`,
		`{"clients":9999999}`:                               `filter: clients is 9999999, expected 1 to 1048576`,
		`{"scope":"cluster"}`:                               `filter: scope is "cluster", expected process or worker`,
		`{"share":""}`:                                      `filter: share is "", expected a word of at most 40 letters and digits`,
		`{"share":"a/b"}`:                                   `filter: share is "a/b", expected a word of at most 40 letters and digits`,
		`{"log":1.5}`:                                       `filter: log is 1.5, expected 0 to 1, the share of clients whose handshakes are logged`,
		`{"watch":1}`:                                       `filter: watch is 1, expected true or false`,
		`{"forwarded_header":"x y"}`:                        `filter: forwarded_header is "x y", expected the name of a header`,
		`{"rat":2}`:                                         `filter: unknown key: rat, expected one of ` + known,
		`{"rate":2,"rate":3}`:                               `filter: rate is written twice, expected once`,
		`rate=2`:                                            `jsonscan: not valid JSON at byte 0: rate=2`,
		`[]`:                                                `jsonscan: [], expected a JSON object`,
		`{"rate":2`:                                         `jsonscan: JSON text ends too early, at byte 9`,
	} {
		_, err := Parse([]byte(text))
		var f *fault.Error
		if err == nil || !errors.As(err, &f) {
			t.Errorf("%s: not refused by a fault: %v", text, err)
		} else if got := f.Error(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	long := `{"key":"` + strings.Repeat("a", 100_000) + `"}`
	if _, err := Parse([]byte(long)); err == nil || len(err.Error()) > 300 {
		t.Error("a long value is shown whole")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mode":"enforce","key":"ip","rate":2,"burst":5,"fleet_rate":225,"allow":["10.0.0.0/8"]}`))
	f.Add([]byte(`{"rate":"inf","clients":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a word")
			}
			return
		}
		if s.Enforce && s.Key == IP && s.Client == nil && s.Fleet == nil && s.ClientLimit.Rate > 0 {
			t.Error("a limit was lost")
		}
	})
}
