package storm_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/host/storm"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// TestMain is a keeper's or a worker's process when the test starts itself again as such.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "keep":
		err = keeper.Keep(os.Stdin, os.Stdout)
	case len(os.Args) > 1 && os.Args[1] == "work":
		err = storm.Work(os.Stdin, os.Stdout)
	default:
		os.Setenv("STORM_TEST", strconv.Itoa(os.Getpid())) // by which its own programs are known
		os.Exit(m.Run())
	}
	if err != nil {
		os.Exit(1)
	}
}

func programs(command string, clients int) storm.Programs {
	return storm.Programs{Command: command, Clients: clients, Keeper: []string{os.Args[0], "keep"}, Bursts: 1,
		Interval: 300 * time.Millisecond, Away: 3200 * time.Millisecond, Patience: 40 * time.Second}
}

// The examples of the documentation come back, and what they did is judged. How, no test says: a busy machine is late by as much
// as a wait; TestWitness judges what is told.
func TestExamples(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("examples")
	if err != nil {
		t.Fatal(err)
	}
	goclient := filepath.Join(t.TempDir(), "goclient")
	if out, err := exec.Command("go", "build", "-o", goclient, "./examples/goclient").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, command := range []string{
		"node '" + filepath.Join(examples, "client.mjs") + "' {uri}",
		"python3 '" + filepath.Join(examples, "client.py") + "' {uri}",
		"'" + goclient + "' {uri}",
	} {
		t.Run(filepath.Base(strings.Fields(command)[0]), func(t *testing.T) {
			t.Parallel()
			r, err := storm.RunPrograms(t.Context(), programs(command, 6))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Bursts) != 1 || r.Bursts[0].Dropped != 6 || r.Bursts[0].Back != 6 || r.Bursts[0].Errors["503"] < 6 || len(r.Lint.Runs) != 1 || r.Lint.Runs[0].Runs != 6 {
				t.Errorf("%s", r.AppendJSON(nil))
			}
			left(t, r.URI)
		})
	}
}

// left looks for programs that this test has started, with a word among their arguments.
func left(t *testing.T, word string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("only /proc tells what is left behind")
		return
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		env, err1 := os.ReadFile(f)
		line, err2 := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		if err1 == nil && err2 == nil && strings.Contains(string(env), "STORM_TEST="+strconv.Itoa(os.Getpid())+"\x00") &&
			strings.Contains(string(env), "STORMLINT_CLIENT=") && strings.Contains(string(line), word) {
			t.Errorf("left behind: %q", line)
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want string }{
		{"no-such-program {uri}", "no-such-program"},
		{"", "a program and its arguments"},
		{"node 'client.mjs", "a program and its arguments"},
		{`sh -c "echo 'no such host' >&2; exit 7"`, "client 0 ended before it had connected: exit status 7: no such host"},
		{"sleep 1000.25", "no program connected within 1.5 s"},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			o := programs(c.command, 1)
			o.Patience = 1500 * time.Millisecond
			if _, err := storm.RunPrograms(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if strings.Contains(c.command, "sleep") {
				left(t, "1000.25")
			}
		})
	}
	for name, o := range map[string]storm.Programs{
		"clients": {Command: "true"}, "down": {Command: "true", Clients: 1, Away: -1}, "iterations": {Command: "true", Clients: 1, Bursts: -1},
	} {
		if _, err := storm.RunPrograms(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An interrupt in the middle ends the programs, one that ignores SIGTERM as well, and the report says what ran.
func TestProgramsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := programs(`sh -c "trap '' TERM; python3 examples/client.py {uri} interrupted & sleep 1000.75"`, 2)
	o.Progress = func(s storm.Snapshot) {
		if s.Burst == 1 {
			cancel()
		}
	}
	r, err := storm.RunPrograms(ctx, o)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r.Stopped != "interrupted" {
		t.Errorf("stopped: %q", r.Stopped)
	}
	left(t, "1000.75")
	left(t, "interrupted")
}
