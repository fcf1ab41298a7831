// Package moduletest builds a module for a test, from the sources as they are: a test never meets a stale build.
package moduletest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var (
	mu    sync.Mutex
	built = map[string][]byte{}
)

// Guest gives the module as it ships: build.sh makes it, with all its flags. It is built once a test process.
func Guest(t testing.TB) []byte {
	t.Helper()
	return once(t, "guest", func(top, out string) *exec.Cmd {
		return exec.Command("bash", filepath.Join(top, "build.sh"), "module", out)
	})
}

// Filter gives the proxy-wasm filter, a module of its own, with build tags: none as it ships; "faults" is the one that fails
// on demand.
func Filter(t testing.TB, tags string) []byte {
	t.Helper()
	return once(t, "filter "+tags, func(top, out string) *exec.Cmd {
		return exec.Command("bash", filepath.Join(top, "build.sh"), "filter", out, tags)
	})
}

// Program gives the wasip1 build of a test's own package, "./host/sandbox/testdata/crash" seen from the top of the repository, as
// Go links it: it may print, recover and use the system's packages, which the guest does not.
func Program(t testing.TB, dir string) []byte { return program(t, dir, "") }

// Trapping gives such a program, built with a tag, after wasm/tighten has made its faults trap.
func Trapping(t testing.TB, dir, tag string) []byte {
	t.Helper()
	linked := filepath.Join(t.TempDir(), "linked.wasm")
	if err := os.WriteFile(linked, program(t, dir, tag), 0o600); err != nil {
		t.Fatal(err)
	}
	return once(t, "tight "+dir+" "+tag, func(top, out string) *exec.Cmd {
		tighten := exec.Command("go", "run", "./wasm/tighten", "-traps", linked, out)
		tighten.Dir = top
		return tighten
	})
}

func program(t testing.TB, dir, tag string) []byte {
	t.Helper()
	return once(t, dir+" "+tag, func(top, out string) *exec.Cmd {
		build := exec.Command("go", "build", "-tags", "stormlint_module,"+tag, "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, dir)
		build.Dir = top
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		return build
	})
}

func once(t testing.TB, name string, command func(top, out string) *exec.Cmd) []byte {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if b := built[name]; b != nil {
		return b
	}
	top, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	out := filepath.Join(t.TempDir(), "module.wasm")
	if text, err := command(strings.TrimSpace(string(top)), out).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built[name] = b
	return b
}
