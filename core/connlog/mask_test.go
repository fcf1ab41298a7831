package connlog

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		`GET /ws?access_token=abc123 HTTP/1.1`:                       `GET /ws?*** HTTP/1.1`,
		`{"authorization":"Bearer a b","x":1}`:                       `{"authorization":"***","x":1}`,
		`{"a":"{\"cookie\":\"a=b; c=d\",\"n\":1}"}`:                  `{"a":"{\"cookie\":\"***\",\"n\":1}"}`,
		`{"Cookie":"a=\"x\"; b=y","n":1}`:                            `{"Cookie":"***","n":1}`,
		`{"headers":{"Authorization":["Basic dXNlcjpwYXNz"]},"n":1}`: `{"headers":{"Authorization":["***"]},"n":1}`,
		`Authorization: Bearer one two`:                              `Authorization: ***`,
		`token=abc&x=1`:                                              `token=***&x=1`,
		`x_access_token: abc, y`:                                     `x_access_token: ***, y`,
		`password%3Dhunter2 z`:                                       `password%3D*** z`,
		`"user":"bob","user_agent":"curl/8.0"`:                       `"user":"***","user_agent":"curl/8.0"`,
		`192.0.2.1 - bob [30/Nov/2026:16:46:05 +0000] "GET / 1" 200`: `192.0.2.1 - *** [30/Nov/2026:16:46:05 +0000] "GET / 1" 200`,
		`192.0.2.1 - bob smith [30/Nov/2026:16:46:05 +0000]`:         `192.0.2.1 - *** [30/Nov/2026:16:46:05 +0000]`,
		`192.0.2.1 - - [30/Nov/2026:16:46:05 +0000] 200`:             `192.0.2.1 - - [30/Nov/2026:16:46:05 +0000] 200`,
		`192.0.2.1 - bob [BAD] "GET / 1" 200`:                        `192.0.2.1 - *** [BAD] "GET / 1" 200`,
		`as dev-7 (p2, c1, k60, u'bob').`:                            `as dev-7 (p2, c1, k60, u'***').`,
		`wss://bob:hunter2@host/ws`:                                  `wss://***@***/ws`,
		`mail to bob@example.org now`:                                `mail to ***@*** now`,
		`/s/eyJhbGciOi.eyJz.c2ln x`:                                  `/s/*** x`,
		`id 0123456789abcdef0123456789abcdef.`:                       `id ***`,
		`GET /ws#frag HTTP/1.1`:                                      `GET /ws#*** HTTP/1.1`,
		`https://example.org/#frag "x"`:                              `https://example.org/#*** "x"`,
		`#Fields: date #1 a`:                                         `#Fields: date #1 a`,
		"\"GET /ws?a=1\x00b=hunter2 HTTP/1.1\"":                      `"GET /ws?*** HTTP/1.1"`,
		"\"GET /ws?a=1 b=hunter2 HTTP/1.1\" 101":                     `"GET /ws?*** HTTP/1.1" 101`,
		"GET /ws?a=1 101 \"GET / HTTP/1.1\"":                         `GET /ws?*** 101 "GET / HTTP/1.1"`,
		`GET /ws?a=1\u0026sid=hunter2 HTTP/1.1`:                      `GET /ws?*** HTTP/1.1`,
		`{\"request\":\"GET /ws?a=1\\u0026sid=hunter2 HTTP/1.1\"}`:   `{\"request\":\"GET /ws?*** HTTP/1.1\"}`,
		`"GET /ws?a=\x22hunter2 HTTP/1.1"`:                           `"GET /ws?*** HTTP/1.1"`,
		`a=1\u0026sid=hunter2\u0026b=2 c`:                            `a=1\u0026sid=*** c`,
		`\x26u=hunter2\x22x, c`:                                      `\x26u=***, c`,
		`C:\users\x y\n`:                                             `C:\users\x y\n`,
		"token=\rhunter2":                                            "token=\r***",
		"a\x00b\xffé":                                                `a.b...`,
		`2026-11-30T16:46:05Z 192.0.2.10 retry 1000`:                 `2026-11-30T16:46:05Z 192.0.2.10 retry 1000`,
	} {
		if got := string(Mask(nil, []byte(in))); got != want {
			t.Errorf("Mask(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

// TestSecretsDoNotSurvive plants secrets into lines of many shapes, whole, cut off and nested.
func TestSecretsDoNotSurvive(t *testing.T) {
	const secret = "hunter2"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJlaHVudGVyMg"
	lines := []string{
		`{"timestamp":"2026-10-25T10:00:00Z","headers":{"Authorization":"Bearer hunter2","Cookie":"sid=hunter2; a=hunter2"},"broken`,
		`192.0.2.1 - hunter2 [30/Nov/2026:16:46:05 +0000] "GET /ws?t=hunter2 HTTP/1.1" 101 1 "https://x/?hunter2" "ua" cookie="hunter2; hunter2"`,
		`{"log":"{\"authorization\":\"Basic hunter2 hunter2\",\"password\":\"hunter2\"}\n"}`,
		`level=info user=hunter2 api_key=hunter2 secret="hunter2 hunter2" path=/ws?hunter2`,
		`Set-Cookie: a=hunter2; Path=/; HttpOnly`, `url=wss://hunter2:hunter2@h/p?x#hunter2`,
		`jwt in path /ws/` + jwt + `/x`, `Sec-WebSocket-Protocol: bearer, hunter2`,
	}
	for _, line := range lines {
		for n := range len(line) + 1 {
			got := Sample([]byte(line[:n]))
			if strings.Contains(got, secret) || strings.Contains(got, "eyJ") || strings.Contains(got, "c2lnbmF0") {
				t.Fatalf("%s\nleaves %s", line[:n], got)
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add([]byte(`{"cookie":"a\`), []byte(`x`))
	f.Add([]byte(`authorization=%3`), []byte(`'`))
	f.Fuzz(func(t *testing.T, head, rest []byte) {
		text := append(append([]byte(nil), head...), rest...)
		out := Mask(nil, text)
		if strings.Contains(string(out), "eyJ") && len(text) > 0 {
			t.Errorf("Mask(%q) = %q", text, out)
		}
		Sample(text)
	})
}
