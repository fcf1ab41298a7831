//go:build !js

// Command filter is stormlint at the door of Envoy and of other proxy-wasm hosts: see README.md. It is built as a WASI
// reactor (-buildmode=c-shared), of which only init runs.
package main

import _ "github.com/stormlint/stormlint/wasm/filter/plugin"

func main() {}
