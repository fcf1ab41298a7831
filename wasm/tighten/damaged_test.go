package main

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
)

// A module that is cut anywhere is an error. One with a single byte inverted is an error, or was a sound module all the same (the
// byte was a number, or text) and is sound after: never a panic, and never a broken module out of a sound one.
func TestDamaged(t *testing.T) {
	b := linked(t, "./testdata/bare", "-buildmode=c-shared")
	for i := range 80 {
		if _, err := tighten(b[:len(b)*i/80], i%2 == 0); err == nil {
			t.Errorf("cut at %d/80: no error", i)
		}
	}
	if testing.Short() {
		return
	}
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer r.Close(t.Context())
	sound := func(b []byte) bool {
		m, err := r.CompileModule(t.Context(), b)
		if err == nil {
			m.Close(t.Context())
		}
		return err == nil
	}
	refused := 0
	for i := range 16 {
		c := bytes.Clone(b)
		at := len(c)*i/16 + i
		c[at] ^= 0xff
		after, err := tighten(c, i%2 == 0)
		if err != nil {
			refused++
		} else if !sound(after) && sound(c) {
			t.Errorf("byte %d inverted: a broken module out of a sound one", at)
		}
	}
	t.Logf("%d of 16 were refused", refused)
}

// small is a module with one function of every kind of instruction, an import and two segments.
func small() []byte {
	section := func(number byte, b ...byte) []byte {
		return append(appendUnsigned([]byte{number}, uint64(len(b))), b...)
	}
	code := appendOps([]byte{1, 2, 0x7f}, []op{
		{code: globalGet}, {code: localSet, a: 1}, {code: block, a: void}, {code: loop, a: void}, {code: block, a: void}, {code: block, a: void},
		{code: localGet}, {code: brTable, table: []uint64{0, 1, 1}}, {code: end},
		{code: localGet, a: 1}, {code: i64Extend32}, {code: i64Const, a: 16}, {code: i64Add}, {code: i32Wrap}, {code: 0x29, a: 3, b: 8}, {code: drop},
		{code: i32Const, a: 1}, {code: localSet}, {code: br, a: 1}, {code: end},
		{code: f32Const, a: 1 << 30}, {code: f64Const, a: 1 << 62}, {code: drop}, {code: drop}, {code: memorySize}, {code: drop},
		{code: i32Const}, {code: i32Const}, {code: i32Const}, {code: memoryCopy}, {code: i32Const}, {code: i32Const}, {code: i32Const}, {code: memoryFill},
		{code: call}, {code: i32Const, a: 5}, {code: callTable}, {code: ifThen, a: void}, {code: unreachable}, {code: elseThen}, {code: end}, {code: end}, {code: end},
		{code: i32Const, a: 1},
	})
	return slices.Concat([]byte(preamble),
		section(1, 1, 0x60, 0, 0),
		section(importSection, 1, 1, 'a', 1, 'b', 0, 0),
		section(codeSection, append(appendUnsigned([]byte{1}, uint64(len(code))), code...)...),
		section(dataSection, 2, 0, opI32Const, 8, opEnd, 3, 'a', 'b', 'c', 0, opI32Const, 16, opEnd, 1, 'd'))
}

// Any bytes are read without a panic, and what is read and written again reads the same.
func FuzzParse(f *testing.F) {
	f.Add(small())
	f.Fuzz(func(t *testing.T, b []byte) {
		tighten(b, true)
		m, err := parse(b)
		if err != nil {
			return
		}
		again, err := parse(m.bytes())
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("the sections read differently: %v", err)
		}
		if image, err := m.image(); err == nil && len(image.memory) < 1<<20 {
			m.sections[dataSection] = image.segments()
			same, err := m.image()
			if err != nil || !bytes.Equal(bytes.TrimRight(image.memory, "\x00"), same.memory) {
				t.Fatalf("the data read differently: %v", err)
			}
		}
		bodies, err := m.bodies()
		if err != nil {
			return
		}
		for n, f := range bodies {
			ops, err := decode(f.code)
			if err != nil {
				continue
			}
			if again, err := decode(appendOps(nil, ops)); err != nil || !reflect.DeepEqual(ops, again) {
				t.Fatalf("function %d reads differently: %v", n, err)
			}
			if _, err := decode(appendOps(nil, improved(ops))); err != nil && balanced(ops) {
				t.Fatalf("function %d cannot be read after it was rewritten: %v", n, err)
			}
		}
	})
}

// balanced reports whether every block is closed.
func balanced(ops []op) bool {
	depth := 0
	for _, o := range ops {
		switch o.code {
		case block, loop, ifThen:
			depth++
		case end:
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
