package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Secrets planted in the logs of several families, in lines that are read and in lines that are not, come out in no form of
// any output: not in groups, names of clients, causes, samples, warnings or notes, nor in formats explain.
func TestNoOutputShowsSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ." + secret
	agents := []string{"sdk/4.5 " + jwt, "Bearer " + secret, "sdk/1 (sec-websocket-protocol: bearer, " + secret + ")", "Bearer%20" + secret, "sdk access_token=" + secret}
	paths := []string{"/ws?token=" + secret, "/ws%3Ftoken%3D" + secret, "/ws/" + jwt, "/ws/" + secret + "9f86d081884c7d65", "/ws;sid=" + secret, "/ws?token=a " + secret}
	families := map[string]func(second int, path, agent string) string{
		"nginx": func(s int, path, agent string) string {
			return fmt.Sprintf(`192.0.2.%d - %s [30/Nov/2026:16:46:%02d +0000] "GET %s HTTP/1.1" 101 4 "https://bob:%s@example.org/" "%s" "-" rt=1.531`, s%7+1, secret, s, path, secret, agent)
		},
		"haproxy": func(s int, path, agent string) string {
			return fmt.Sprintf(`192.0.2.%d:51250 [30/Nov/2026:16:46:%02d.243] fe be/s1 0/0/1/2/1503 101 140 - - ---- 1/1/0/0/0 0/0 {%s|192.0.2.9} "GET %s HTTP/1.1"`, s%7+1, s, agent, path)
		},
		"envoy": func(s int, path, agent string) string {
			return fmt.Sprintf(`[2026-11-30T16:46:%02d.812Z] "GET %s HTTP/1.1" 101 UC 34 26 450 - "192.0.2.%d" "%s" "08a37213-4806-4715-bcb1-d4af18157da9" "bob:%s@example.com" "198.51.100.20:9000"`, s, path, s%7+1, agent, secret)
		},
		"envoy-json": func(s int, path, agent string) string {
			return fmt.Sprintf(`{"start_time":"2026-11-30T16:46:%02d.812Z","duration":450,"response_code":101,"response_flags":"UC","method":"GET","path":"%s","protocol":"HTTP/1.1","upgrade":"websocket","user_agent":"%s","cookie":"sid=%s","authorization":"Basic %s","downstream_remote_address":"192.0.2.%d:5000"}`, s, path, agent, secret, secret, s%7+1)
		},
		"json": func(s int, path, agent string) string {
			return fmt.Sprintf(`{"time":"2026-11-30T16:46:%02dZ","event":"disconnect","client_ip":"192.0.2.%d","path":"%s","user_agent":"%s","reason":"bad access_token %s","session_id":"%s"}`, s, s%7+1, path, agent, secret, jwt)
		},
	}
	broken := "what is this? token=" + secret + " Authorization: Bearer " + secret + "\n" +
		`{"broken":"` + secret + `","password":"` + secret + "\n" +
		`192.0.2.1 - bob [30/Nov/2026:99:46:06 +0000] "GET /ws?token=` + secret + ` HTTP/1.1" 101 4 "-" "Bearer ` + secret + `"` + "\n"
	dir := t.TempDir()
	for family, line := range families {
		var log strings.Builder
		for s := range 60 {
			log.WriteString(line(s, paths[s%len(paths)], agents[s/2%len(agents)]) + "\n")
		}
		log.WriteString(broken)
		file := filepath.Join(dir, family+".log")
		if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		calls := [][]string{{"formats", "explain", file}, {"formats", "explain", "-o", "json", file}}
		for _, form := range []string{"text", "json", "ndjson", "markdown", "html", "github"} {
			calls = append(calls, []string{"analyze", "-o", form, "--all", "--show-addresses", "--group-by", "ua", file})
		}
		for _, by := range []string{"path", "query:token", "host"} {
			calls = append(calls, []string{"analyze", "-o", "json", "--events", "--group-by", by, file})
		}
		for _, call := range calls {
			var out bytes.Buffer
			if code := run(strings.NewReader(""), &out, &out, call); code != 0 {
				t.Errorf("%v: exit %d: %s", call, code, out.String())
			}
			if at := bytes.Index(out.Bytes(), []byte(secret)); at >= 0 {
				t.Errorf("%v shows …%s…", call, out.Bytes()[max(0, at-160):min(out.Len(), at+40)])
			}
			if out.Len() < 100 {
				t.Errorf("%v: %s", call, out.String())
			}
		}
	}
}
