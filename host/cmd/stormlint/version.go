package main

import (
	"fmt"
	"runtime"

	"github.com/stormlint/stormlint/wasm/abi"
	"github.com/stormlint/stormlint/wasm/module"
)

type versionVerb struct {
	Output string `short:"o" enum:"text,json" default:"text" help:"Form of the answer: text or json."`
}

func (v *versionVerb) Run(e *env) error {
	if v.Output == "json" {
		b, err := e.engine.Call(e.ctx, "version", nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "%s\n", b)
		return nil
	}
	built := "built in"
	if _, err := module.Bytes(); err != nil {
		built = "not built in"
	}
	fmt.Fprintf(e.stdout, "stormlint %s (abi %d, module %s, %s/%s, %s)\n", abi.Product, abi.Number, built, runtime.GOOS, runtime.GOARCH, runtime.Version())
	return nil
}
