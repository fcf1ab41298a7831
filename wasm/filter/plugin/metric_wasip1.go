package plugin

import "unsafe"

// The SDK's own metrics panic where the host refuses, and format the text of it with fmt, which would be a sixth of the
// module. These say nothing: a filter does not fail because a counter cannot be had.

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(kind uint32, name unsafe.Pointer, size int32, id unsafe.Pointer) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

// define makes a counter (0) or a gauge (1) of a name; none where the host refuses.
func define(kind uint32, name string) (id uint32) {
	if proxyDefineMetric(kind, unsafe.Pointer(unsafe.StringData(name)), int32(len(name)), unsafe.Pointer(&id)) != 0 {
		return none
	}
	return id
}

func increment(id uint32, by int64) {
	if id != none {
		proxyIncrementMetric(id, by)
	}
}

func record(id uint32, value uint64) {
	if id != none {
		proxyRecordMetric(id, value)
	}
}
