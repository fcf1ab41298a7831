package main

import "strings"

// With -traps, what a program does on a mistake of its own becomes the instruction that stops it at once. A nil pointer or an
// index out of range costs some forty bytes of calling the runtime at each of ten thousand places; `unreachable` is one byte.
// The host sees a trap instead of a panic's text, and nothing is recovered: only for a program that has no recover and whose
// host discards the instance either way. A native build says the text for the same input.
//
// Besides, functions that run only while a program is traced, profiled or debugged are emptied.

// panics are the runtime's functions that report a mistake.
var panics = strings.Fields(`runtime.panicIndex runtime.panicSlice runtime.sigpanic runtime.panicdivide runtime.panicshift
	runtime.goPanic runtime.panicBounds runtime.panicdottype runtime.panicnildottype`)

// idle are the runtime's functions behind its tracer, its profiler and GODEBUG.
var idle = strings.Fields(`runtime.schedtrace runtime.traceAdvance runtime.traceReadCPU runtime.traceWriter. runtime.traceSyncBatch
	runtime.(*traceMap) runtime.(*traceStackTable) runtime.traceLocker. runtime.(*profBuf) runtime.doRecordGoroutineProfile
	runtime.tryRecordGoroutineProfile runtime.(*hexdumper) runtime.checkFinalizersAndCleanups runtime.gcDumpObject
	runtime.(*mspan).reportZombies runtime.dumpStacksRec runtime.dumpScanStats runtime.dumpTypesRec runtime.printAncestorTraceback
	runtime.printArgs runtime.traceback2 runtime.traceCPUSample runtime.traceReadPROC runtime.traceFrequency runtime.readTrace0`)

// roles are the functions of a module, by number, that -traps treats in its own way.
type roles struct {
	panics, idle map[uint64]bool
}

func (t *table) roles(imports uint64) roles {
	r := roles{map[uint64]bool{}, map[uint64]bool{}}
	begins := func(name string, list []string) bool {
		for _, p := range list {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
		return false
	}
	for n := range t.count {
		f := t.of(n)
		if f == 0 {
			continue
		}
		name := t.name(t.word(f + 4))
		r.panics[n+imports] = begins(name, panics)
		r.idle[n+imports] = begins(name, idle)
	}
	return r
}

// trap replaces the calls of panics: the return address put on the stack, the call, and the way out for a goroutine that is
// being left. The values stored before it go too where nothing else is between them and the last place that is jumped to.
func (r roles) trap(ops []op) []op {
	for i := range ops {
		if !at(ops, i, localGet, i32Const, i32Sub, localTee, globalSet, localGet, i64Const, i64Store, i32Const, call) || !r.panics[ops[i+9].a] {
			continue
		}
		after := i + 10
		if at(ops, after, globalGet, localSet) {
			after += 2
		}
		switch {
		case at(ops, after, brIf):
			after++
		case at(ops, after, ifThen, unreachable, end):
			after += 3
		default:
			continue
		}
		from := i
		for from > 0 && straight(ops[from-1].code) {
			from--
		}
		if from == 0 || ops[from-1].code != end {
			from = i
		}
		for k := from; k < after; k++ {
			ops[k].code = gone
		}
		ops[from] = op{code: unreachable}
	}
	return compacted(ops)
}

// straight says that an instruction neither leads elsewhere nor is led to.
func straight(c uint16) bool {
	return c == pick || c == drop || c >= localGet && c <= lastStore || c >= memorySize && c <= lastPlain || c == gone
}
