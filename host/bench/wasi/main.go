//go:build unix

// Command wasi runs a wasip1 program in wazero, compiled, with output and nothing else: benchmarks compare it with the same
// program in Node. Its clock is the CPU time of this process, so that a benchmark counts its own work and not that of its
// neighbours.
package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// spent is the CPU time of the process in ns.
func spent() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

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
			WithStdout(os.Stdout).WithStderr(os.Stderr).
			WithNanotime(spent, 1000).WithWalltime(func() (int64, int32) { n := spent(); return n / 1e9, int32(n % 1e9) }, 1000))
	}
	if exit, ok := err.(*sys.ExitError); ok {
		os.Exit(int(exit.ExitCode()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
