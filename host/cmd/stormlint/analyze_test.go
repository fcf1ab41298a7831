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

// What a form is made of, and the exit status that --fail-on asks for.
func TestForms(t *testing.T) {
	for _, output := range []string{"ndjson", "markdown"} {
		got := agree(t, exitDone, "", "analyze", "--sample", "-o", output, "--mark", "2026-11-30T10:30:00Z=deploy, 1.4")
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
