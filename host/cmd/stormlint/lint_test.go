package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	golden(t, "lint-library", exitFinding, "", "lint", "--policy", "lib:socket.io-client")
	golden(t, "lint-good", exitDone, "", "lint", "--policy", "full:1s:30s")
	golden(t, "lint-capacity", exitDone, "", "lint", "--policy", "window:31s", "--clients", "50000", "--capacity", "2000", "-o", "json")
	golden(t, "lint-fail-on", exitFinding, "", "lint", "--policy", "full:1s:30s", "--fail-on", "info", "-o", "github")
	golden(t, "lint-object", exitDone, "", "lint", "--policy", `{"policy":"exp","base_ms":1000,"cap_ms":30000,"reset":5000}`, "--fail-on", "off", "-o", "github")
	golden(t, "lint-budget", exitFinding, "", "lint", "--policy", "full:1s:30s", "--budget", "1000/day", "-o", "github")
	golden(t, "lint-csv", exitFinding, "first,second,third\n1000,2000,4000\n1000;2000;4000\n1000 2000\n", "lint", "--delays", "-")
	golden(t, "lint-scenario", exitFinding, `{"scenario":"open-then-dropped","runs":[[10,10,10,10,10],[10,11,10,10,10]]}`, "lint", "--delays", "-", "-o", "json")
	golden(t, "lint-explain", exitDone, "", "lint", "--explain", "growth-locked")
	golden(t, "lint-libraries", exitDone, "", "lint", "--libraries")
}

// Bad input is an error that names what, where and the allowed range; the exit code is 2.
func TestLintBadInput(t *testing.T) {
	for name, args := range map[string][]string{
		"nothing":          {},
		"both":             {"--policy", "full:1s:30s", "--delays", "-"},
		"unknown-word":     {"--policy", "fibonacci:1s:30s"},
		"negative":         {"--policy", "full:-1s:30s"},
		"zero-cap":         {"--policy", "full:1s:0"},
		"base-over-cap":    {"--policy", "full:30s:1s"},
		"factor":           {"--policy", "full:1s:30s:0.5"},
		"unknown-library":  {"--policy", "lib:socketio"},
		"no-schedule":      {"--policy", "lib:ethers"},
		"capacity-alone":   {"--policy", "full:1s:30s", "--capacity", "100"},
		"negative-clients": {"--policy", "full:1s:30s", "--clients=-1", "--capacity", "100"},
		"runtime":          {"--policy", "full:1s:30s", "--runtime", "php"},
		"budget":           {"--policy", "full:1s:30s", "--budget", "many"},
		"missing-file":     {"--delays", "no-such-file.json"},
		"argument":         {"delays.json"},
	} {
		golden(t, "lint-bad-"+name, exitBad, "", append([]string{"lint"}, args...)...)
	}
	for name, stdin := range map[string]string{
		"empty":           "",
		"empty-runs":      "[[],[]]",
		"no-runs":         "[]",
		"strings":         `[[1000,"2000"]]`,
		"not-json":        `{"runs":[[1000`,
		"unknown-key":     `{"runs":[[1000]],"unit":"s"}`,
		"no-runs-key":     `{"scenario":"refused"}`,
		"mixed":           `[[1000],2000]`,
		"words":           "1000,2000\n1000,soon\n",
		"not-a-number":    "1000,NaN\n",
		"too-long":        "1e300\n",
		"unknown-endings": `{"runs":[[1]],"endings":["died"]}`,
	} {
		golden(t, "lint-bad-delays-"+name, exitBad, stdin, "lint", "--delays", "-")
	}
}

// The list of rules grows with the catalogue, so it is no golden file.
func TestLintRules(t *testing.T) {
	for args, want := range map[string]string{"all": "growth-locked", "no-such": "unknown rule: no-such, expected one of fixed-locked, ",
		"no-jitter": "an older word: no-jitter, expected fixed-locked or growth-locked: by whether the waits grow"} {
		var stdout, stderr bytes.Buffer
		run(nil, &stdout, &stderr, []string{"lint", "--explain", args})
		if !strings.Contains(stdout.String()+stderr.String(), want) {
			t.Errorf("--explain %s: %s%s", args, stdout.String(), stderr.String())
		}
	}
}

// The file the documentation tells Python, Swift and Java users to write is read from disk, too.
func TestLintFile(t *testing.T) {
	path := t.TempDir() + "/delays.json"
	if err := os.WriteFile(path, []byte("\ufeff[[1000,2100],[400,1000],[700,300]]"), 0o600); err != nil {
		t.Fatal(err)
	}
	golden(t, "lint-file", exitDone, "", "lint", "--delays", path)
}
