// Command tighten rewrites a WebAssembly module that the Go linker made into a smaller and faster one that does the same.
//
//	tighten [-traps] IN.wasm OUT.wasm
//
// Go's linker writes for every platform alike, and what a page has to download was never its concern. Measured on this
// module, brotli at its best, and each step on top of the one before:
//
//	data in few segments instead of 63,000 (segments.go)              1,322 to 1,251 KB
//	tables of lines, files, inlined calls and names (tables.go)       1,251 to 1,061 KB
//	addresses on the stack, returns, forward jumps (fold.go, jump.go)   928 to   848 KB
//	faults that trap, with -traps (traps.go)                            885 to   844 KB
//	tables that the module works out as it starts (start.go)             782 to   748 KB
//	neighbours joined, faults at their checks (shorter.go, faults.go)    783 to   777 KB
//
// and the same log of 65,000 clients took a third less time in Node. The whole account stands in wasm/module/dist/README.md.
//
// Segments that nothing leads to are no segments any more (labels.go): of the size nothing, 86 KB before compression,
// but an engine sees straight code where paths seemed to meet; a log takes some tenth less time in Node and a fifth in wazero. And
// addresses are kept where a program is hot (wrapped.go), which takes another seventh in wazero. Without -traps, for a program that
// recovers as the filter does, both are done in all functions that defer nothing.
//
// Tried and dropped: loops. Go leads every jump back through the table at the head of a function, and where a loop is entered
// at one segment only, the segments can be nested so that an engine sees a loop (with a table of its own for a goroutine that is
// taken up in a call inside it). That was written for every function and gave the same answers; it took 2 to 4 % off the CPU
// time of a report in Node, 0 to 3 % in wazero, where 8 % would have been worth its 500 lines, and it added 2 KB.
//
// Tried and dropped, too: binaryen. wasm-opt -O3 and -O4 (npm binaryen) after tighten give the same answers no faster, in Node
// or in wazero, and 843 KB where there were 780; reading and writing the module alone makes 871 of them, since its own form
// of a function loses what is alike in all.
//
// What is given up: the text of a Go traceback names no functions, files and lines. A module that is not put through tighten
// is the same program and says them.
//
// A step changes what has the shape it knows and leaves the rest: a function with an instruction that is not known here stays as
// it was. The tables, and what they say about functions, are those of the one Go release that the tests run; a module of
// another release, or one whose tables are not as expected, is written as it was linked: the same program, larger. Standard
// error says so and the exit code is 3 (1 for a module that is damaged, or that -traps is not for; then nothing is written).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// exitLeft is the exit code of a module that was written as it came.
const exitLeft = 3

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	f := flag.NewFlagSet("tighten", flag.ContinueOnError)
	traps := f.Bool("traps", false, "let faults trap")
	f.Usage = func() { fmt.Fprintln(os.Stderr, "usage: tighten [-traps] IN.wasm OUT.wasm") }
	if f.Parse(args) != nil {
		return 2
	}
	if args = f.Args(); len(args) != 2 {
		f.Usage()
		return 2
	}
	in, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tighten:", err)
		return 1
	}
	out, err := tighten(in, *traps)
	code := 0
	if left := (*leftError)(nil); errors.As(err, &left) {
		fmt.Fprintln(os.Stderr, "tighten: the module stays as it was linked:", err)
		out, err, code = in, nil, exitLeft
	}
	if err == nil {
		err = os.WriteFile(args[1], out, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tighten:", err)
		return 1
	}
	return code
}

// leftError is why a sound module is not rewritten.
type leftError struct{ why string }

func (e *leftError) Error() string { return e.why }

// tighten is the whole rewriting. Its error is a *leftError where the module is another linker's than the one known here.
func tighten(in []byte, traps bool) ([]byte, error) {
	m, err := parse(in)
	if err != nil {
		return nil, err
	}
	image, err := m.image()
	if err != nil {
		return nil, err
	}
	imports, err := m.imports()
	if err != nil {
		return nil, err
	}
	bodies, err := m.bodies()
	if err != nil {
		return nil, err
	}
	if err := image.tested(); err != nil {
		return nil, err
	}
	t, err := image.find()
	if err != nil {
		return nil, err
	}
	of, err := t.roles(imports, bodies, traps)
	if err != nil {
		return nil, err
	}
	base, firstPart, parts, err := t.describe()
	if err != nil {
		return nil, err
	}
	if err := t.strip(base); err != nil {
		return nil, err
	}
	derived, err := t.derive(firstPart, parts)
	if err != nil {
		return nil, err
	}
	m.sections[dataSection] = image.segments()
	m.sections[codeSection] = rewritten(bodies, imports, of)
	if err := m.start(derived, imports+uint64(len(bodies))); err != nil {
		return nil, err
	}
	return m.bytes(), nil
}
