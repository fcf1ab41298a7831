package main

import (
	"bytes"
	"testing"
)

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
	way := ops(op{code: globalGet}, op{code: localSet, a: 1}) // the stack pointer is loaded
	left := func(depth uint64) []op {
		return ops(op{code: call, a: 9}, way, op{code: brIf, a: depth})
	}
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
		{"forward, and local 0 used for something else", ops(shape, jump(2, 2), over, i32(7), op{code: localSet}, op{code: localGet}, op{code: drop}, over, over),
			ops(shape, out(1), over, i32(7), op{code: localSet}, op{code: localGet}, op{code: drop}, over, over)},
		{"forward, and local 0 read elsewhere", ops(shape, jump(2, 2), over, op{code: localGet}, op{code: drop}, over, over), ops(shape, jump(2, 2), over, op{code: localGet}, op{code: drop}, over, over)},
		{"forward, and a branch to the table with the number as it is", ops(shape, jump(2, 2), over, out(1), over, over), ops(shape, jump(2, 2), over, out(1), over, over)},
		{"forward, and a number set before a call", ops(shape, jump(2, 2), over, i32(1), op{code: localSet}, op{code: call, a: 9}, out(1), over, over),
			ops(shape, jump(2, 2), over, i32(1), op{code: localSet}, op{code: call, a: 9}, out(1), over, over)},
		{"an address in another local", ops(op{code: localGet, a: 2}, place(16)[1:], load), ops(op{code: localGet, a: 2}, i32(16), op{code: i32Add}, load)},
		{"local 1 is not the stack pointer", ops(i32(8), op{code: localSet, a: 1}, place(16), load), ops(i32(8), op{code: localSet, a: 1}, place(16), load)},
		{"the way out", ops(way, op{code: block, a: void}, left(0), op{code: end}, i32(1)), ops(way, op{code: block, a: void}, left(0)[:3], check, i32(1), op{code: ret}, over, over, i32(1))},
		{"the way out of an inner block", ops(way, op{code: block, a: void}, op{code: block, a: void}, left(0), over, over, i32(1)), ops(way, op{code: block, a: void}, op{code: block, a: void}, left(0), over, over, i32(1))},
		{"the way out to more code", ops(way, op{code: block, a: void}, left(0), over, op{code: call, a: 8}, op{code: drop}, i32(1)), ops(way, op{code: block, a: void}, left(0), over, op{code: call, a: 8}, op{code: drop}, i32(1))},
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
