package main

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
)

// function is a module with one function f(i64, i64), its code and a page of memory; result is the type of what it gives.
func function(code []op, result byte) []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	body := appendOps([]byte{1, 2, 0x7f}, code) // two variables of 32 bits
	return slices.Concat([]byte(preamble),
		section(typeSection, 1, 0x60, 2, 0x7e, 0x7e, 1, result), section(functionSection, 1, 0), section(5, 1, 0, 1),
		section(7, 1, 1, 'f', 0, 0), section(codeSection, append([]byte{1, byte(len(body))}, body...)...))
}

// What is joined gives what the single instructions gave, of every pair of values and in wazero.
func TestShorterIsTheSame(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	values := []uint64{0, 1, 2, 7, 127, 128, 255, 256, 1 << 15, 1<<16 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1, 0x8182838485868788, math.MaxInt64, 1 << 63, math.MaxUint64}
	run := func(code []op, result byte) (all []uint64) {
		m, err := r.InstantiateWithConfig(ctx, function(code, result), wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close(ctx)
		for _, a := range values {
			for _, b := range values {
				got, err := m.ExportedFunction("f").Call(ctx, a, b)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, got...)
			}
		}
		return all
	}
	get := func(k uint64) op { return op{code: localGet, a: k} }
	plain := func(codes ...uint16) (ops []op) {
		for _, c := range codes {
			ops = append(ops, op{code: c})
		}
		return ops
	}
	const i32Type, i64Type = 0x7f, 0x7e
	same := func(in []op, result byte, fewer int) {
		t.Helper()
		joined := shorter(slices.Clone(in))
		if len(joined) != len(in)-fewer {
			t.Errorf("%v became %v, wanted %d fewer", in, joined, fewer)
		}
		if want, got := run(in, result), run(joined, result); !slices.Equal(got, want) {
			t.Errorf("%v became %v, which gives something else", in, joined)
		}
	}
	both := []op{get(0), get(1)}
	cut := []op{get(0), {code: i32Wrap}, get(1), {code: i32Wrap}}
	for c := uint16(i64Eq); c <= i64Comparison; c++ {
		same(join(both, plain(c, i32Eqz)), i32Type, 1)
		same(join(both, plain(c, i32Eqz, i32Eqz)), i32Type, 2)
		same(join(both, plain(c, i64Extend32, i64Eqz, i32Eqz)), i32Type, 3)
		same(join(cut, plain(c-i64Eq+i32Eq, i32Eqz)), i32Type, 1)
	}
	same(join(get(0), plain(i64Eqz, i64Extend32, i64Eqz, i32Eqz)), i32Type, 3)
	same(join(get(0), plain(i64Eqz, i32Eqz)), i32Type, 0)
	same(join(get(0), op{code: i64Const}, plain(i64Eq)), i32Type, 1)
	same(join(get(0), plain(i32Wrap), op{code: i32Const}, plain(i32Eq)), i32Type, 1)
	same(join(get(0), plain(i32Wrap, i64ExtendS, i32Wrap)), i32Type, 2)
	for _, v := range values {
		same([]op{{code: i64Const, a: v}, {code: i32Wrap}}, i32Type, 1)
	}
	same(join(get(0), op{code: localSet, a: 1}, get(1), plain(nop)), i64Type, 2)
	same(join(get(0), get(1), op{code: localSet, a: 1}), i64Type, 2)
	branch := func(c op) []op { // 1 where the condition holds
		return join(op{code: block, a: void}, get(0), plain(i32Wrap, i32Eqz, i32Eqz), c, op{code: i32Const}, plain(ret, end), op{code: i32Const, a: 1})
	}
	same(branch(op{code: brIf}), i32Type, 2)
	same(join(get(0), plain(i32Wrap, i32Eqz, i32Eqz), op{code: ifThen, a: void}, op{code: i32Const}, plain(ret, end), op{code: i32Const, a: 1}), i32Type, 2)
	for c := uint16(i64Load); c <= i64Load32; c++ {
		if narrow[c] == 0 {
			continue
		}
		for align := range uint64(alignment(c) + 1) {
			same(join(op{code: i32Const, a: 8}, get(0), op{code: i64Store, a: 3}, op{code: i32Const, a: 5}, op{code: c, a: align, b: 3}, plain(i32Wrap)), i32Type, 1)
		}
	}
	for c := uint16(i64Store8); c <= lastStore; c++ {
		for align := range uint64(alignment(c) + 1) {
			for _, extend := range []uint16{i64Extend32, i64ExtendS} {
				same(join(op{code: i32Const, a: 16}, get(1), op{code: i64Store, a: 3}, op{code: i32Const, a: 13}, get(0), plain(i32Wrap, extend),
					op{code: c, a: align, b: 3}, op{code: i32Const, a: 16}, op{code: i64Load, a: 3}), i64Type, 1)
			}
		}
	}
}

// alignment is the greatest that a load or store of 64 bits may claim.
func alignment(c uint16) int {
	return map[uint16]int{i64Load: 3, 0x30: 0, 0x31: 0, 0x32: 1, 0x33: 1, 0x34: 2, i64Load32: 2, i64Store8: 0, 0x3d: 1, lastStore: 2}[c]
}

// What looks alike and is not.
func TestNotShorter(t *testing.T) {
	for _, in := range [][]op{
		{{code: localSet, a: 2}, {code: localGet, a: 3}},
		{{code: localSet, a: 2}, {code: end}, {code: localGet, a: 2}},
		{{code: 0x2b, a: 3}, {code: i32Wrap}}, // of a float: no module has it
		{{code: i64Const, a: 1}, {code: i64Eq}},
		{{code: call, a: 9}, {code: i32Eqz}},
		{{code: call, a: 9}, {code: i32Eqz}, {code: i32Eqz}},
		{{code: 0x61}, {code: i32Eqz}}, // of floats: not a number is neither less nor not less
		{{code: i64Extend32}, {code: i64Store, a: 3}},
	} {
		if got, want := appendOps(nil, shorter(slices.Clone(in))), appendOps(nil, in); !bytes.Equal(got, want) {
			t.Errorf("%v became % x", in, got)
		}
	}
}
