package main

import (
	"bytes"
	"testing"
)

// Which branches lead to a fault, and what else is behind a block.
func TestFaultsAtOnce(t *testing.T) {
	nest, around, check, over, fault := op{code: block, a: void}, op{code: loop, a: void}, op{code: ifThen, a: void}, op{code: end}, op{code: unreachable}
	value := []op{{code: localGet, a: 2}, {code: i32Wrap}}
	to := func(depth uint64) op { return op{code: brIf, a: depth} }
	inPlace := []op{check, fault, over}
	for _, c := range []struct {
		name     string
		in, want []op
	}{
		{"a fault", join(nest, value, to(0), over, fault), join(nest, value, inPlace, over, fault)},
		{"a fault farther out", join(nest, nest, value, to(1), over, value, op{code: drop}, over, fault), join(nest, nest, value, inPlace, over, value, op{code: drop}, over, fault)},
		{"always", join(nest, value, op{code: drop}, out(0), over, fault), join(nest, value, op{code: drop}, fault, over, fault)},
		{"inside a condition", join(nest, value, check, out(1), over, over, fault), join(nest, value, check, fault, over, over, fault)},
		{"something first", join(nest, value, to(0), over, value, op{code: drop}, fault), join(nest, value, to(0), over, value, op{code: drop}, fault)},
		{"back to the head", join(around, value, to(0), over, fault), join(around, value, to(0), over, fault)},
		{"out of a condition", join(value, check, value, to(0), over, fault), join(value, check, value, to(0), over, fault)},
		{"out of the function", join(value, to(0), fault), join(value, to(0), fault)},
		{"not nested", join(nest, value, to(0), over, over, fault), join(nest, value, to(0), over, over, fault)},
	} {
		if got, want := appendOps(nil, faultsAtOnce(c.in, false)), appendOps(nil, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, wanted % x", c.name, got, want)
		}
	}
	for _, c := range []struct {
		name     string
		in, want []op
	}{
		{"one", join(nest, value, to(0), over, fault), join(nest, value, to(0), over, fault)},
		{"the outer one of two", join(nest, nest, value, to(0), value, to(1), over, fault, over, fault), join(nest, nest, value, to(1), value, to(1), over, fault, over, fault)},
		{"around a loop", join(nest, around, nest, value, to(0), out(1), over, fault, over, over, fault), join(nest, around, nest, value, to(2), out(1), over, fault, over, over, fault)},
		{"what is no fault stays", join(nest, nest, value, to(0), over, value, op{code: drop}, over, fault), join(nest, nest, value, to(0), over, value, op{code: drop}, over, fault)},
	} {
		if got, want := appendOps(nil, faultsAtOnce(c.in, true)), appendOps(nil, c.want); !bytes.Equal(got, want) {
			t.Errorf("in one: %s: % x, wanted % x", c.name, got, want)
		}
	}
}
