//go:build wasm

// Command crash has the exports of the guest and dies, or lies, as its input says: what the sandbox must survive.
package main

import (
	"unsafe"

	"github.com/stormlint/stormlint/wasm/abi"
)

var (
	instance abi.Instance
	input    []byte
	result   []byte
	lie      bool
	held     [][]byte
)

func main() {}

func pointer(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

//go:wasmexport abi_version
func abiVersion() int32 { return abi.Number }

//go:wasmexport reserve
func reserve(n int32) uint32 {
	if lie {
		return 0xfffffff0
	}
	input = instance.Reserve(n)
	return pointer(input)
}

//go:wasmexport result_ptr
func resultPtr() uint32 { return pointer(result) }

//go:wasmexport result_len
func resultLen() int32 {
	if lie {
		return -1
	}
	return int32(len(result))
}

//go:wasmexport call
func call(op, n int32) int32 {
	name := string(input[:op])
	result = nil
	switch name {
	case "version":
		instance.Call(op, n)
		result = instance.Result()
	case "panic":
		panic("token=SECRET")
	case "index":
		_ = result[n]
	case "exit":
		exit(7)
	case "memory":
		for {
			held = append(held, make([]byte, 8<<20))
		}
	case "stack":
		return deep(n)
	case "length":
		lie = true
	case "pointer":
		lie = true
		return 0
	case "envelope":
		result = []byte("not JSON")
		return 1
	case "reach": // everything a module might try
		result = []byte("reached: " + reach())
	}
	return 0
}

func deep(n int32) int32 { return deep(n+1) + deep(n+2) + 1 }

//go:wasmexport open
func open(op, n int32) uint32 { return 0 }

//go:wasmexport feed
func feed(handle uint32, n int32) int32 { return 0 }

//go:wasmexport state
func state(handle uint32) int32 { return 0 }

//go:wasmexport merge
func merge(handle uint32, n, more int32) int32 { return 0 }

//go:wasmexport progress
func progress(handle uint32) int32 { return 0 }

//go:wasmexport step
func step(handle uint32, budget int32) int32 { return 0 }

//go:wasmexport finish
func finish(handle uint32) int32 { return 0 }

//go:wasmexport page
func page(handle uint32, n int32) int32 { return 0 }

//go:wasmexport series
func series(handle uint32, n int32) int32 { return 0 }

//go:wasmexport client
func client(handle uint32, n int32) int32 { return 0 }

//go:wasmexport close
func closeStream(handle uint32) int32 { return 0 }
