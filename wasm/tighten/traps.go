package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// With -traps, what a program does on a mistake of its own becomes the instruction that stops it at once. A nil pointer or an
// index out of range costs some forty bytes of calling the runtime at each of ten thousand places; `unreachable` is one byte.
// The host sees a trap instead of a panic's text, and nothing is recovered: only for a program that has no recover, which is
// proved (unrecovered), and whose host discards the instance either way. A native build says the text for the same input.
//
// Besides, functions that run only while a program is traced, profiled or debugged are emptied, and those that word a fault or
// its traceback, or compare the types of several Go modules in one process.

// panics are how the names begin of the runtime's functions that report a mistake.
var panics = strings.Fields(`runtime.sigpanic runtime.panicdivide runtime.panicshift runtime.goPanic runtime.panicdottype`)

// idle are how the names begin of the runtime's functions behind its tracer, its profiler and GODEBUG.
var idle = strings.Fields(`runtime.schedtrace runtime.traceAdvance runtime.traceReadCPU runtime.traceWriter. runtime.traceSyncBatch
	runtime.(*traceMap) runtime.(*traceStackTable) runtime.traceLocker. runtime.(*profBuf) runtime.doRecordGoroutineProfile
	runtime.tryRecordGoroutineProfile runtime.(*hexdumper) runtime.checkFinalizersAndCleanups runtime.gcDumpObject
	runtime.(*mspan).reportZombies runtime.dumpStacksRec runtime.dumpScanStats runtime.dumpTypesRec runtime.printAncestorTraceback
	runtime.printArgs runtime.traceback2 runtime.goroutineheader runtime.printcreatedby1 runtime.printOneCgoTraceback runtime.printScavTrace
	runtime.fpunwindExpand runtime.traceStack runtime.printanycustomtype runtime.boundsError.Error runtime.(*TypeAssertionError).Error
	runtime.panicwrap runtime.typesEqual runtime.testAtomic64`)

// checks are the names of what the runtime tries as it starts, without a result: its table, which this command has looked at, and
// whether the processor's atomic operations are sound. They return at once.
var checks = strings.Fields(`runtime.moduledataverify1 runtime.check`)

// hot are how the names begin of functions whose addresses are kept (wrapped.go): the packages that build.sh calls quick, and a
// program's own.
var hot = strings.Fields(`main. github.com/stormlint/stormlint/core/jsonscan. github.com/stormlint/stormlint/core/connlog.
	github.com/stormlint/stormlint/core/timeline. github.com/stormlint/stormlint/core/analyze/compat. github.com/stormlint/stormlint/core/herd.
	github.com/stormlint/stormlint/core/jitter. github.com/stormlint/stormlint/core/stat.`)

const recovers = "runtime.gorecover" // what the word recover calls

// roles are the functions of a module, by number, that are treated in their own way, the first three with -traps alone; called
// are those outside the runtime, which are entered by calls and after calls alone, and hot those of them that are worth some
// bytes for speed.
type roles struct {
	panics, idle, checks, called, hot map[uint64]bool
}

// returnsAt is the word of a function's record that says where it goes on after a panic that was recovered: the call that runs
// what it deferred; 0 where it defers nothing.
const returnsAt = 12

// firstEntry is where the linker puts the first function; each has one address, in the order of the code section.
const firstEntry = 0x1000

// roles finds functions by their names in the table, whose records are proved to be those of the code section, one by one.
// Without -traps a program may recover: functions that defer are entered at returnsAt too, so they are no called ones; and
// all that are called count as hot, for such a program is small.
func (t *table) roles(imports uint64, bodies []body, traps bool) (roles, error) {
	r := roles{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}}
	if t.count != uint64(len(bodies)) {
		return r, &leftError{"its table has another number of functions than its code"}
	}
	names := make([]string, t.count)
	unused := map[string]bool{}
	for _, begin := range slices.Concat(panics, idle, checks) {
		unused[begin] = true
	}
	for n := range t.count {
		f := t.of(n)
		if f == 0 {
			return r, errUnknown
		}
		if entry := t.word32(t.at + t.funcs + 8*n); entry != firstEntry+n || entry != t.word32(f) {
			return r, &leftError{"the functions of its table are in another order than its code"}
		}
		names[n] = t.name(t.word(f + 4))
		begins := func(begin string) bool {
			ok := strings.HasPrefix(names[n], begin)
			if ok {
				delete(unused, begin)
			}
			return ok
		}
		r.called[n+imports] = names[n] != "" && !runtimes(names[n])
		if !traps {
			r.called[n+imports] = r.called[n+imports] && t.word(f+returnsAt) == 0
			r.hot[n+imports] = r.called[n+imports]
			continue
		}
		r.hot[n+imports] = slices.ContainsFunc(hot, begins)
		r.panics[n+imports] = slices.ContainsFunc(panics, begins)
		r.idle[n+imports] = slices.ContainsFunc(idle, begins)
		if r.checks[n+imports] = slices.Contains(checks, names[n]); r.checks[n+imports] {
			delete(unused, names[n])
		}
	}
	if !traps {
		return r, nil
	}
	if len(unused) > 0 {
		return r, fmt.Errorf("-traps: no function is named %s", strings.Join(slices.Sorted(maps.Keys(unused)), ", "))
	}
	return r, unrecovered(names, imports, bodies)
}

func runtimes(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
}

// unrecovered refuses a program in which anything but the runtime recovers: a fault would trap instead.
func unrecovered(names []string, imports uint64, bodies []body) error {
	for n, f := range bodies {
		if runtimes(names[n]) {
			continue
		}
		ops, err := decode(f.code)
		if err != nil {
			return fmt.Errorf("-traps: %s may recover: %w", names[n], err)
		}
		for _, o := range ops {
			if callee := o.a - imports; o.code == call && o.a >= imports && callee < uint64(len(names)) && names[callee] == recovers {
				return fmt.Errorf("-traps: %s calls recover, and no fault reaches it", names[n])
			}
		}
	}
	return nil
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
