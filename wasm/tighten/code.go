package main

import (
	"bytes"
	"errors"
	"slices"
)

// op is one instruction. Constants, indices and depths are in a; loads and stores have their alignment in a and their offset
// in b; code is the opcode, or 0xfc00 + the second number of a prefixed one.
type op struct {
	code  uint16
	a, b  uint64
	table []uint64 // of br_table: the depths, the default last
}

const (
	unreachable     = 0x00
	block           = 0x02
	loop            = 0x03
	ifThen          = 0x04
	elseThen        = 0x05
	end             = 0x0b
	br              = 0x0c
	brIf            = 0x0d
	brTable         = 0x0e
	ret             = 0x0f
	call            = 0x10
	callTable       = 0x11
	drop            = 0x1a
	pick            = 0x1b
	localGet        = 0x20
	localSet        = 0x21
	localTee        = 0x22
	globalGet       = 0x23
	globalSet       = 0x24
	firstLoad       = 0x28
	i32Load         = 0x28
	i32Load8        = 0x2d // unsigned
	i32Store        = 0x36
	firstStore      = 0x36
	lastStore       = 0x3e
	i64Store        = 0x37
	memorySize      = 0x3f
	memoryGrow      = 0x40
	i32Const        = 0x41
	i64Const        = 0x42
	f32Const        = 0x43
	f64Const        = 0x44
	i32Eqz          = 0x45
	i64Eqz          = 0x50
	firstPlain      = 0x45
	lastPlain       = 0xc4
	i32Add          = 0x6a
	i32Sub          = 0x6b
	i32Mul          = 0x6c
	i32And          = 0x71
	i32ShiftRight   = 0x76 // unsigned
	i32LessUnsigned = 0x49
	i64Add          = 0x7c
	i32Wrap         = 0xa7
	i64Extend32     = 0xad // unsigned
	prefixed        = 0xfc00
	memoryCopy      = 0xfc0a
	memoryFill      = 0xfc0b
	void            = 0x40 // the type of a block without a result
	gone            = 0xffff
)

var errOpcode = errors.New("an instruction that is not known here")

// decode reads a function's instructions, without the end that closes it.
func decode(b []byte) ([]op, error) {
	r := reader{b: b}
	var ops []op
	for len(r.b) > 0 && r.err == nil {
		o := op{code: uint16(r.byte())}
		if o.code == 0xfc {
			second := r.unsigned()
			if second > memoryFill-prefixed {
				return nil, errOpcode
			}
			o.code = uint16(prefixed + second)
		}
		switch c := o.code; {
		case c == block || c == loop || c == ifThen:
			if o.a = uint64(r.byte()); o.a&0xc0 != 0x40 {
				return nil, errOpcode
			}
		case c == unreachable, c == 0x01, c == elseThen, c == end, c == ret, c == drop, c == pick, c >= firstPlain && c <= lastPlain, c >= prefixed && c <= prefixed+7:
		case c == br, c == brIf, c == call, c >= localGet && c <= globalSet:
			o.a = r.unsigned()
		case c == brTable:
			n := r.unsigned()
			if n > uint64(len(r.b)) {
				return nil, errShort
			}
			for range n + 1 {
				o.table = append(o.table, r.unsigned())
			}
		case c == callTable, c == memoryCopy:
			o.a, o.b = r.unsigned(), r.unsigned()
		case c >= firstLoad && c <= lastStore:
			o.a, o.b = r.unsigned(), r.unsigned()
		case c == memorySize, c == memoryGrow, c == memoryFill:
			o.a = r.unsigned()
		case c == i32Const, c == i64Const:
			o.a = uint64(r.signed())
		case c == f32Const:
			for k, x := range r.take(4) {
				o.a |= uint64(x) << (8 * k)
			}
		case c == f64Const:
			for k, x := range r.take(8) {
				o.a |= uint64(x) << (8 * k)
			}
		default:
			return nil, errOpcode
		}
		ops = append(ops, o)
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(ops) == 0 || ops[len(ops)-1].code != end {
		return nil, errors.New("a function without an end")
	}
	return ops[:len(ops)-1], nil
}

// appendOps writes instructions, and the end that closes them.
func appendOps(b []byte, ops []op) []byte {
	for i := range ops {
		o := &ops[i]
		switch c := o.code; {
		case c == gone:
			continue
		case c >= prefixed:
			b = append(b, 0xfc)
			b = appendUnsigned(b, uint64(c-prefixed))
			switch c {
			case memoryCopy:
				b = append(b, byte(o.a), byte(o.b))
			case memoryFill:
				b = append(b, byte(o.a))
			}
			continue
		default:
			b = append(b, byte(c))
		}
		switch c := o.code; {
		case c == block || c == loop || c == ifThen:
			b = append(b, byte(o.a))
		case c == br, c == brIf, c == call, c >= localGet && c <= globalSet, c == memorySize, c == memoryGrow:
			b = appendUnsigned(b, o.a)
		case c == brTable:
			b = appendUnsigned(b, uint64(len(o.table)-1))
			for _, d := range o.table {
				b = appendUnsigned(b, d)
			}
		case c == callTable, c >= firstLoad && c <= lastStore:
			b = appendUnsigned(appendUnsigned(b, o.a), o.b)
		case c == i32Const, c == i64Const:
			b = appendSigned(b, int64(o.a))
		case c == f32Const:
			for k := range 4 {
				b = append(b, byte(o.a>>(8*k)))
			}
		case c == f64Const:
			for k := range 8 {
				b = append(b, byte(o.a>>(8*k)))
			}
		}
	}
	return append(b, opEnd)
}

// rewritten is the code section with every function gone through; of is empty without -traps. A function that cannot be read
// stays as it is.
func rewritten(bodies []body, imports uint64, of roles) []byte {
	out := appendUnsigned(nil, uint64(len(bodies)))
	for n, f := range bodies {
		written := slices.Concat(f.locals, f.code)
		if of.idle[uint64(n)+imports] {
			written = []byte{0, unreachable, opEnd}
		} else if of.checks[uint64(n)+imports] { // takes the return address off the stack, and 0 says that it came to its end
			written = appendOps([]byte{0}, []op{{code: globalGet}, {code: i32Const, a: 8}, {code: i32Add}, {code: globalSet}, {code: i32Const}})
		} else if ops, err := decode(f.code); err == nil {
			ops = shorter(improved(of.trap(ops)))
			ops = faultsAtOnce(ops, of.hot[uint64(n)+imports])
			if of.called[uint64(n)+imports] {
				ops = withoutLabels(ops, firstEntry+uint64(n))
			}
			locals := bytes.Clone(f.locals)
			if _, ok := framed(ops); ok && of.hot[uint64(n)+imports] {
				var variables uint64
				if ops, variables = wrapOnce(ops, declared(locals)); variables > 0 {
					locals = withVariables(locals, variables)
				}
			}
			written = appendOps(locals, ops)
		}
		out = appendUnsigned(out, uint64(len(written)))
		out = append(out, written...)
	}
	return out
}

// improved applies every rewriting to one function.
func improved(ops []op) []op {
	ops = foldAddresses(ops)
	ops = joinReturns(ops)
	return leaveAtOnce(forwardJumps(ops))
}

// compacted drops what was marked as gone.
func compacted(ops []op) []op {
	kept := ops[:0]
	for _, o := range ops {
		if o.code != gone {
			kept = append(kept, o)
		}
	}
	return kept
}

// at reports whether the codes of the instructions from i on are those given.
func at(ops []op, i int, codes ...uint16) bool {
	if i < 0 || i+len(codes) > len(ops) {
		return false
	}
	for k, c := range codes {
		if ops[i+k].code != c {
			return false
		}
	}
	return true
}
