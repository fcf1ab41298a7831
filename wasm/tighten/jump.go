package main

import "slices"

// Go's basic blocks become a loop around nested blocks, and a jump becomes a number in local 0 and a branch back to the head of
// the loop, where a table leads on:
//
//	loop
//	  block · block · block
//	    local.get 0 · br_table …
//	  end  code of segment 0
//	  end  code of segment 1: i32.const T · local.set 0 · br (the loop)
//	  end  code of segment 2
//	…
//
// The segments stand in order, so a jump to a later one is a branch out of as many blocks:
//
//	end  code of segment 1: br (segment's distance)
//
// Local 0 keeps an old number then. That is proved to be read nowhere before a function is changed: each branch to the loop, and
// each place that uses local 0 as a scratch variable, comes after an instruction that sets it, in straight code. So it reads
// what was set there, whatever happened before.

// frame is the shape above: where the table stands, how many blocks are around it, and the table.
type frame struct {
	first  int // the first instruction of segment 0
	blocks int
	table  []uint64
}

// framed finds the shape at the head of a function.
func framed(ops []op) (f frame, ok bool) {
	i := 0
	for i < len(ops) && ops[i].code != loop { // the stack pointer is loaded, and perhaps a block for unwinding begins
		if c := ops[i].code; c != block && c != globalGet && c != localSet || i > 3 {
			return f, false
		}
		i++
	}
	for i++; i < len(ops) && ops[i].code == block && ops[i].a == void; i++ {
		f.blocks++
	}
	if f.blocks == 0 || !at(ops, i, localGet, brTable, end) || ops[i].a != 0 {
		return f, false
	}
	f.table, f.first = ops[i+1].table, i+3
	return f, true
}

// setBefore reports whether local 0 is set in the straight code that leads to instruction i.
func setBefore(ops []op, i int) bool {
	for i--; i >= 0 && straight(ops[i].code); i-- {
		if (ops[i].code == localSet || ops[i].code == localTee) && ops[i].a == 0 {
			return true
		}
	}
	return false
}

// renumbers reports whether no reading of local 0, by the table or by other code, meets a number that an earlier jump left.
func (f frame) renumbers(ops []op) bool {
	inside := f.blocks - 1 // blocks around an instruction within the loop; negative after it
	for i := f.first; i < len(ops); i++ {
		reads := false
		switch o := ops[i]; o.code {
		case block, loop, ifThen:
			inside++
		case end:
			inside--
			if inside < 0 { // nothing there leads to the loop, whatever is opened
				inside = -len(ops)
			}
		case localGet:
			reads = o.a == 0
		case br, brIf:
			reads = inside >= 0 && o.a == uint64(inside)
		case brTable:
			reads = inside >= 0 && slices.Contains(o.table, uint64(inside))
		}
		if reads && !setBefore(ops, i) {
			return false
		}
	}
	return true
}

// forwardJumps turns jumps to later segments into branches.
func forwardJumps(ops []op) []op {
	f, ok := framed(ops)
	if !ok || !f.renumbers(ops) {
		return ops
	}
	depth, segment := 0, 0 // blocks opened inside this segment, and the segment
	for i := f.first; i < len(ops) && segment < f.blocks; i++ {
		switch ops[i].code {
		case block, loop, ifThen:
			depth++
		case end:
			if depth > 0 {
				depth--
			} else {
				segment++
			}
		case i32Const:
			back := uint64(depth + f.blocks - 1 - segment) // how deep the loop lies from here
			if !at(ops, i, i32Const, localSet, br) || ops[i+1].a != 0 || ops[i+2].a != back || ops[i].a >= uint64(len(f.table)) {
				continue
			}
			target := int(f.table[ops[i].a])
			if target <= segment || target >= f.blocks {
				continue
			}
			out := uint64(depth + target - segment - 1)
			ops[i].code, ops[i+1].code = gone, gone
			ops[i+2].a = out
			if depth > 0 && ops[i-1].code == ifThen && ops[i-1].a == void && at(ops, i+2, br, end) { // a condition around nothing but the jump
				ops[i-1] = op{code: brIf, a: out - 1}
				ops[i+2].code, ops[i+3].code = gone, gone
				depth--
				i += 3
			}
		}
	}
	return compacted(ops)
}

// leaveAtOnce returns from where a called function says that its goroutine is being left, instead of branching to the function's
// end: the depth of that branch differs at every call, and a return is the same everywhere, which compresses. The end that is
// branched to does nothing else: it is that of the block around the whole function, and then 1 is returned.
func leaveAtOnce(ops []op) []op {
	if !leftByBlock(ops) {
		return ops
	}
	var out []op
	depth := uint64(0)
	for i, o := range ops {
		switch o.code {
		case block, loop, ifThen:
			depth++
		case end:
			depth--
		}
		if o.code == brIf && o.a == depth-1 && i > 2 && at(ops, i-2, globalGet, localSet) && (ops[i-3].code == call || ops[i-3].code == callTable) && ops[i-2].a == 0 && ops[i-1].a == localSP {
			out = append(out, op{code: ifThen, a: void}, op{code: i32Const, a: 1}, op{code: ret}, op{code: end})
			continue
		}
		out = append(out, o)
	}
	return out
}

// leftByBlock reports whether a function is the loading of its stack pointer, one block, and the number 1.
func leftByBlock(ops []op) bool {
	first := slices.IndexFunc(ops, func(o op) bool { return !straight(o.code) })
	if first < 0 || ops[first].code != block || ops[first].a != void || ops[len(ops)-1].code != i32Const || ops[len(ops)-1].a != 1 {
		return false
	}
	depth := 0
	for i := first; i < len(ops)-1; i++ {
		switch ops[i].code {
		case block, loop, ifThen:
			depth++
		case end:
			depth--
		}
		if depth == 0 {
			return i == len(ops)-2
		}
	}
	return false
}
