package main

// Go's compiler translates one operation of its own at a time into WebAssembly, and its operations are 64 bits wide. So a pointer
// is loaded as 64 bits and cut to the 32 of an address; the truth of a comparison is widened, compared with zero, and the result
// turned round. Two neighbours of that kind are one instruction of the same result:
//
//	i64.load · i32.wrap_i64                    i32.load
//	i64.extend_i32_u · i64.eqz                 i32.eqz
//	i64.lt_s · i32.eqz                         i64.ge_s
//	i64.eqz · i32.eqz · i32.eqz                i64.eqz
//
// and an engine that compares and jumps in one step (wazero does where the comparison stands beside the jump) sees that it can. A
// load of fewer bytes faults no earlier than the one it stands for.

const (
	nop           = 0x01
	i64Load       = 0x29
	i64Load32     = 0x35 // unsigned, the last load
	i64Store8     = 0x3c
	i32Eq         = 0x46
	i64Eq         = 0x51
	i64Comparison = 0x5a // the last of them
	i64ExtendS    = 0xac
)

// narrow gives the loads and stores of a value of 32 bits for those of 64 of which 32 are used, or widened from 32.
var narrow = map[uint16]uint16{
	i64Load: i32Load, 0x30: 0x2c, 0x31: i32Load8, 0x32: 0x2e, 0x33: 0x2f, 0x34: i32Load, i64Load32: i32Load,
	i64Store8: 0x3a, 0x3d: 0x3b, lastStore: i32Store,
}

// opposite is the comparison of two integers that is true where c is not.
func opposite(c uint16) (o uint16, ok bool) {
	first := uint16(i32Eq)
	if c >= i64Eq {
		first = i64Eq
	}
	if c < i32Eq || c > i64Comparison || c == i64Eqz {
		return 0, false
	}
	// eq, ne, lt_s, lt_u, gt_s, gt_u, le_s, le_u, ge_s, ge_u
	return first + [...]uint16{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}[c-first], true
}

// shorter joins neighbours.
func shorter(ops []op) []op {
	var out []op
	for _, o := range ops {
		if o.code == nop {
			continue
		}
		for out = append(out, o); joined(&out); {
		}
	}
	return out
}

// joined makes the last instructions fewer, if it can.
func joined(list *[]op) bool {
	out := *list
	n := len(out)
	if n < 2 {
		return false
	}
	last, before := out[n-1], &out[n-2]
	extended := before.code == i64Extend32 || before.code == i64ExtendS
	turned := n > 2 && before.code == i32Eqz // and what is turned round
	switch c := last.code; {
	case c == i32Wrap && before.code >= i64Load && before.code <= i64Load32 && narrow[before.code] != 0:
		before.code = narrow[before.code]
		before.a = min(before.a, 2) // no value of 32 bits is aligned to more than four bytes
	case c == i32Wrap && before.code == i64Const:
		*before = op{code: i32Const, a: uint64(int64(int32(before.a)))}
	case c == i32Wrap && extended:
		*list = out[:n-2]
		return true
	case extended && c >= i64Store8 && c <= lastStore:
		*before = op{code: narrow[c], a: last.a, b: last.b}
	case extended && c == i64Eqz:
		before.code = i32Eqz
	case c == i64Eq && before.code == i64Const && before.a == 0:
		before.code = i64Eqz
	case c == i32Eq && before.code == i32Const && before.a == 0:
		before.code = i32Eqz
	case c == i32Eqz && turned && out[n-3].code >= i32Eqz && out[n-3].code <= i64Comparison:
		*list = out[:n-2]
		return true
	case c == i32Eqz:
		o, ok := opposite(before.code)
		if !ok {
			return false
		}
		before.code = o
	case (c == brIf || c == ifThen) && turned && out[n-3].code == i32Eqz:
		out[n-3] = last
		*list = out[:n-2]
		return true
	case c == localGet && before.code == localSet && last.a == before.a:
		before.code = localTee
	case c == localSet && before.code == localGet && last.a == before.a:
		*list = out[:n-2]
		return true
	default:
		return false
	}
	*list = out[:n-1]
	return true
}
