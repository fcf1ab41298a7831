//go:build !wasip1 && !js

package plugin

import "github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"

// define, increment and record go through the SDK, whose emulator the native tests run on.
func define(kind uint32, name string) uint32 {
	if kind == gauge {
		return uint32(proxywasm.DefineGaugeMetric(name))
	}
	return uint32(proxywasm.DefineCounterMetric(name))
}

func increment(id uint32, by int64) { proxywasm.MetricCounter(id).Increment(uint64(by)) }

func record(id uint32, value uint64) { proxywasm.MetricHistogram(id).Record(value) }
