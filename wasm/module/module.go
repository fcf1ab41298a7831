// Package module hands out the built WebAssembly module as bytes, or says that it was not built.
//
// The bytes are embedded when the Go program is built: run ./build.sh build first, which writes dist/stormlint.wasm and
// then builds the command line around it. A clone in which nothing was built compiles all the same; asking for the module
// is then an error that names the remedy.
package module

import (
	"embed"

	"github.com/stormlint/stormlint/core/fault"
)

// What has a dot in its name: the README, which is always there so that a fresh clone compiles, and the module; not gojs/.
//
//go:embed dist/*.*
var dist embed.FS

// Bytes gives the module, or a fault of code not-built.
func Bytes() ([]byte, error) {
	b, err := dist.ReadFile("dist/stormlint.wasm")
	if err != nil {
		return nil, &fault.Error{Code: fault.NotBuilt, Package: "module", Message: "the WebAssembly module is missing", Expected: "./build.sh build to be run first"}
	}
	if len(b) < 8 || string(b[:4]) != "\x00asm" {
		return nil, &fault.Error{Code: fault.BadState, Package: "module", Message: "dist/stormlint.wasm is no WebAssembly module", Expected: "./build.sh build to be run again"}
	}
	return b, nil
}
