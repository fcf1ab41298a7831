package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

var programs = map[string][]byte{}

// linked is a test program as Go's linker writes it, for every test the same.
func linked(t *testing.T, dir string, flags ...string) []byte {
	t.Helper()
	if b := programs[dir]; b != nil {
		return bytes.Clone(b)
	}
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", slices.Concat([]string{"build", "-ldflags=-s -w"}, flags, []string{"-o", out, dir})...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	programs[dir] = b
	return bytes.Clone(b)
}

// said is what a program prints.
func said(t *testing.T, wasm []byte) string {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out, mistakes bytes.Buffer
	if _, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&mistakes)); err != nil && out.Len() == 0 {
		t.Fatalf("%v: %s", err, mistakes.String())
	}
	return out.String() + mistakes.String()
}

// The rewritten program does what the program did, in fewer bytes.
func TestSameProgram(t *testing.T) {
	before := linked(t, "./testdata/program")
	after, err := tighten(before, false)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := parse(before)
	b, _ := parse(after)
	if was, is := len(a.sections[codeSection]), len(b.sections[codeSection]); is > was*92/100 {
		t.Errorf("%d bytes of code of %d", is, was)
	}
	want := said(t, before)
	if len(want) < 200 {
		t.Fatalf("the program says only %q", want)
	}
	if got := said(t, after); got != want {
		t.Errorf("says\n%s\nwanted\n%s", got, want)
	}
}

// Every function of a real module is read, and what is written reads the same (the linker spells some numbers longer than they
// are, so bytes may be fewer).
func TestDecode(t *testing.T) {
	m, err := parse(linked(t, "./testdata/program"))
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := m.bodies()
	if err != nil {
		t.Fatal(err)
	}
	for n, body := range bodies {
		ops, err := decode(body.code)
		if err != nil {
			t.Fatalf("function %d: %v", n, err)
		}
		written := appendOps(nil, ops)
		if again, err := decode(written); err != nil || !reflect.DeepEqual(ops, again) || len(body.code)-len(written) > len(body.code)/100+2 {
			t.Fatalf("function %d: %d bytes in, %d out, %v", n, len(body.code), len(written), err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63} {
		r := reader{b: appendSigned(nil, v)}
		if got := r.signed(); got != v || r.err != nil || len(r.b) != 0 {
			t.Errorf("%d became %d, %v", v, got, r.err)
		}
		r = reader{b: appendUnsigned(nil, uint64(v))}
		if got := r.unsigned(); got != uint64(v) || r.err != nil || len(r.b) != 0 {
			t.Errorf("%d became %d, %v", uint64(v), got, r.err)
		}
	}
}
