//go:build !js

// Command filter is stormlint at the door of Envoy and of other proxy-wasm hosts: see README.md. It is built as a WASI
// reactor (-buildmode=c-shared), of which only init runs.
package main

import (
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"

	"github.com/stormlint/stormlint/wasm/filter/plugin"
)

func init() { proxywasm.SetVMContext(plugin.Context()) }

func main() {}
