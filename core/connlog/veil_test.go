package connlog

import (
	"strings"
	"testing"
)

// Secrets in the text of lines that are read well: whatever field they got into, no event shows them; names that tell
// clients apart still do.
func TestVeil(t *testing.T) {
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl"
	for in, want := range map[string]string{
		"": "", "-": "-", "192.0.2.10": "192.0.2.10", "ua@1": "ua@1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:141.0)":      "Mozilla/5.0 (X11; Linux x86_64; rv:141.0)",
		"socket.io-client@4.8.1 (+https://example.org/)": "socket.io-client@4.8.1 (+https://example.org/)",
		"basic-client/1.0 J":                             "basic-client/1.0 J",
		"app " + jwt:                                     "app ***",
		"wss://bob:hunter2@host/ws":                      "wss://***@***/ws",
		"Bearer hunter2hunter2":                          "Bearer ***",
		"cookie: sid=hunter2":                            "cookie: ***",
		"app/1.0 token=hunter2 (x)":                      "app/1.0 token=*** (x)",
		"bad password: hunter2":                          "bad password: ***",
		"/ws?token=hunter2&x=1":                          "/ws?***",
		"2001:db8::1":                                    "2001:db8::1",
		"transport close: peer":                          "transport close: peer",
		"Bearer%20hunter2hunter2":                        "Bearer%20***",
		"graphql-ws, Bearer, hunter2hunter2":             "graphql-ws, Bearer***",
		"/ws%3Ftoken%3Dhunter2&x=1":                      "/ws%3F***",
		"/ws%3fsid%3dhunter2":                            "/ws%3f***",
		"/ws/sid%3Ahunter2/live":                         "/ws/sid%3A***",
		"app access_token hunter2hunter2":                "app access_token ***",
		"/rooms%2Fa%20b":                                 "/rooms%2Fa%20b",
		"100% sure of token":                             "100% sure of token",
		"the access token expired in 2026":               "the access token expired in 2026",
		" sdk/1 Bearer hunter2hunter2":                   " sdk/1 Bearer ***",
		" password: hunter2":                             " password: ***",
		`sdk \x22sid=hunter2\x22`:                        `sdk \x22sid=***`,
		`{\u0022sid\u0022=hunter2}`:                      `{\u0022sid\u0022=***}`,
		`sdk {"token": "hunter2"}`:                       `sdk {"token": "***"}`,
		`sdk {\"token\":\"hunter2\"}`:                    `sdk {\"token\":\"***\"}`,
		`sdk {\x22token\x22:\x22hunter2\x22}`:            `sdk {\x22token\x22:\x22***}`,
		"session closed by peer":                         "session closed by peer",
	} {
		b := &Batch{Input: []byte(in)}
		whole := Span{0, uint32(len(in))}
		if got := string(b.Text(b.veil(whole))); got != want {
			t.Errorf("veil(%s) = %s, want %s", in, got, want)
		}
		got := string(b.Text(b.alias(whole)))
		if want == in && got != in || want != in && (len(got) != len(masked)+8 || !strings.HasPrefix(got, masked)) {
			t.Errorf("alias(%s) = %s", in, got)
		}
	}
	text := []byte(jwt + "a" + jwt + "b")
	b := &Batch{Input: text}
	half := uint32(len(text) / 2)
	if one, two := b.alias(Span{0, half}), b.alias(Span{half, half}); string(b.Text(one)) == string(b.Text(two)) {
		t.Error("two secrets got one name")
	}
}

// The two lanes of the reader let no secret through, nor do groups by a telling key.
func TestEventsShowNoSecret(t *testing.T) {
	const secret = "hunter2"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ." + secret
	line := func(client, agent, path string) string {
		return `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"` + client + `","event_type":"connect","user_agent":"` + agent + `","path":"` + path + `"}` + "\n"
	}
	plain := `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"` + jwt + `","event_type":"connect"}` + "\n"
	for _, in := range []string{
		strings.Repeat(plain, 20),
		strings.Repeat(line("192.0.2.1", "ua "+jwt, "/ws?token="+secret), 20),
		strings.Repeat(line("Bearer "+secret, "Basic "+secret, "/ws/"+jwt), 20),
		strings.Repeat(line("bob@"+secret+".example", "ua", "/a;jsessionid="+secret+";x/ws;y="+secret), 20),
		strings.Repeat(line("192.0.2.1", "wss://u:"+secret+"@h/", "wss://u:"+secret+"@h/ws"), 20),
	} {
		for _, by := range []string{"", "ua", "path", "query:token", "field:user_agent"} {
			p, err := Sniff(Catalogue{}, []byte(in), Options{Group: by})
			if err != nil {
				t.Fatal(err)
			}
			events, _ := read(t, p, in, 0)
			out := strings.Join(events, "\n")
			if !strings.Contains(out, "connect") || strings.Contains(out, secret) {
				t.Errorf("group-by %q of %s: %s", by, in[:120], out)
			}
		}
	}
}
