package main

import (
	"bytes"
	"encoding/binary"
)

// Some of the runtime's tables say what follows from others: the number of each function, where its record begins (records lie
// one after the other, and say how long they are), and which function an address belongs to (the address says its number). They
// are a fifth of the module and do not compress well. So they are left out, and a function that runs as the module is started
// works them out: 3,848 functions and 61,552 parts of addresses in this module, in under a millisecond.
//
// Whether they do follow is looked up in the table before it is emptied; a table of another kind is an error.
const (
	typeSection     = 1
	functionSection = 3
	startSection    = 8

	moduleFind   = 19 // words of runtime.moduledata: findfunctab,
	moduleMin    = 20 // minpc
	moduleMax    = 21 // and maxpc
	partBytes    = 20 // of findfunctab's record of 4,096 addresses: the first one's function, and 16 distances to those of others
	partsOf      = 16 // records of one function's 65,536 addresses
	entryBytes   = 8  // of the table of records: a function, and where its record begins
	recordParts  = 28 // in a record: how many words follow it for its program counters,
	recordData   = 43 // and, a byte, for its data
	recordGrains = 8
)

// derive empties the tables that follow from others, and gives the function that fills them again.
func (t *table) derive(firstPart, parts uint64) (code []byte, err error) {
	functions := t.at + t.funcs
	first := t.word32(functions + 4)
	offset := first
	for n := range t.count {
		record := functions + offset
		if t.word32(functions+entryBytes*n+4) != offset || t.of(n) != record {
			return nil, errUnknown
		}
		offset += funcBytes + 4*t.word32(record+recordParts) + 4*uint64(t.memory[record+recordData])
		offset = (offset + recordGrains - 1) &^ (recordGrains - 1)
	}
	if parts > t.count*partsOf || firstPart+partBytes*parts > uint64(len(t.memory)) {
		return nil, errUnknown
	}
	for n := range parts {
		p := t.memory[firstPart+partBytes*n:][:partBytes]
		if binary.LittleEndian.Uint64(p) != n/partsOf || len(bytes.Trim(p[8:], "\x00")) > 0 {
			return nil, errUnknown
		}
	}
	for n := range t.count {
		t.set(t.of(n), 0)
	}
	clear(t.memory[functions : functions+entryBytes*t.count])
	clear(t.memory[firstPart : firstPart+partBytes*parts])

	const n, offsetOf, record = 0, 1, 2 // locals
	get := func(local uint64) op { return op{code: localGet, a: local} }
	set := func(local uint64) op { return op{code: localSet, a: local} }
	number := func(v uint64) op { return op{code: i32Const, a: uint64(int64(int32(v)))} }
	add, times := op{code: i32Add}, op{code: i32Mul}
	store := func(at uint64) op { return op{code: i32Store, a: 2, b: at} }
	entry := []op{get(n), number(entryBytes), times}
	id := []op{get(n), number(firstEntry), add}
	return appendOps([]byte{1, 3, 0x7f}, join( // three locals of 32 bits
		number(first), set(offsetOf), op{code: loop, a: void},
		entry, id, store(functions),
		entry, get(offsetOf), store(functions+4),
		get(offsetOf), number(functions), add, op{code: localTee, a: record}, id, store(0),
		get(offsetOf), get(record), op{code: i32Load, a: 2, b: recordParts}, get(record), op{code: i32Load8, b: recordData}, add, number(4), times,
		add, number(funcBytes+recordGrains-1), add, number(^uint64(recordGrains-1)), op{code: i32And}, set(offsetOf),
		get(n), number(1), add, op{code: localTee, a: n}, number(t.count), op{code: i32LessUnsigned}, op{code: brIf}, op{code: end},
		number(0), set(n), op{code: loop, a: void},
		get(n), number(partBytes), times, get(n), number(4), op{code: i32ShiftRight}, store(firstPart),
		get(n), number(1), add, op{code: localTee, a: n}, number(parts), op{code: i32LessUnsigned}, op{code: brIf}, op{code: end},
	)), nil
}

// join is a list of instructions out of single ones and lists.
func join(parts ...any) (all []op) {
	for _, p := range parts {
		switch p := p.(type) {
		case op:
			all = append(all, p)
		case []op:
			all = append(all, p...)
		}
	}
	return all
}

// start makes code a new function, the last, which runs when the module is started.
func (m *module) start(code []byte, number uint64) error {
	if m.sections[startSection] != nil {
		return &leftError{"something runs already as it starts"}
	}
	r := reader{b: m.sections[typeSection]}
	types := r.unsigned()
	plain := appendUnsigned(nil, types+1) // a type of its own, without parameters and results: another may be written in other ways
	m.sections[typeSection] = append(append(plain, r.b...), 0x60, 0, 0)
	f := reader{b: m.sections[functionSection]}
	functions := appendUnsigned(nil, f.unsigned()+1)
	m.sections[functionSection] = appendUnsigned(append(functions, f.b...), types)
	c := reader{b: m.sections[codeSection]}
	bodies := appendUnsigned(nil, c.unsigned()+1)
	m.sections[codeSection] = append(appendUnsigned(append(bodies, c.b...), uint64(len(code))), code...)
	m.sections[startSection] = appendUnsigned(nil, number)
	before := len(m.order)
	for i, id := range m.order {
		if id > startSection {
			before = i
			break
		}
	}
	m.order = append(m.order[:before:before], append([]byte{startSection}, m.order[before:]...)...)
	for _, r := range []reader{r, f, c} {
		if r.err != nil {
			return r.err
		}
	}
	return nil
}
