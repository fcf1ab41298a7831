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
//
// and the same log of 65,000 clients took a third less time in Node. The whole account stands in wasm/module/dist/README.md.
//
// What is given up: the text of a Go traceback names no functions, files and lines. A module that is not put through tighten
// is the same program and says them.
//
// Every step proves its pattern before it changes anything, and a function with an instruction that is not known here is left
// as it was. The tables of another Go release are not guessed at: they are left alone and said so on standard error.
package main

import (
	"fmt"
	"os"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	traps := len(args) > 0 && args[0] == "-traps"
	if traps {
		args = args[1:]
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tighten [-traps] IN.wasm OUT.wasm")
		return 2
	}
	in, err := os.ReadFile(args[0])
	if err == nil {
		var out []byte
		var notes []string
		if out, notes, err = tighten(in, traps); err == nil {
			for _, n := range notes {
				fmt.Fprintln(os.Stderr, "tighten:", n)
			}
			err = os.WriteFile(args[1], out, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tighten:", err)
		return 1
	}
	return 0
}

// tighten is the whole rewriting; notes say what was left alone and why.
func tighten(in []byte, traps bool) (out []byte, notes []string, err error) {
	m, err := parse(in)
	if err != nil {
		return nil, nil, err
	}
	image, err := m.image()
	if err != nil {
		return nil, nil, err
	}
	imports, err := m.imports()
	if err != nil {
		return nil, nil, err
	}
	var of roles
	if traps {
		t, err := image.find()
		if err != nil {
			return nil, nil, err
		}
		of = t.roles(imports)
	}
	if err := image.strip(); err != nil {
		notes = append(notes, "the tables for tracebacks stay: "+err.Error())
	}
	m.sections[dataSection] = image.segments()
	if m.sections[codeSection], err = rewritten(m.sections[codeSection], imports, of); err != nil {
		return nil, nil, err
	}
	return m.bytes(), notes, nil
}
