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

// Build gives the wasip1 build of a package, "./wasm/guest" seen from the top of the repository, tagged and tightened as
// build.sh does it. It is built once a test process.
func Build(t testing.TB, dir string) []byte {
	t.Helper()
	return build(t, ".", dir, "stormlint_module")
}

// Filter gives the build of the proxy-wasm filter, a module of its own, with build tags: "faults" is the one that fails
// on demand.
func Filter(t testing.TB, tags string) []byte {
	t.Helper()
	return build(t, "wasm/filter", ".", tags)
}

func build(t testing.TB, module, dir, tags string) []byte {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	name := module + " " + dir + " " + tags
	if b := built[name]; b != nil {
		return b
	}
	top, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	linked, out := filepath.Join(t.TempDir(), "linked.wasm"), filepath.Join(t.TempDir(), "module.wasm")
	build := exec.Command("go", "build", "-tags", tags, "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", linked, dir)
	home := strings.TrimSpace(string(top))
	build.Dir = filepath.Join(home, module)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOAMD64=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, text)
	}
	tighten := exec.Command("go", "run", "./wasm/tighten", linked, out)
	tighten.Dir = home
	if text, err := tighten.CombinedOutput(); err != nil {
		t.Fatalf("tightening %s: %v\n%s", name, err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built[name] = b
	return b
}
