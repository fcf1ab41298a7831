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
	mu.Lock()
	defer mu.Unlock()
	if b := built[dir]; b != nil {
		return b
	}
	top, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	linked, out := filepath.Join(t.TempDir(), "linked.wasm"), filepath.Join(t.TempDir(), "module.wasm")
	build := exec.Command("go", "build", "-tags", "stormlint_module", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", linked, dir)
	build.Dir = strings.TrimSpace(string(top))
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOAMD64=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", dir, err, text)
	}
	tighten := exec.Command("go", "run", "./wasm/tighten", linked, out)
	tighten.Dir = build.Dir
	if text, err := tighten.CombinedOutput(); err != nil {
		t.Fatalf("tightening %s: %v\n%s", dir, err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built[dir] = b
	return b
}
