package module

import (
	"errors"
	"os"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

// Bytes follows the folder it was built from: the module, or the named error.
func TestBytes(t *testing.T) {
	b, err := Bytes()
	if _, missing := os.Stat("dist/stormlint.wasm"); missing != nil {
		if !errors.Is(err, fault.NotBuilt) {
			t.Fatalf("without a built module: %v, want not-built", err)
		}
		return
	}
	if err != nil || len(b) < 100_000 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if _, err := dist.ReadFile("dist/gojs/stormlint-gojs.wasm"); err == nil {
		t.Error("the js build is embedded too")
	}
}
