package main

// Go's pointers are 64 bits wide, an address of WebAssembly is 32: each load and store through a pointer begins with
//
//	local.get P · i32.wrap_i64
//
// again, though P is as it was. An engine without a search for equal expressions (wazero) then knows nothing of the second
// address, and compares it with the size of the memory once more. So the first address is kept in a variable of its own,
//
//	local.get P · i32.wrap_i64 · local.tee A        …        local.get A
//
// and used for as long as P is not set, on every path: where paths meet, it must be kept on all of them, and at the head of a
// loop nothing is.

const pointers = 64 // the first variables, which are all that Go has

// wraps are the addresses that are kept at one place: for each pointer the class of its definitions, 0 where there is none.
type wraps [pointers]int

// classes joins definitions that one use may read.
type classes struct {
	over []int // of each class another that it is part of, or itself
	used []bool
}

func (c *classes) add() int {
	if len(c.over) == 0 {
		c.over, c.used = []int{0}, []bool{false}
	}
	c.over, c.used = append(c.over, len(c.over)), append(c.used, false)
	return len(c.over) - 1
}

func (c *classes) root(k int) int {
	for c.over[k] != k {
		k = c.over[k]
	}
	return k
}

func (c *classes) meet(a, b wraps) (both wraps) {
	for p := range a {
		if a[p] != 0 && b[p] != 0 {
			x, y := c.root(a[p]), c.root(b[p])
			c.over[y] = x
			c.used[x] = c.used[x] || c.used[y]
			both[p] = x
		}
	}
	return both
}

// path is what is known at a place; nothing comes there if it is not live.
type path struct {
	wraps
	live bool
}

func (c *classes) join(a, b path) path {
	switch {
	case !a.live:
		return b
	case !b.live:
		return a
	}
	return path{c.meet(a.wraps, b.wraps), true}
}

// opened is a construct that has not ended: what is known at its end so far, and for a condition at its beginning.
type opened struct {
	code       uint16
	end, begin path
}

// wrapOnce keeps addresses in variables, numbered from first; it says how many it needs.
func wrapOnce(ops []op, first uint64) (out []op, variables uint64) {
	var c classes
	var stack []opened
	now := path{live: true}
	class := make([]int, len(ops)) // of the wrapping that begins at an instruction; negative where it is a use
	branch := func(depth uint64) {
		if k := len(stack) - 1 - int(depth); k >= 0 && stack[k].code != loop {
			stack[k].end = c.join(stack[k].end, now)
		}
	}
	for i, o := range ops {
		switch o.code {
		case block, ifThen:
			stack = append(stack, opened{code: o.code, begin: now})
		case loop:
			stack = append(stack, opened{code: loop})
			now.wraps = wraps{}
		case elseThen:
			s := &stack[len(stack)-1]
			s.end, now = c.join(s.end, now), s.begin
			s.code = block
		case end:
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if s.code == ifThen {
				s.end = c.join(s.end, s.begin)
			}
			now = c.join(s.end, now)
		case br, brIf:
			branch(o.a)
		case brTable:
			for _, d := range o.table {
				branch(d)
			}
		}
		switch o.code {
		case br, brTable, ret, unreachable:
			now = path{}
		case localSet, localTee:
			if o.a < pointers {
				now.wraps[o.a] = 0
			}
		}
		if (at(ops, i, localGet, i32Wrap) || at(ops, i, localTee, i32Wrap)) && o.a < pointers && now.live {
			if k := now.wraps[o.a]; k != 0 {
				c.used[c.root(k)] = true
				class[i] = -1
			} else {
				class[i] = c.add()
				now.wraps[o.a] = class[i]
			}
		}
	}
	var own [pointers]uint64
	variable := func(p uint64) uint64 {
		if own[p] == 0 {
			own[p] = first + variables
			variables++
		}
		return own[p]
	}
	for i := 0; i < len(ops); i++ {
		o := ops[i]
		switch k := class[i]; {
		case k < 0:
			out = append(out, op{code: localGet, a: variable(o.a)})
			i++
		case k > 0 && c.used[c.root(k)]:
			out = append(out, o, ops[i+1], op{code: localTee, a: variable(o.a)})
			i++
		default:
			out = append(out, o)
		}
	}
	return out, variables
}

// withVariables adds variables of 32 bits to those that a function declares; first is the number of the first of them, in a
// function of one parameter.
func withVariables(locals []byte, variables uint64) []byte {
	r := reader{b: locals}
	out := appendUnsigned(nil, r.unsigned()+1)
	return append(appendUnsigned(append(out, r.b...), variables), 0x7f)
}

// declared counts a function's variables, its one parameter among them.
func declared(locals []byte) uint64 {
	r := reader{b: locals}
	all := uint64(1)
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		all += r.unsigned()
		r.byte()
	}
	return all
}
