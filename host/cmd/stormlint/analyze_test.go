package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const at = "--evaluated-at=2026-11-30T12:00:00Z"

func TestAnalyze(t *testing.T) {
	for want, args := range map[string][]string{
		"64 clients made 1,289 attempts":                          {"analyze", "--sample"},
		`"records":1417,"used":1417,"ignored":0,"skipped":[]`:     {"analyze", "--sample", "-o", "json", "--top", "2"},
		`"clients":64,"attempts":83,"sessions":64`:                {"analyze", "--since", "2026-11-30T10:30:00Z", "--until", "2026-11-30T10:30:01Z", "-o", "json", "-"},
		`"sources":[{"name":"-","format":"base","records":1417}]`: {"analyze", "-o", "json"},
		`"from":"2026-11-30T08:40:03.569Z"`:                       {"analyze", "--tz", "Europe/Berlin", "-o", "json", "--format", "base", "zoneless"},
	} {
		if args[len(args)-1] == "zoneless" {
			args[len(args)-1] = filepath.Join(t.TempDir(), "zoneless")
			if err := os.WriteFile(args[len(args)-1], []byte(strings.ReplaceAll(sample, `Z","client`, `","client`)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := agree(t, sample, args...); !strings.Contains(got, want) {
			t.Errorf("%v: no %s in\n%.600s", args, want, got)
		}
	}
	golden(t, "analyze-events", exitDone, sample[:700], "analyze", "--events", "-")
	golden(t, "analyze-both", exitBad, "", "analyze", "--sample", "x.log")
	golden(t, "analyze-missing", exitBad, "", "analyze", "no-such.log")
	golden(t, "analyze-folder", exitBad, "", "analyze", "testdata")
	golden(t, "analyze-bad-zone", exitBad, "x", "analyze", "--tz", "Mars/Olympus")
	golden(t, "analyze-bad-key", exitBad, "x", "analyze", "--key", "shoe size")
	golden(t, "analyze-bad-format", exitBad, "x", "analyze", "--format", "cuneiform")
	golden(t, "analyze-tiers", exitDone, "", "analyze", "../../../testdata/tiers/app-uvicorn.log", "../../../testdata/tiers/edge-nginx.log")
	golden(t, "analyze-tiers-json", exitDone, "", "analyze", "-o", "json", "--top", "1", "../../../testdata/tiers/app-uvicorn.log", "../../../testdata/tiers/edge-nginx.log")
	golden(t, "analyze-bad-since", exitBad, "x", "analyze", "--since", "yesterday")
}

func TestCompat(t *testing.T) {
	golden(t, "compat-sample", exitDone, "", "analyze", "--compat", "--sample", at)
	golden(t, "compat-threshold", exitDone, compatSample, "analyze", "--compat", at, "--threshold", "2", "-")
	golden(t, "compat-refused", exitBad, `[{"timestamp":1,"client_ip":"a","event_type":"open"},{}]`, "analyze", "--compat", at)
	golden(t, "compat-events", exitBad, "", "analyze", "--compat", "--events")
}

// Every form of the report, and the exit status that --fail-on asks for.
func TestForms(t *testing.T) {
	for output, want := range map[string]string{
		"text": "Clients, 15 of 64", "json": `"schema":"stormlint/report/1"`, "ndjson": `{"client":"`, "markdown": "## WebSocket reconnects: sample.ndjson", "html": "<!doctype html>", "github": "<!-- summary -->",
	} {
		got := agree(t, "", "analyze", "--sample", "-o", output, "--mark", "2026-11-30T10:30:00Z=deploy, 1.4", "--capacity", "20", "--budget", "1000/day", "--protocol", "graphql-ws", "--include", "probes")
		if !strings.Contains(got, want) {
			t.Errorf("-o %s: no %s in\n%.600s", output, want, got)
		}
		if output == "ndjson" && strings.Count(got, "\n") != 64 {
			t.Errorf("ndjson has %d lines", strings.Count(got, "\n"))
		}
		if output == "markdown" && (strings.Count(got, "\n") > 40 || !strings.Contains(got, "deploy, 1.4")) {
			t.Errorf("markdown:\n%s", got)
		}
	}
	for level, want := range map[string]int{"off": exitDone, "critical": exitFinding, "info": exitFinding} {
		var stdout, stderr bytes.Buffer
		if code := run(nil, &stdout, &stderr, []string{"analyze", "--sample", "--fail-on", level}); code != want {
			t.Errorf("--fail-on %s: exit %d, want %d %s", level, code, want, stderr.String())
		}
	}
	golden(t, "analyze-bad-mark", exitBad, "x", "analyze", "--mark", "deploy")
	golden(t, "analyze-bad-protocol", exitBad, "x", "analyze", "--protocol", "smoke signals")
	golden(t, "analyze-bad-include", exitBad, "x", "analyze", "--include", "everything")
}

// Without a pipe and without a file the prototype showed its sample, and so does --compat; analyze names --sample.
func TestNoInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(nil, &stdout, &stderr, []string{"analyze", "--compat", at}); code != exitDone || !strings.Contains(stderr.String(), "bundled sample") || !strings.Contains(stdout.String(), "CRITICAL") {
		t.Errorf("--compat: exit %d\n%s%s", code, stdout.String(), stderr.String())
	}
	stderr.Reset()
	if code := run(nil, &stdout, &stderr, []string{"analyze"}); code != exitBad || !strings.Contains(stderr.String(), "--sample") {
		t.Errorf("analyze: exit %d\n%s", code, stderr.String())
	}
}

// However the input arrives, the report is the same.
func TestWaysIn(t *testing.T) {
	t.Chdir(t.TempDir())
	var zipped bytes.Buffer
	for _, half := range []string{sample[:100_000], sample[100_000:]} { // two members
		z := gzip.NewWriter(&zipped)
		z.Write([]byte(half))
		z.Close()
	}
	half := strings.LastIndexByte(sample[:100_000], '\n') + 1
	for name, data := range map[string]string{"whole": sample, "whole.gz": zipped.String(), "part.log.1": sample[:half], "part.log": sample[half:],
		"array.json": "[\n" + strings.ReplaceAll(strings.TrimSpace(sample), "\n", ",\n") + "]"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, engine := range engines(t) {
		want := ""
		for _, args := range [][]string{{"whole"}, {"whole.gz"}, {"--input", "whole"}, {"-"}, {"array.json"}, {"part.log", "part.log.1"}, {"--decoder", "sonic", "whole"}, {"--decoder", "std", "whole"}} {
			if engine == "wasm" && args[0] == "--decoder" {
				continue
			}
			var stdout, stderr bytes.Buffer
			code := run(strings.NewReader(sample), &stdout, &stderr, append([]string{"--engine", engine, "analyze", "-o", "json", "--all"}, args...))
			if code != exitDone || stderr.Len() > 0 {
				t.Fatalf("%s %v: exit %d, %s", engine, args, code, stderr.String())
			}
			_, got, _ := strings.Cut(stdout.String(), `"totals":`) // what stands before names the sources
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s %v: another report", engine, args)
			}
		}
	}
}

// Data that is cut off is told, and what came before it is analysed; the prototype refused it.
func TestCutGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(sample))
	z.Close()
	path := filepath.Join(t.TempDir(), "cut.gz")
	if err := os.WriteFile(path, zipped.Bytes()[:zipped.Len()-2000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines(t) {
		var stdout, stderr bytes.Buffer
		code := run(nil, &stdout, &stderr, []string{"--engine", engine, "analyze", "-o", "json", path})
		if code != exitDone || !strings.Contains(stderr.String(), "cut.gz: gzip data is cut off after") || !strings.Contains(stdout.String(), `"reason":"cut off at the end of the input","count":1`) {
			t.Errorf("%s: exit %d, %s%.500s", engine, code, stderr.String(), stdout.String())
		}
		stdout.Reset()
		if code := run(nil, &stdout, &stderr, []string{"--engine", engine, "analyze", "--compat", path}); code != exitBad || stdout.Len() > 0 {
			t.Errorf("%s --compat: exit %d, %.200s", engine, code, stdout.String())
		}
	}
}
