package main

// After trap and forwardJumps, a check that fails leads to a segment of its fault's own, which is nothing but `unreachable`, out of
// as many blocks as lie between:
//
//	i64.ge_u · br_if 52        …        end · unreachable
//
// The fault is written where the check is instead, as a condition of its own. That is two bytes more, but they are the same
// everywhere, which compresses where depths differ; and a segment that nothing leads to any more is no segment (labels.go). Where
// a program is hot all faults of a function are one, the outermost, instead: wazero puts the whole of leaving a module where a
// fault is written, and a log took it some 4 % longer with that between its steps.

// fault is a block's end with nothing but the fault behind it.
func fault(ops []op, begin, end int) bool {
	return ops[begin].code == block && ops[begin].a == void && at(ops, end+1, unreachable)
}

// faultsAtOnce writes faults at their checks, or leads all checks to one fault.
func faultsAtOnce(ops []op, one bool) []op {
	ends, ok := closed(ops)
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
			if o.a >= uint64(len(open)) || !fault(ops, open[len(open)-1-int(o.a)], ends[open[len(open)-1-int(o.a)]]) {
				break
			}
			switch {
			case one:
				for k := 0; ; k++ {
					if fault(ops, open[k], ends[open[k]]) {
						o.a = uint64(len(open) - 1 - k)
						break
					}
				}
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

// closed gives where each construct ends, by its beginning; ok is false where they are not nested.
func closed(ops []op) (ends map[int]int, ok bool) {
	ends = map[int]int{}
	var open []int
	for i, o := range ops {
		switch o.code {
		case block, loop, ifThen:
			open = append(open, i)
		case end:
			if len(open) == 0 {
				return nil, false
			}
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return ends, len(open) == 0
}
