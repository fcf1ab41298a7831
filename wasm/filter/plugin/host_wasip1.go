package plugin

import "unsafe"

// The SDK (on whose emulator the native tests run) is not in the module. Its host calls copy what the host gives into strings,
// maps and errors of their own; in a compiled module an allocation costs more than most of these calls, and a handshake made
// twenty-six of them. These leave what was given where the host has put it. What the host writes lies in one variable that never moves: while it answers it calls back
// for memory, and a stack may move then.
//
// The SDK's own metrics panic where the host refuses, and format the text of it with fmt, which would be a sixth of the
// module. These say nothing: a filter does not fail because a counter cannot be had.

//go:wasmimport env proxy_get_header_map_pairs
//go:noescape
func proxyGetHeaderMapPairs(kind uint32, data, size unsafe.Pointer) uint32

//go:wasmimport env proxy_get_header_map_value
//go:noescape
func proxyGetHeaderMapValue(kind uint32, name unsafe.Pointer, length int32, data, size unsafe.Pointer) uint32

//go:wasmimport env proxy_get_property
//go:noescape
func proxyGetProperty(path unsafe.Pointer, length int32, data, size unsafe.Pointer) uint32

//go:wasmimport env proxy_get_shared_data
//go:noescape
func proxyGetSharedData(key unsafe.Pointer, length int32, data, size, cas unsafe.Pointer) uint32

//go:wasmimport env proxy_set_shared_data
//go:noescape
func proxySetSharedData(key unsafe.Pointer, length int32, value unsafe.Pointer, size int32, cas uint32) uint32

//go:wasmimport env proxy_send_local_response
//go:noescape
func proxySendLocalResponse(status uint32, details unsafe.Pointer, detailsSize int32, body unsafe.Pointer, bodySize int32, headers unsafe.Pointer, headersSize, grpc int32) uint32

//go:wasmimport env proxy_log
//go:noescape
func proxyLog(level uint32, text unsafe.Pointer, size int32) uint32

//go:wasmimport env proxy_get_buffer_bytes
//go:noescape
func proxyGetBufferBytes(kind uint32, from, most int32, data, size unsafe.Pointer) uint32

//go:wasmimport env proxy_set_tick_period_milliseconds
func proxySetTickPeriod(ms uint32) uint32

//go:wasmimport env proxy_define_metric
//go:noescape
func proxyDefineMetric(kind uint32, name unsafe.Pointer, size int32, id unsafe.Pointer) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

//go:wasmimport wasi_snapshot_preview1 clock_time_get
//go:noescape
func clockTimeGet(id uint32, precision uint64, result unsafe.Pointer) uint32

// given is what the host writes.
var given struct {
	data   *byte
	size   int32
	number uint32
	time   uint64
}

// take gives what the host gave, and forgets where.
func take() []byte {
	b := unsafe.Slice(given.data, given.size)
	given.data, given.size = nil, 0
	return b
}

// requestHeaders are the headers with names of wanted lengths, in an array that is used again. All that a host gives is
// valid until the callback's end.
func requestHeaders(wanted uint64, into [][2]string) (headers [][2]string, ok bool) {
	if proxyGetHeaderMapPairs(0, unsafe.Pointer(&given.data), unsafe.Pointer(&given.size)) != 0 {
		return into[:0], false
	}
	return parsePairs(take(), wanted, into[:0])
}

// requestHeader is the first value of a header; ok is false where there is none.
func requestHeader(name string) (value string, ok bool) { return header(0, name) }

// responseHeader is requestHeader of the answer.
func responseHeader(name string) (value string, ok bool) { return header(2, name) }

func header(kind uint32, name string) (value string, ok bool) {
	if proxyGetHeaderMapValue(kind, unsafe.Pointer(unsafe.StringData(name)), int32(len(name)), unsafe.Pointer(&given.data), unsafe.Pointer(&given.size)) != 0 {
		return "", false
	}
	return view(take()), true
}

// property is a property of the stream, its path joined by zeros; empty where there is none.
func property(path string) string {
	if proxyGetProperty(unsafe.Pointer(unsafe.StringData(path)), int32(len(path)), unsafe.Pointer(&given.data), unsafe.Pointer(&given.size)) != 0 {
		return ""
	}
	return view(take())
}

func getShared(key []byte) (value []byte, cas, status uint32) {
	status = proxyGetSharedData(unsafe.Pointer(unsafe.SliceData(key)), int32(len(key)), unsafe.Pointer(&given.data), unsafe.Pointer(&given.size), unsafe.Pointer(&given.number))
	if status != 0 {
		return nil, 0, status
	}
	return take(), given.number, 0
}

func setShared(key, value []byte, cas uint32) (status uint32) {
	return proxySetSharedData(unsafe.Pointer(unsafe.SliceData(key)), int32(len(key)), unsafe.Pointer(unsafe.SliceData(value)), int32(len(value)), cas)
}

// respond ends the request with an answer; the headers are as appendPairs writes them.
func respond(status uint32, headers, body []byte) (ok bool) {
	return proxySendLocalResponse(status, nil, 0, unsafe.Pointer(unsafe.SliceData(body)), int32(len(body)), unsafe.Pointer(unsafe.SliceData(headers)), int32(len(headers)), -1) == 0
}

// say writes a line into the host's log.
func say(line []byte) {
	proxyLog(info, unsafe.Pointer(unsafe.SliceData(line)), int32(len(line)))
}

// log is say of another level.
func log(level uint32, text string) {
	proxyLog(level, unsafe.Pointer(unsafe.StringData(text)), int32(len(text)))
}

// configuration is the plugin's, of which the host has told the size.
func configuration(size int) (text []byte, ok bool) {
	const pluginConfiguration = 7
	if proxyGetBufferBytes(pluginConfiguration, 0, int32(size), unsafe.Pointer(&given.data), unsafe.Pointer(&given.size)) != 0 {
		return nil, false
	}
	return take(), true
}

// timer asks for a tick each so many ms.
func timer(ms uint32) (ok bool) { return proxySetTickPeriod(ms) == 0 }

// define makes a counter (0) or a gauge (1) of a name; none where the host refuses.
func define(kind uint32, name string) (id uint32) {
	if proxyDefineMetric(kind, unsafe.Pointer(unsafe.StringData(name)), int32(len(name)), unsafe.Pointer(&given.number)) != 0 {
		return none
	}
	return given.number
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

// monotonic is the host's clock that does not step, in ns since any moment that all workers of a process share. Go's own
// monotonic clock counts from each worker's start.
func monotonic() int64 { return clock(1) }

// wall is ns since 1970.
func wall() int64 { return clock(0) }

func clock(id uint32) int64 {
	if clockTimeGet(id, 1, unsafe.Pointer(&given.time)) != 0 {
		return 0
	}
	return int64(given.time)
}
