// Command wasi runs a wasip1 program in wazero, compiled, with clock and output and nothing else: benchmarks compare it with
// the same program in Node.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: wasi PROGRAM.wasm [ARG…]")
		os.Exit(2)
	}
	ctx := context.Background()
	program, err := os.ReadFile(os.Args[1])
	if err == nil {
		r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
		wasi_snapshot_preview1.MustInstantiate(ctx, r)
		_, err = r.InstantiateWithConfig(ctx, program, wazero.NewModuleConfig().WithArgs(os.Args[1:]...).
			WithStdout(os.Stdout).WithStderr(os.Stderr).WithSysWalltime().WithSysNanotime())
	}
	if exit, ok := err.(*sys.ExitError); ok {
		os.Exit(int(exit.ExitCode()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
