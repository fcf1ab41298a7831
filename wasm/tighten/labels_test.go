package main

import (
	"bytes"
	"testing"
)

// Which segments of a function can be looked up, and what is left of the code when the others cannot.
func TestWithoutLabels(t *testing.T) {
	const address = firstEntry + 9
	over, check := op{code: end}, op{code: ifThen, a: void}
	nest, around := op{code: block, a: void}, op{code: loop, a: void}
	table := func(depths ...uint64) []op {
		return []op{{code: localGet}, {code: brTable, table: depths}, over}
	}
	value := []op{{code: localGet, a: 2}, {code: i32Wrap}}
	back := func(to, depth uint64) []op {
		return []op{{code: i32Const, a: to}, {code: localSet}, {code: br, a: depth}}
	}
	if1 := func(depth uint64) op { return op{code: brIf, a: depth} }
	address64 := func(k uint64) []op { return []op{{code: i64Const, a: address<<16 | k}, {code: drop}} }
	for _, c := range []struct {
		name     string
		in, want []op
	}{
		{"nothing leads there", join(around, nest, nest, nest, table(0, 1, 2, 2), value, if1(1), over, value, if1(0), over, value, over),
			join(around, nest, nest, table(0), value, if1(0), value, if1(0), over, value, over)},
		{"taken up after a call", join(around, nest, nest, nest, table(0, 1, 2, 2), address64(1), if1(1), over, value, if1(0), over, value, over),
			join(around, nest, nest, nest, table(0, 1, 0), address64(1), if1(1), over, value, if1(0), over, value, over)},
		{"another function's address", join(around, nest, nest, nest, table(0, 1, 2, 2), op{code: i64Const, a: (address+1)<<16 | 1}, op{code: drop}, if1(1), over, value, if1(0), over, value, over),
			join(around, nest, nest, table(0), op{code: i64Const, a: (address+1)<<16 | 1}, op{code: drop}, if1(0), value, if1(0), over, value, over)},
		{"a jump back", join(around, nest, nest, nest, table(0, 1, 2, 2), value, if1(1), over, value, if1(0), over, value, check, back(1, 1), over, over),
			join(around, nest, nest, nest, table(0, 1, 0), value, if1(1), over, value, if1(0), over, value, check, back(1, 1), over, over)},
		{"a jump back to what is worked out", join(around, nest, nest, nest, table(0, 1, 2, 2), value, if1(1), over, value, if1(0), over, value, op{code: localSet}, out(0), over),
			join(around, nest, nest, nest, table(0, 1, 2, 2), value, if1(1), over, value, if1(0), over, value, op{code: localSet}, out(0), over)},
		{"never run", join(around, nest, nest, nest, table(0, 1, 2, 2), value, op{code: drop}, out(1), over, value, check, over, over, value, over),
			join(around, nest, nest, table(0), value, op{code: drop}, out(0), over, value, over)},
	} {
		if got, want := appendOps(nil, withoutLabels(c.in, address)), appendOps(nil, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, wanted % x", c.name, got, want)
		}
	}
}

// Another shape, and blocks within blocks: depths are counted without the blocks that are gone.
func TestUnlabelled(t *testing.T) {
	nest, over := op{code: block, a: void}, op{code: end}
	in := join(nest, nest, op{code: loop, a: void}, nest, op{code: localGet}, op{code: brTable, table: []uint64{1, 3, 4}}, over, over, over, over)
	want := join(nest, op{code: loop, a: void}, op{code: localGet}, op{code: brTable, table: []uint64{0, 1, 2}}, over, over)
	if got, want := appendOps(nil, unlabelled(in)), appendOps(nil, want); !bytes.Equal(got, want) {
		t.Errorf("% x, wanted % x", got, want)
	}
}
