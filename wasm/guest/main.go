//go:build wasm

// Command guest is the core as a WebAssembly module: numbers in, numbers out, and nothing else. What the exports mean is
// written in package abi, where it is also tested.
//
// One file makes both modules. For GOOS=wasip1 it is built with -buildmode=c-shared: the host calls _initialize and then
// the exports, and main never runs. For GOOS=js Go's own loader runs main, which waits for ever so that the exports stay.
package main

import (
	"unsafe"

	"github.com/stormlint/stormlint/wasm/abi"
)

var instance abi.Instance

func main() { select {} }

// pointer is the address of the first byte of b in the module's memory, 0 for none.
func pointer(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

//go:wasmexport abi_version
func abiVersion() int32 { return abi.Number }

//go:wasmexport reserve
func reserve(n int32) uint32 { return pointer(instance.Reserve(n)) }

//go:wasmexport result_ptr
func resultPtr() uint32 { return pointer(instance.Result()) }

//go:wasmexport result_len
func resultLen() int32 { return int32(len(instance.Result())) }

//go:wasmexport call
func call(op, n int32) int32 { return int32(instance.Call(op, n)) }

//go:wasmexport open
func open(op, n int32) uint32 { return uint32(instance.Open(op, n)) }

//go:wasmexport feed
func feed(handle uint32, n int32) int32 { return int32(instance.Feed(abi.Handle(handle), n)) }

//go:wasmexport state
func state(handle uint32) int32 { return int32(instance.State(abi.Handle(handle))) }

//go:wasmexport merge
func merge(handle uint32, n, more int32) int32 {
	return int32(instance.Merge(abi.Handle(handle), n, more != 0))
}

//go:wasmexport progress
func progress(handle uint32) int32 { return int32(instance.Progress(abi.Handle(handle))) }

//go:wasmexport step
func step(handle uint32, budget int32) int32 {
	return int32(instance.Step(abi.Handle(handle), budget))
}

//go:wasmexport finish
func finish(handle uint32) int32 { return int32(instance.Finish(abi.Handle(handle))) }

//go:wasmexport page
func page(handle uint32, n int32) int32 {
	return int32(instance.Ask(abi.Handle(handle), abi.Page, n))
}

//go:wasmexport series
func series(handle uint32, n int32) int32 {
	return int32(instance.Ask(abi.Handle(handle), abi.Series, n))
}

//go:wasmexport client
func client(handle uint32, n int32) int32 {
	return int32(instance.Ask(abi.Handle(handle), abi.Client, n))
}

//go:wasmexport close
func closeStream(handle uint32) int32 { return int32(instance.Close(abi.Handle(handle))) }
