package connlog

import (
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	for in, want := range map[string]string{
		`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}`:                `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}`,
		`{"timestamp":"yesterday","client_ip":"bob","event_type":"hunter"}`:                                                          `{"timestamp":"***","client_ip":"***","event_type":"***"}`,
		`{"ts":1796057324979,"client_id":"bob","client_ip":"2001:db8::1","x":{"y":[1,"a",null]}}`:                                    `{"ts":1796057324979,"client_id":"***","client_ip":"2001:db8::1","x":{"y":[***,"***",null]}}`,
		`{"client_ip":"fe80::1%hunter2","retry_interval_ms":"1000","status":429,"pin":4711}`:                                         `{"client_ip":"***","retry_interval_ms":"1000","status":429,"pin":***}`,
		`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2`:                                                                   `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"***`,
		`{"a b":1,"0123456789abcdef0123456789abcdef":2}`:                                                                             `{"***":***,"***":***}`,
		`{"client_ip":"192.0.2"1","event_type":"retry"}`:                                                                             `{"client_ip":"***"***"***"***"***"***"***`,
		`2.10","event_type":"retry"}`:                                                                                                `***"***"***"***"***"***`,
		`[error] 12#12: timed out, client: 192.0.2.1, request: "GET /ws?t=x HTTP/1.1", upstream: "http://127.0.0.1:1/ws", host: "h"`: `[error] 12#*** timed out, client: 192.0.2.1, request: "GET /ws?*** HTTP/1.1", upstream: "http://127.0.0.1:1/ws", host: "***"`,
		"connect alice:hunter2 ok":                       "connect ***:*** ok",
		"auth: user alice (id 7)":                        "auth: *** *** (id ***)",
		"login alice hunter2":                            "login *** ***",
		"GET /users/alice/hunter2 HTTP":                  "GET /***/***/*** HTTP",
		"code=hunter2&state=hunter2 #hunter2":            "code=***&***=*** #***",
		"2026-11-30T10:00:00.5Z 2001:db8::1 opened 12ms": "2026-11-30T10:00:00.5Z 2001:db8::1 opened 12ms",
		"3\x009\x00h\x00u\x00n\x00":                      "10 bytes with NULs",
		"tok\x1ben=hunter2 \u200bhunter2":                "***=*** ***",
		`yes","client_id":"bob"`:                         `***"***"***"***"***"***`,
		`bob", "x"`:                                      `***"***"***"***`,
		`192.0.2.1 - bob [BAD] "GET /ws?x HTTP/1.1" 101`: `192.0.2.1 - *** [BAD] "GET /ws?*** HTTP/1.1" 101`,
	} {
		if got := Sample([]byte(in)); got != want {
			t.Errorf("Sample(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

// A record of which every value is a secret, damaged by one byte at every place or cut there, shows none of them.
func TestDamagedSamples(t *testing.T) {
	const secret = "hunter2"
	record := `{"timestamp":"hunter2","client_ip":"hunter2","event_type":"hunter2","client_id":"hunter2","path":"/hunter2","x":{"a":["hunter2",{"b":"hunter2"}]},"n":1}`
	for at := range len(record) {
		for _, in := range []string{record[:at], record[:at] + record[at+1:], record[:at] + `"` + record[at:], record[:at] + `\` + record[at:], record[:at] + `{` + record[at:], record[:at] + `:` + record[at:], record[at:]} {
			if got := sample([]byte(in), true); strings.Contains(got, secret) && !strings.HasPrefix(record[at:], secret) {
				t.Fatalf("%s\nshows %s", in, got)
			}
		}
	}
}
