package main

import "slices"

// After trap and forwardJumps, a check that fails leads to a segment of its fault's own, which is nothing but `unreachable`, out of
// as many blocks as lie between:
//
//	i64.ge_u · br_if 52        …        end · unreachable
//
// The fault is written where the check is instead, as a condition of its own. That is two bytes more, but they are the same
// everywhere, which compresses where depths differ; and a segment that nothing leads to any more is no segment (labels.go). Where
// a program is hot all faults of a function are one, the outermost, instead: wazero puts the whole of leaving a module where a
// fault is written, and a log took it some 4 % longer with that between its steps.

// faultsAtOnce writes faults at their checks, or leads all checks to one fault.
func faultsAtOnce(ops []op, one bool) []op {
	faults, ok := faulting(ops)
	if !ok {
		return ops
	}
	var out []op
	var open []int
	for i, o := range ops {
		switch o.code {
		case block, loop, ifThen:
			open = append(open, i)
		case end:
			open = open[:len(open)-1]
		case br, brIf:
			if o.a >= uint64(len(open)) || !faults[open[len(open)-1-int(o.a)]] {
				break
			}
			switch {
			case one:
				outermost := slices.IndexFunc(open, func(begin int) bool { return faults[begin] })
				o.a = uint64(len(open) - 1 - outermost)
			case o.code == br:
				o = op{code: unreachable}
			default:
				out = append(out, op{code: ifThen, a: void}, op{code: unreachable})
				o = op{code: end}
			}
		}
		out = append(out, o)
	}
	return out
}

// faulting tells of each instruction whether a block begins with it behind whose end nothing but a fault stands; ok is false where
// constructs are not nested.
func faulting(ops []op) (faults []bool, ok bool) {
	faults = make([]bool, len(ops))
	var ends []bool // of the constructs around an instruction, from its last: whether a fault follows
	for i := len(ops) - 1; i >= 0; i-- {
		switch o := ops[i]; o.code {
		case end:
			ends = append(ends, at(ops, i+1, unreachable))
		case block, loop, ifThen:
			if len(ends) == 0 {
				return nil, false
			}
			faults[i] = ends[len(ends)-1] && o.code == block && o.a == void
			ends = ends[:len(ends)-1]
		}
	}
	return faults, len(ends) == 0
}
