//go:build !wasm

// The go command cannot be run inside WebAssembly; natively the test runs.

package linttest

import (
	"os/exec"
	"strings"
	"testing"
)

// Importing the kit brings nothing but the standard library and this module.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path != "github.com/stormlint/stormlint" {
			t.Errorf("it brings %s", path)
		}
	}
}
