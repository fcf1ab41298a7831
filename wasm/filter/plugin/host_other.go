//go:build !wasip1 && !js

package plugin

import (
	"strings"
	"time"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"
)

// The same calls through the SDK, on whose emulator the native tests run.

func requestHeaders(_ uint64, into [][2]string) (headers [][2]string, ok bool) {
	list, err := proxywasm.GetHttpRequestHeaders()
	if err != nil {
		return into[:0], false
	}
	return append(into[:0], list...), true
}

func requestHeader(name string) (value string, ok bool) {
	value, err := proxywasm.GetHttpRequestHeader(name)
	return value, err == nil
}

func responseHeader(name string) (value string, ok bool) {
	value, err := proxywasm.GetHttpResponseHeader(name)
	return value, err == nil
}

func property(path string) string {
	value, err := proxywasm.GetProperty(strings.Split(path, "\x00"))
	if err != nil {
		return ""
	}
	return string(value)
}

func getShared(key []byte) (value []byte, cas, status uint32) {
	value, cas, err := proxywasm.GetSharedData(string(key))
	return value, cas, code(err)
}

func setShared(key, value []byte, cas uint32) (status uint32) {
	return code(proxywasm.SetSharedData(string(key), append([]byte(nil), value...), cas))
}

func code(err error) uint32 {
	switch err {
	case nil:
		return 0
	case types.ErrorStatusNotFound:
		return notFound
	case types.ErrorStatusCasMismatch:
		return mismatch
	}
	return 10 // an internal failure
}

func respond(status uint32, headers, body []byte) (ok bool) {
	pairs, ok := parsePairs(headers, ^uint64(0), nil)
	return ok && proxywasm.SendHttpResponse(status, pairs, body, -1) == nil
}

func say(line []byte) { proxywasm.LogInfo(string(line)) }

func log(level uint32, text string) {
	switch level {
	case warn:
		proxywasm.LogWarn(text)
	case failure:
		proxywasm.LogError(text)
	default:
		proxywasm.LogCritical(text)
	}
}

func configuration(int) (text []byte, ok bool) {
	text, err := proxywasm.GetPluginConfiguration()
	return text, err == nil
}

func timer(ms uint32) (ok bool) { return proxywasm.SetTickPeriodMilliSeconds(ms) == nil }

func define(kind uint32, name string) uint32 {
	if kind == gauge {
		return uint32(proxywasm.DefineGaugeMetric(name))
	}
	return uint32(proxywasm.DefineCounterMetric(name))
}

func increment(id uint32, by int64) { proxywasm.MetricCounter(id).Increment(uint64(by)) }

func record(id uint32, value uint64) { proxywasm.MetricHistogram(id).Record(value) }

var began = time.Now()

func monotonic() int64 { return int64(time.Since(began)) }

func wall() int64 { return time.Now().UnixNano() }
