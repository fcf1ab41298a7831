package main

// After trap and forwardJumps, a check that fails leads to a segment of its fault's own, which is nothing but `unreachable`, out of
// as many blocks as lie between:
//
//	i64.ge_u · br_if 52        …        end · unreachable
//
// The fault is written where the check is instead, as a condition of its own. That is two bytes more, but they are the same
// everywhere, which compresses where depths differ; and a segment that nothing leads to any more is no segment (labels.go). Not
// where a program is hot: wazero puts the whole of leaving a module where a fault is written, and a log took it some 4 % longer.

// targets gives where each construct ends, by its beginning, and where the construct begins that a branch leads to, −1 for the
// function; ok is false where they are not nested.
func targets(ops []op) (ends map[int]int, begins []int, ok bool) {
	ends, begins = map[int]int{}, make([]int, len(ops))
	var open []int
	for i, o := range ops {
		switch o.code {
		case block, loop, ifThen:
			open = append(open, i)
		case end:
			if len(open) == 0 {
				return nil, nil, false
			}
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		case br, brIf:
			begins[i] = -1
			if k := len(open) - 1 - int(min(o.a, uint64(len(open)))); k >= 0 {
				begins[i] = open[k]
			}
		}
	}
	return ends, begins, len(open) == 0
}

// faultsAtOnce writes faults at their checks.
func faultsAtOnce(ops []op) []op {
	ends, begins, ok := targets(ops)
	if !ok {
		return ops
	}
	fault := op{code: unreachable}
	var out []op
	for i, o := range ops {
		leads := (o.code == br || o.code == brIf) && begins[i] >= 0 && ops[begins[i]].code == block && ops[begins[i]].a == void &&
			at(ops, ends[begins[i]]+1, unreachable)
		switch {
		case !leads:
			out = append(out, o)
		case o.code == br:
			out = append(out, fault)
		default:
			out = append(out, op{code: ifThen, a: void}, fault, op{code: end})
		}
	}
	return out
}
