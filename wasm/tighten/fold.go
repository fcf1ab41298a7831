package main

// Go's functions keep their frame in memory. The place of an argument for a call, or of its result, is written
//
//	local.get SP · i64.extend_i32_u · i64.const 16 · i64.add · i32.wrap_i64 · … · i64.store offset=0
//
// although the store could add 16 itself:
//
//	local.get SP · … · i64.store offset=16
//
// SP is 32 bits wide and lies inside memory, as does the place: no carry can be lost. That is so of SP alone: it is local 1, in a
// function whose local 1 is set to nothing else.

const localSP = 1

// keepsSP reports whether local 1 is always a copy of global 0, Go's stack pointer.
func keepsSP(ops []op) bool {
	for i, o := range ops {
		loaded := o.code == localSet && at(ops, i-1, globalGet) && ops[i-1].a == 0
		stored := o.code == localTee && at(ops, i+1, globalSet) && ops[i+1].a == 0
		if (o.code == localSet || o.code == localTee) && o.a == localSP && !loaded && !stored {
			return false
		}
	}
	return true
}

// stackEffect is how many values an instruction takes off the operand stack and puts on it; ok is false where the flow may go
// elsewhere, or the instruction's type is not looked up here (calls).
func stackEffect(o op) (takes, puts int, ok bool) {
	switch c := o.code; {
	case c == 0x01:
		return 0, 0, true
	case c == drop:
		return 1, 0, true
	case c == pick:
		return 3, 1, true
	case c == localGet, c == globalGet, c >= i32Const && c <= f64Const, c == memorySize:
		return 0, 1, true
	case c == localSet, c == globalSet:
		return 1, 0, true
	case c == localTee, c == memoryGrow:
		return 1, 1, true
	case c >= firstLoad && c < firstStore:
		return 1, 1, true
	case c >= firstStore && c <= lastStore:
		return 2, 0, true
	case c == i32Eqz, c == i64Eqz: // tests
		return 1, 1, true
	case c >= 0x46 && c <= 0x66: // comparisons
		return 2, 1, true
	case c >= 0x67 && c <= 0x69, c >= 0x79 && c <= 0x7b: // counting of bits
		return 1, 1, true
	case c >= 0x6a && c <= 0x78, c >= 0x7c && c <= 0x8a: // integer arithmetic
		return 2, 1, true
	case c >= 0x8b && c <= 0x91, c >= 0x99 && c <= 0x9f: // one float
		return 1, 1, true
	case c >= 0x92 && c <= 0x98, c >= 0xa0 && c <= 0xa6: // two floats
		return 2, 1, true
	case c >= 0xa7 && c <= 0xc4, c >= prefixed && c <= prefixed+7: // conversions
		return 1, 1, true
	}
	return 0, 0, false
}

// foldAddresses moves constant distances from the stack pointer into the loads and stores that use them.
func foldAddresses(ops []op) []op {
	if !keepsSP(ops) {
		return ops
	}
	var stack []int // for each value on the operand stack where its computation as an address begins, -1 for others
	pop := func(n int) (first int) {
		first = -1
		for ; n > 0; n-- {
			first = -1
			if len(stack) > 0 {
				first = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
			}
		}
		return first
	}
	for i := 0; i < len(ops); i++ {
		o := &ops[i]
		if at(ops, i, localGet, i64Extend32, i64Const, i64Add, i32Wrap) && o.a == localSP && int64(ops[i+2].a) >= 0 && ops[i+2].a < 1<<30 {
			stack = append(stack, i)
			i += 4
			continue
		}
		takes, puts, ok := stackEffect(*o)
		if !ok {
			stack = stack[:0]
			continue
		}
		first := pop(takes)
		if first >= 0 && o.code >= firstLoad && o.code <= lastStore && o.b < 1<<30 {
			o.b += ops[first+2].a
			for k := first + 1; k <= first+4; k++ {
				ops[k].code = gone
			}
		}
		for range puts {
			stack = append(stack, -1)
		}
	}
	// What is left is an address for something else: the same in 32 bits.
	for i := range ops {
		if at(ops, i, localGet, i64Extend32, i64Const, i64Add, i32Wrap) {
			ops[i+1] = op{code: i32Const, a: uint64(int64(int32(ops[i+2].a)))}
			ops[i+2].code = i32Add
			ops[i+3].code, ops[i+4].code = gone, gone
		}
	}
	return compacted(ops)
}

// joinReturns makes one step of the two with which a function takes its frame and its return address off the stack: the local
// copy of the stack pointer is not read again.
func joinReturns(ops []op) []op {
	for i := range ops {
		if at(ops, i, localGet, i32Const, i32Add, localTee, globalSet, localGet, i32Const, i32Add, localTee, globalSet, i32Const, ret) &&
			ops[i].a == ops[i+3].a && ops[i].a == ops[i+5].a && ops[i].a == ops[i+8].a && ops[i+4].a == 0 && ops[i+9].a == 0 {
			ops[i+1].a = uint64(int64(int32(ops[i+1].a + ops[i+6].a)))
			ops[i+3] = op{code: globalSet}
			for k := i + 4; k <= i+9; k++ {
				ops[k].code = gone
			}
		}
	}
	return compacted(ops)
}
