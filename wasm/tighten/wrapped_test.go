package main

import (
	"bytes"
	"testing"
)

// An address is used again while its pointer is as it was on every path.
func TestWrapOnce(t *testing.T) {
	whole := []op{{code: localGet, a: 2}, {code: i32Wrap}}
	kept, again := join(whole, op{code: localTee, a: 9}, op{code: drop}), []op{{code: localGet, a: 9}, {code: drop}}
	use := join(whole, op{code: drop})
	set := []op{{code: i64Const}, {code: localSet, a: 2}}
	nest, around, check, over := op{code: block, a: void}, op{code: loop, a: void}, op{code: ifThen, a: void}, op{code: end}
	condition := []op{{code: localGet, a: 3}, {code: i32Wrap}}
	for _, c := range []struct {
		name     string
		in, want []op
	}{
		{"once", use, use},
		{"twice", join(use, use), join(kept, again)},
		{"set between", join(use, set, use), join(use, set, use)},
		{"a loop's head", join(use, around, use, use, over), join(use, around, kept, again, over)},
		{"a path that leaves", join(use, nest, condition, op{code: brIf}, use, over, use), join(kept, nest, condition, op{code: brIf}, again, over, again)},
		{"set on one path", join(use, nest, condition, op{code: brIf}, set, over, use), join(use, nest, condition, op{code: brIf}, set, over, use)},
		{"set under a condition", join(use, condition, check, set, over, use), join(use, condition, check, set, over, use)},
		{"kept under a condition alone", join(condition, check, use, over, use), join(condition, check, use, over, use)},
		{"kept on both ways", join(condition, check, use, op{code: elseThen}, use, over, use), join(condition, check, kept, op{code: elseThen}, kept, over, again)},
	} {
		out, _ := wrapOnce(c.in, 9)
		if got, want := appendOps(nil, out), appendOps(nil, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, wanted % x", c.name, got, want)
		}
	}
}
