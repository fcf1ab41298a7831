package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/wasm/module"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before committing it")

// engines are the ways a command line is run: natively, and in the sandbox where the module was built into this test.
func engines(t *testing.T) []string {
	if _, err := module.Bytes(); err != nil {
		t.Log("the module is not built in: natively only; ./build.sh test runs both")
		return []string{"native"}
	}
	return []string{"native", "wasm"}
}

// golden runs a command line with every engine (a refusal natively only) and compares what it prints with testdata/NAME.stdout and NAME.stderr (a
// file that is missing stands for nothing printed).
func golden(t *testing.T, name string, code int, stdin string, args ...string) {
	t.Helper()
	t.Run(name, func(t *testing.T) { goldenIn(t, "testdata", name, code, stdin, args...) })
}

func goldenIn(t *testing.T, folder, name string, code int, stdin string, args ...string) {
	t.Helper()
	for _, engine := range engines(t) {
		if code == exitBad && engine != "native" {
			continue
		}
		var stdout, stderr bytes.Buffer
		got := run(strings.NewReader(stdin), &stdout, &stderr, append([]string{"--engine", engine}, args...))
		if got != code {
			t.Errorf("%s: exit code %d, want %d\n%s", engine, got, code, stderr.String())
		}
		compareFile(t, filepath.Join(folder, name+".stdout"), stdout.Bytes(), engine)
		compareFile(t, filepath.Join(folder, name+".stderr"), stderr.Bytes(), engine)
	}
}

func compare(t *testing.T, file string, got []byte, engine string) {
	t.Helper()
	compareFile(t, filepath.Join("testdata", file), got, engine)
}

func compareFile(t *testing.T, path string, got []byte, engine string) {
	t.Helper()
	file := filepath.Base(path)
	want, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	if *update && engine == "native" {
		if len(got) == 0 {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, got, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-200)
	t.Errorf("%s: %s differs at byte %d (-update writes it anew); got\n…%s…\nwant\n…%s…", engine, file, i, got[from:min(len(got), i+400)], want[from:min(len(want), i+400)])
}

// agree runs a command line with every engine, wants the same output of all, and gives it: for answers that grow with the
// analysis and are compared byte for byte in testdata's corpus.
func agree(t *testing.T, want int, stdin string, args ...string) string {
	t.Helper()
	first := ""
	for _, engine := range engines(t) {
		var stdout, stderr bytes.Buffer
		if code := run(strings.NewReader(stdin), &stdout, &stderr, append([]string{"--engine", engine}, args...)); code != want {
			t.Errorf("%s %v: exit code %d, want %d\n%s", engine, args, code, want, stderr.String())
		}
		got := stdout.String() + stderr.String()
		if first == "" {
			first = got
		}
		if first != got {
			t.Errorf("%s %v prints something else than native", engine, args)
		}
	}
	return first
}

func TestUsage(t *testing.T) {
	golden(t, "bad-engine", exitBad, "", "--engine", "steam", "version")
}

// The list of verbs grows with every verb, so it is looked at, not compared.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"analyze", "--help"}} {
		var stdout, stderr bytes.Buffer
		code := run(nil, &stdout, &stderr, args)
		if code != exitDone || stderr.Len() > 0 || !strings.Contains(stdout.String(), "Usage: stormlint") || !strings.Contains(stdout.String(), "analyze") {
			t.Errorf("%v: exit %d\n%s%s", args, code, stdout.String(), stderr.String())
		}
	}
}

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(nil, &stdout, &stderr, []string{"version"}); code != exitDone || !strings.HasPrefix(stdout.String(), "stormlint 0.1.0 (abi 1, ") {
		t.Errorf("exit %d, %s%s", code, stdout.String(), stderr.String())
	}
}

// An answer that cannot be written is a failure, not silence.
func TestBrokenPipe(t *testing.T) {
	var stderr bytes.Buffer
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	if code := run(nil, w, &stderr, []string{"version"}); code != exitBad || !strings.Contains(stderr.String(), "writing the answer") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}
