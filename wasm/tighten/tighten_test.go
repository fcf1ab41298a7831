package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// linked is the test program as Go's linker writes it.
func linked(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
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

// The rewritten program does what the program did, in fewer bytes and without a note of something left alone.
func TestSameProgram(t *testing.T) {
	before := linked(t)
	after, notes, err := tighten(before, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Error(notes)
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
	m, err := parse(linked(t))
	if err != nil {
		t.Fatal(err)
	}
	r := reader{b: m.sections[codeSection]}
	for n := range r.unsigned() {
		body := reader{b: r.take(r.unsigned())}
		for range body.unsigned() {
			body.unsigned()
			body.byte()
		}
		ops, err := decode(body.b)
		if err != nil {
			t.Fatalf("function %d: %v", n, err)
		}
		written := appendOps(nil, ops)
		if again, err := decode(written); err != nil || !reflect.DeepEqual(ops, again) || len(body.b)-len(written) > len(body.b)/100+2 {
			t.Fatalf("function %d: %d bytes in, %d out, %v", n, len(body.b), len(written), err)
		}
	}
}

// A damaged module is an error or a module, never a panic: cut at 80 places, and with 12 single bytes inverted.
func TestDamaged(t *testing.T) {
	b := linked(t)
	for i := range 80 {
		tighten(b[:len(b)*i/80], i%2 == 0)
	}
	if testing.Short() {
		return
	}
	for i := range 12 {
		c := bytes.Clone(b)
		c[len(c)*i/12+i] ^= 0xff
		tighten(c, i%2 == 0)
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

// The rewritings on hand-made code: what folds, what must not.
func TestRewritings(t *testing.T) {
	sp := op{code: localGet, a: 1}
	place := func(n uint64) []op {
		return []op{sp, {code: i64Extend32}, {code: i64Const, a: n}, {code: i64Add}, {code: i32Wrap}}
	}
	value := []op{{code: localGet, a: 2}, {code: i64Const, a: 5}, {code: i64Add}}
	store, load := op{code: 0x37, a: 3}, op{code: 0x29, a: 3}
	with := func(o op, offset uint64) op { o.b = offset; return o }
	ops := func(parts ...any) (all []op) {
		for _, p := range parts {
			switch p := p.(type) {
			case op:
				all = append(all, p)
			case []op:
				all = append(all, p...)
			}
		}
		return all
	}
	jump := func(to, depth uint64) []op {
		return []op{{code: i32Const, a: to}, {code: localSet}, {code: br, a: depth}}
	}
	shape := ops(op{code: block, a: void}, op{code: loop, a: void}, op{code: block, a: void}, op{code: block, a: void}, op{code: block, a: void}, op{code: localGet}, op{code: brTable, table: []uint64{0, 1, 2, 2}}, op{code: end})
	over, check := op{code: end}, op{code: ifThen, a: void}
	for _, c := range []struct {
		name     string
		in, want []op
	}{
		{"load", ops(place(16), load), ops(sp, with(load, 16))},
		{"load with an offset", ops(place(16), with(load, 8)), ops(sp, with(load, 24))},
		{"store", ops(place(16), value, store), ops(sp, value, with(store, 16))},
		{"store of a load", ops(place(16), place(24), load, store), ops(sp, sp, with(load, 24), with(store, 16))},
		{"store of an address", ops(place(16), place(24), op{code: i64Extend32}, store), ops(sp, sp, op{code: i32Const, a: 24}, op{code: i32Add}, op{code: i64Extend32}, with(store, 16))},
		{"a call between", ops(place(16), op{code: call, a: 9}, store), ops(sp, op{code: i32Const, a: 16}, op{code: i32Add}, op{code: call, a: 9}, store)},
		{"forward", ops(shape, jump(2, 2), over, over, over), ops(shape, out(1), over, over, over)},
		{"forward under a condition", ops(shape, value, check, jump(1, 3), over, over, over, over), ops(shape, value, op{code: brIf}, over, over, over)},
		{"forward among other things", ops(shape, value, check, value, op{code: drop}, jump(1, 3), over, over, over, over), ops(shape, value, check, value, op{code: drop}, out(1), over, over, over, over)},
		{"back", ops(shape, over, jump(0, 1), over, over), ops(shape, over, jump(0, 1), over, over)},
		{"to itself", ops(shape, over, jump(1, 1), over, over), ops(shape, over, jump(1, 1), over, over)},
		{"another label", ops(shape, jump(2, 1), over, over, over), ops(shape, jump(2, 1), over, over, over)},
		{"return", ops(sp, i32(24), op{code: i32Add}, op{code: localTee, a: 1}, op{code: globalSet}, sp, i32(8), op{code: i32Add}, op{code: localTee, a: 1}, op{code: globalSet}, i32(0), op{code: ret}),
			ops(sp, i32(32), op{code: i32Add}, op{code: globalSet}, i32(0), op{code: ret})},
	} {
		if got, want := appendOps(nil, improved(c.in)), appendOps(nil, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, wanted % x", c.name, got, want)
		}
	}
}

func out(depth uint64) op { return op{code: br, a: depth} }
func i32(v uint64) op     { return op{code: i32Const, a: v} }
