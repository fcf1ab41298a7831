package main

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
// Local 0 keeps an old number then, which nothing reads: whoever branches to the loop sets it first.

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

// forwardJumps turns jumps to later segments into branches.
func forwardJumps(ops []op) []op {
	f, ok := framed(ops)
	if !ok {
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
// end: the depth of that branch differs at every call, and a return is the same everywhere, which compresses.
func leaveAtOnce(ops []op) []op {
	var out []op
	for i, o := range ops {
		if o.code == brIf && i > 2 && at(ops, i-2, globalGet, localSet) && (ops[i-3].code == call || ops[i-3].code == callTable) && ops[i-2].a == 0 && ops[i-1].a == 1 {
			out = append(out, op{code: ifThen, a: void}, op{code: i32Const, a: 1}, op{code: ret}, op{code: end})
			continue
		}
		out = append(out, o)
	}
	return out
}
