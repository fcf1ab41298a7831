package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Secrets that stand in records which cannot be read, or beside what is read: no output may hold them.
var secrets = []string{"c2VjcmV0LXBhc3N3b3Jk", "session-cookie-9f8e7d", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLWFsaWNl"}

const good = `{"timestamp":"2026-11-30T10:00:00Z","client_ip":"192.0.2.1","event_type":"connect"}` + "\n"

// Every kind of damage is counted and the rest analysed, or refused with exit 2; never a crash, and never a secret.
func TestBadInput(t *testing.T) {
	planted := `{"timestamp":"when?","client_ip":"192.0.2.1","event_type":"connect","headers":{"Authorization":"Basic ` + secrets[0] + `","Cookie":"sid=` + secrets[1] + `"},"path":"/ws?token=` + secrets[2] + `"}` + "\n"
	for name, c := range map[string]struct {
		input  string
		normal int    // exit code
		reason string // of the skipped record in the normal report
		compat int
	}{
		"empty":              {"", exitBad, "", exitBad},
		"an empty array":     {"[]", exitDone, "", exitDone},
		"truncated line":     {good + good[:40], exitDone, "cut off at the end of the input", exitBad},
		"truncated array":    {"[" + strings.TrimSpace(good) + ",", exitDone, "", exitBad},
		"trailing garbage":   {good + "garbage\n", exitDone, "not valid JSON", exitBad},
		"byte order mark":    {"\ufeff" + good + good, exitDone, "", exitDone},
		"CRLF":               {strings.ReplaceAll(good+good, "\n", "\r\n"), exitDone, "", exitDone},
		"NUL bytes":          {good + "\x00\x00\x00\n" + good, exitDone, "", exitBad},
		"a line of 20 MB":    {good + `{"x":"` + strings.Repeat("a", 20<<20) + `"}` + "\n" + good, exitDone, "line longer than the limit", exitBad},
		"deep nesting":       {good + `{"x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "}\n", exitDone, "not valid JSON", exitBad},
		"unknown event type": {good + strings.Replace(good, "connect", "open", 1), exitDone, "unknown event type", exitBad},
		"another timestamp":  {good + strings.Replace(good, `"2026-11-30T10:00:00Z"`, "true", 1), exitDone, "timestamp cannot be read", exitBad},
		"huge numbers":       {good + strings.Replace(good, `"connect"`, `"retry","retry_interval_ms":1e999`, 1), exitDone, "retry interval cannot be read", exitBad},
		"planted secrets":    {good + planted + good, exitDone, "timestamp cannot be read", exitBad},
		"only secrets":       {planted + planted, exitBad, "", exitBad},
		"binary":             {string([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F'}), exitBad, "", exitBad},
	} {
		for _, engine := range engines(t) {
			if engine == "wasm" && !strings.Contains(name, "secrets") && name != "a line of 20 MB" && name != "deep nesting" {
				continue // the corpus compares the engines; here stand the cases that could hurt one
			}
			for _, way := range []struct {
				args []string
				want int
			}{{[]string{"-o", "json"}, c.normal}, {[]string{"-o", "text"}, c.normal}, {[]string{"--events"}, exitDone}, {[]string{"--compat", at}, c.compat}} {
				var stdout, stderr bytes.Buffer
				code := run(strings.NewReader(c.input), &stdout, &stderr, append([]string{"--engine", engine, "analyze", "-"}, way.args...))
				if code != way.want && way.args[0] != "--events" {
					t.Errorf("%s, %s %v: exit %d, want %d; %.300s", name, engine, way.args, code, way.want, stderr.String())
				}
				if way.args[0] == "-o" && way.args[1] == "json" && c.reason != "" && !strings.Contains(stdout.String(), `"reason":"`+c.reason+`"`) {
					t.Errorf("%s, %s: no record skipped for %q: %.400s", name, engine, c.reason, stdout.String())
				}
				for _, s := range secrets {
					if strings.Contains(stdout.String()+stderr.String(), s) {
						t.Errorf("%s, %s %v: the output holds the secret %q", name, engine, way.args, s)
					}
				}
				if code == exitBad && stderr.Len() > 2000 {
					t.Errorf("%s, %s %v: an error of %d bytes", name, engine, way.args, stderr.Len())
				}
			}
		}
	}
}

// A first line that is longer than the head by which most logs are recognised hides nothing of the log behind it.
func TestLongFirstLine(t *testing.T) {
	line := `192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 101 4 "-" "sdk/1"` + "\n"
	for _, first := range []int{1 << 10, 2 << 20, 17 << 20} {
		log := strings.Repeat("x", first) + "\n" + strings.Repeat(line, 100)
		file := filepath.Join(t.TempDir(), "access.log")
		if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{file}, {file, "--parallel", "1"}, {"-"}} {
			var stdout, stderr bytes.Buffer
			code := run(strings.NewReader(log), &stdout, &stderr, append([]string{"analyze", "-o", "json"}, args...))
			if code != exitDone || !strings.Contains(stdout.String(), `"records":101,"used":100,`) || !strings.Contains(stdout.String(), `"formats":["nginx"]`) {
				t.Errorf("a first line of %d bytes, %v: exit %d, %.200s %.200s", first, args[0] == "-", code, stdout.String(), stderr.String())
			}
		}
	}
}
