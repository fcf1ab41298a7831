package watch

import (
	"strings"
	"testing"
)

// Whatever header a secret came in, no line shows it; a client that is named by one keeps a name of its own, at the session's end too.
func TestLinesShowNoSecret(t *testing.T) {
	for _, of := range []struct {
		key, agent, path, host string
		want                   string
	}{
		{"192.0.2.1", "app/1 token=hunter2", "/ws", "example.org", `"user_agent":"app/1 token=***"`},
		{"192.0.2.1", "app/1", "/ws/" + jwt + "/live", "example.org", `"path":"/ws/*/live"`},
		{"192.0.2.1", "app/1", "/ws;jsessionid=hunter2?token=hunter2#hunter2", "example.org", `"path":"/ws"`},
		{"192.0.2.1", "app/1", "/ws", "bob:hunter2@example.org", `"host":"example.org"`},
		{jwt, "app/1", "/ws", "example.org", `"client_ip":"***`},
		{"bob@example.org", "app/1", "/ws", "example.org", `"client_ip":"***`},
	} {
		h := &Handshake{Header: true, Begin: 1_800_000_000_000_000_000, Status: 101, Session: true}
		h.Set([]byte(of.key), of.agent, of.path, of.host, new(Masks))
		var w Writer
		attempt := string(w.Attempt(h))
		h.End = h.Begin + 1e9
		end := string(w.Close(h))
		for _, line := range []string{attempt, end} {
			if !strings.Contains(line, of.want) || strings.Contains(line, "hunter2") || strings.Contains(line, "eyJ") || strings.Contains(line, "bob") {
				t.Errorf("%s; wanted %s", line, of.want)
			}
		}
		if a, b := name(attempt), name(end); a != b || a == "" {
			t.Errorf("the client is %s at the beginning and %s at the end", a, b)
		}
	}
}

// Nothing of a planted secret is in a line, wherever a client has put it, and however much stands before it.
func TestNoSecretInALine(t *testing.T) {
	var h Handshake
	var m Masks
	var w Writer
	for _, secret := range []string{jwt, "password=hunter2hunter2", "9f86d081884c7d659a2feaa0c55ad015"} {
		for _, before := range []string{"", strings.Repeat("a/", 110), strings.Repeat("a/", 500)} {
			h.Set([]byte("192.0.2.7"), "app/1 "+before+secret, "/"+before+secret+"?token="+secret, "user:"+secret+"@example.org", &m)
			for _, line := range []string{string(w.Attempt(&h)), string(w.Close(&h))} {
				if strings.Contains(line, secret[len(secret)-14:]) || strings.Contains(line, "hunter") {
					t.Errorf("%q is in %s", secret, line)
				}
			}
		}
	}
}

// name is the client's in a line.
func name(line string) string {
	_, rest, _ := strings.Cut(line, `"client_ip":`)
	value, _, _ := strings.Cut(rest, `,`)
	return value
}
