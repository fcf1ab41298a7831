package main

import "slices"

// Every segment of a function is in the table at its head, but few are ever looked up there. The numbers that are:
//
//	0             the function is called
//	T             a jump back, written i32.const T · local.set 0 · br (the loop)
//	PC mod 65536  a goroutine is taken up after a call: the return address that was put on the stack for that call, a constant
//	              whose upper half is the function's own address
//
// The runtime goes into a function at a place of its own making only in functions of its own, and where somebody recovers: in
// functions that defer. -traps has proved that nobody recovers; without it those functions stay as they are. So the other numbers
// lead to segment 0 instead; a block that nothing branches to any more is no block, and what follows a jump up to the next end
// that is branched to is never run.

// entered is the set of numbers that may be looked up in the table; ok is false where a jump back's number is not a constant.
func (f frame) entered(ops []op, address uint64) (numbers []bool, ok bool) {
	numbers = make([]bool, len(f.table))
	numbers[0] = true
	add := func(k uint64) {
		numbers[min(k, uint64(len(numbers)-1))] = true
	}
	inside := f.blocks - 1 // blocks around an instruction within the loop; negative after it
	for i := f.first; i < len(ops); i++ {
		back := false
		switch o := ops[i]; o.code {
		case block, loop, ifThen:
			inside++
		case end:
			inside--
			if inside < 0 {
				inside = -len(ops)
			}
		case br, brIf:
			back = inside >= 0 && o.a == uint64(inside)
		case brTable:
			back = inside >= 0 && slices.Contains(o.table, uint64(inside))
		case i32Const, i64Const:
			if o.a>>16 == address {
				add(o.a & 0xffff)
			}
		}
		if !back {
			continue
		}
		k := i - 1
		for k >= 0 && straight(ops[k].code) && (ops[k].code != localSet && ops[k].code != localTee || ops[k].a != 0) {
			k--
		}
		if k < 1 || !straight(ops[k].code) || ops[k-1].code != i32Const {
			return nil, false
		}
		add(ops[k-1].a)
	}
	return numbers, true
}

// withoutLabels takes out of the table what is never looked up, and of the code what only that led to.
func withoutLabels(ops []op, address uint64) []op {
	f, ok := framed(ops)
	if !ok {
		return ops
	}
	numbers, ok := f.entered(ops, address)
	if !ok {
		return ops
	}
	head := &ops[f.first-2]
	head.table = slices.Clone(head.table)
	for k, looked := range numbers {
		if !looked {
			head.table[k] = head.table[0]
		}
	}
	for n := len(head.table) - 1; n > 0 && head.table[n-1] == head.table[n]; n-- { // a number beyond the table leads where its last does
		head.table = head.table[:n]
	}
	for before := len(ops) + 1; len(ops) < before; {
		before = len(ops)
		ops = unlabelled(reached(ops))
	}
	return ops
}

// reached drops the instructions between one that never goes on and the end of its block.
func reached(ops []op) []op {
	for i := 0; i < len(ops); i++ {
		if c := ops[i].code; c != br && c != brTable && c != ret && c != unreachable {
			continue
		}
		depth := 0
		for i++; i < len(ops); i++ {
			c := ops[i].code
			if depth == 0 && (c == end || c == elseThen) {
				break
			}
			switch c {
			case block, loop, ifThen:
				depth++
			case end:
				depth--
			}
			ops[i].code = gone
		}
	}
	return compacted(ops)
}

// unlabelled drops the blocks that nothing branches to.
func unlabelled(ops []op) []op {
	var open []int                     // where the blocks around an instruction begin
	target := func(depth uint64) int { // -1 for the function itself
		if depth >= uint64(len(open)) {
			return -1
		}
		return open[len(open)-1-int(depth)]
	}
	used := make([]bool, len(ops))
	walk := func(visit func(depth *uint64), closed func(begin, end int)) {
		open = open[:0]
		for i := range ops {
			switch o := &ops[i]; o.code {
			case block, loop, ifThen:
				open = append(open, i)
			case end:
				begin := open[len(open)-1]
				open = open[:len(open)-1]
				closed(begin, i)
			case br, brIf:
				visit(&o.a)
			case brTable:
				for k := range o.table {
					visit(&o.table[k])
				}
			}
		}
	}
	walk(func(depth *uint64) {
		if t := target(*depth); t >= 0 {
			used[t] = true
		}
	}, func(int, int) {})
	unused := func(begin int) bool { return !used[begin] && ops[begin].code == block && ops[begin].a == void }
	var dropped []int
	walk(func(depth *uint64) {
		inner := open[max(0, len(open)-int(*depth)):]
		for _, begin := range inner {
			if unused(begin) {
				*depth--
			}
		}
	}, func(begin, end int) {
		if unused(begin) {
			dropped = append(dropped, begin, end)
		}
	})
	for _, i := range dropped {
		ops[i].code = gone
	}
	return compacted(ops)
}
