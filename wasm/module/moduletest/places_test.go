package moduletest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Two builds of the same sources are equal, byte for byte, wherever they are made and whatever the environment says: module
// and filter here, and in a copy at another place, where CGO_ENABLED is set.
func TestTwoPlaces(t *testing.T) {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(t.TempDir(), "another place")
	for _, part := range []string{"core", "wasm"} {
		if err := os.CopyFS(filepath.Join(place, part), os.DirFS(filepath.Join(top, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum", "build.sh"} {
		b, err := os.ReadFile(filepath.Join(top, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(place, file), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for verb, want := range map[string][]byte{"module": Guest(t), "filter": Filter(t, "")} {
		out := filepath.Join(place, verb+".wasm")
		build := exec.Command("bash", filepath.Join(place, "build.sh"), verb, out)
		build.Env = append(os.Environ(), "CGO_ENABLED=1")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the %s is %d bytes here and %d there, or other ones", verb, len(want), len(got))
		}
	}
}
