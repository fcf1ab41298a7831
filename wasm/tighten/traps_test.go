package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// instance starts testdata/bare; what it writes as it dies is in mistakes.
func instance(t *testing.T, r wazero.Runtime, code wazero.CompiledModule, mistakes *bytes.Buffer) api.Module {
	t.Helper()
	m, err := r.InstantiateModule(t.Context(), code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithStderr(mistakes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(context.Background()) })
	return m
}

// With -traps a program gives the same answers. Each of its faults ends it as before, by the instruction unreachable instead of
// a panic's text; a panic of its own says its text still.
func TestTraps(t *testing.T) {
	before := linked(t, "./testdata/bare", "-buildmode=c-shared")
	after, err := tighten(before, true)
	if err != nil {
		t.Fatal(err)
	}
	untrapped, err := tighten(before, false)
	if err != nil || len(untrapped) < len(after)*101/100 {
		t.Fatalf("%d bytes with -traps, %d without; %v", len(after), len(untrapped), err)
	}
	r := wazero.NewRuntime(t.Context())
	defer r.Close(context.Background())
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	compiled := func(wasm []byte) wazero.CompiledModule {
		c, err := r.CompileModule(t.Context(), wasm)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	was, is := compiled(before), compiled(after)
	var mistakes bytes.Buffer
	a, b := instance(t, r, was, &mistakes), instance(t, r, is, &mistakes)
	for seed := range uint64(3) {
		want, err := a.ExportedFunction("work").Call(t.Context(), seed)
		if err != nil {
			t.Fatal(err, mistakes.String())
		}
		if got, err := b.ExportedFunction("work").Call(t.Context(), seed); err != nil || got[0] != want[0] {
			t.Errorf("work(%d) is %d, %v, wanted %d", seed, got, err, want)
		}
	}
	for n, says := range []string{"index out of range [3] with length 3", "slice bounds out of range [3:2]", "divide by zero", "negative shift amount",
		"interface conversion", "nil pointer dereference", "index out of range [4] with length 3", "cannot convert slice with length 2", "own"} {
		want, err := a.ExportedFunction("fault").Call(t.Context(), uint64(n), 1)
		if err != nil {
			t.Fatal(n, err)
		}
		if got, err := b.ExportedFunction("fault").Call(t.Context(), uint64(n), 1); err != nil || got[0] != want[0] {
			t.Errorf("without fault %d: %v, %v, wanted %v", n, got, err, want)
		}
		for _, trapped := range []bool{false, true} {
			code := was
			if trapped {
				code = is
			}
			mistakes.Reset()
			_, err := instance(t, r, code, &mistakes).ExportedFunction("fault").Call(t.Context(), uint64(n), 0)
			quiet := trapped && says != "own"
			if err == nil || strings.Contains(mistakes.String(), says) == quiet || quiet && !strings.Contains(err.Error(), "unreachable") {
				t.Errorf("fault %d, traps %v: %v, says %q", n, trapped, err, mistakes.String())
			}
		}
	}
}

// What -traps is not for, and what a table must not be, to be believed.
func TestRefused(t *testing.T) {
	bare, recovering := linked(t, "./testdata/bare", "-buildmode=c-shared"), linked(t, "./testdata/program")
	change := func(b []byte, f func(t *table)) []byte {
		m, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		image, err := m.image()
		if err != nil {
			t.Fatal(err)
		}
		table, err := image.find()
		if err != nil {
			t.Fatal(err)
		}
		f(table)
		m.sections[dataSection] = image.segments()
		return m.bytes()
	}
	rename := func(from, to string) func(*table) {
		return func(t *table) {
			names := t.part(t.names, t.units)
			copy(names, bytes.ReplaceAll(names, []byte("\x00"+from), []byte("\x00"+to)))
		}
	}
	release := func(to string) func(*table) {
		return func(t *table) {
			copy(t.memory, bytes.ReplaceAll(t.memory, []byte(release), []byte(to)))
		}
	}
	for _, c := range []struct {
		name     string
		in       []byte
		traps    bool
		says     string
		unharmed bool // the module may stay as it was linked
	}{
		{"recover", recovering, true, "calls recover", false},
		{"recover, without -traps", recovering, false, "", false},
		{"a function of the list is gone", change(bare, rename("runtime.goPanicIndex", "runtime.goFaultIndex")), true, "", false},
		{"functions of the list are gone", change(bare, rename("runtime.goPanic", "runtime.goFault")), true, "no function is named runtime.goPanic", false},
		{"another order", change(bare, func(t *table) {
			a, b := t.at+t.funcs+8*100, t.at+t.funcs+8*101
			t.set(a, t.word(a)+1)
			t.set(b, t.word(b)-1)
		}), true, "another order", true},
		{"another record", change(bare, func(t *table) {
			a, b := t.at+t.funcs+8*100+4, t.at+t.funcs+8*101+4
			x, y := t.word(a), t.word(b)
			t.set(a, y)
			t.set(b, x)
		}), true, "another order", true},
		{"another count", change(bare, func(t *table) { t.set(t.at+8, uint32(t.count-1)) }), true, "another number of functions", true},
		{"a coming release", change(bare, release("go1.27")), false, "made by go1.27", true},
		{"a release before", change(bare, release("go1.25")), true, "made by go1.25", true},
		{"a release of three digits", change(bare, release("go1.2X")), true, "made by go1.2X", true},
		{"no release", change(bare, release("ho1.26")), false, "no Go release", true},
		{"a second header", change(bare, func(t *table) {
			copy(t.part(t.names, t.units), t.memory[t.at:t.at+8+8*headerWords])
		}), false, "two places", true},
	} {
		_, err := tighten(c.in, c.traps)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.says) || (err == nil) != (c.says == "") {
			t.Errorf("%s: %v, wanted %q", c.name, err, c.says)
		}
		_, left := err.(*leftError)
		if left != c.unharmed {
			t.Errorf("%s: %v: left as it was linked: %v", c.name, err, left)
		}
	}
}

// A module of another release is written as it came, with an exit code of its own; another mistake writes nothing.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	b := linked(t, "./testdata/bare", "-buildmode=c-shared")
	write := func(name string, b []byte) string {
		if err := os.WriteFile(dir+"/"+name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	other := bytes.ReplaceAll(b, []byte(release), []byte("go1.27"))
	for _, c := range []struct {
		args []string
		code int
		out  []byte
	}{
		{[]string{write("other", other)}, exitLeft, other},
		{[]string{write("cut", b[:len(b)-5])}, 1, nil},
		{[]string{"-traps", write("recovering", linked(t, "./testdata/program"))}, 1, nil},
		{[]string{dir + "/missing"}, 1, nil},
		{[]string{}, 2, nil},
	} {
		out := dir + "/out"
		os.Remove(out)
		if code := run(append(c.args, out)); code != c.code {
			t.Errorf("%v: exit code %d, wanted %d", c.args, code, c.code)
		}
		if got, _ := os.ReadFile(out); !bytes.Equal(got, c.out) {
			t.Errorf("%v: wrote %d bytes, wanted %d", c.args, len(got), len(c.out))
		}
	}
}
