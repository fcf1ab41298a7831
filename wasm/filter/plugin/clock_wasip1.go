package plugin

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(id uint32, precision uint64, result unsafe.Pointer) uint32

// monotonic is the host's clock that does not step, in ns since any moment that all workers of a process share. Go's own
// monotonic clock counts from each worker's start.
func monotonic() int64 {
	var ns uint64
	if clockTimeGet(1, 1, unsafe.Pointer(&ns)) != 0 {
		return 0
	}
	return int64(ns)
}
