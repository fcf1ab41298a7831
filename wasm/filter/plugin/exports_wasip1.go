package plugin

import "unsafe"

// The callbacks, without the SDK's. The SDK exports all that the ABI has, and a host calls whatever is exported: Envoy
// would ask for every chunk of every tunnel, and six times for a request that four callbacks are enough for. What is not
// exported here costs nothing: bodies and trailers pass, and a stream ends with proxy_on_delete alone.

// the is the worker that this VM is.
var the = worker{clocks: hosts()}

//go:wasmexport proxy_abi_version_0_2_0
func abiVersion() {}

//go:wasmexport proxy_on_vm_start
func onVMStart(_, _ uint32) bool { return true }

//go:wasmexport proxy_on_context_create
func onContextCreate(id, parent uint32) { the.create(id, parent) }

//go:wasmexport proxy_on_configure
func onConfigure(id, size uint32) bool {
	desk.clear()
	return the.configure(id, int(size))
}

//go:wasmexport proxy_on_tick
func onTick(id uint32) {
	desk.clear()
	the.tick(id)
}

//go:wasmexport proxy_on_request_headers
func onRequestHeaders(id, _, _ uint32) (action uint32) {
	desk.clear()
	if the.request(id) {
		return 1 // pause: the answer is the filter's
	}
	return 0
}

//go:wasmexport proxy_on_response_headers
func onResponseHeaders(id, _, _ uint32) (action uint32) {
	desk.clear()
	the.response(id)
	return 0
}

//go:wasmexport proxy_on_delete
func onDelete(id uint32) {
	desk.clear()
	the.end(id)
}

// desk is where the host puts what it gives: one piece of memory, used again for each callback. So nothing that was given
// may be kept beyond its callback, and a handshake leaves nothing for the collector.
var desk table

type table struct {
	room []byte
	used int
}

const (
	deskSize    = 16 << 10
	deskLargest = 128 << 10 // what is kept after a request with very long headers
)

func (t *table) clear() {
	t.used = 0
	if len(t.room) > deskLargest {
		t.room = nil
	}
}

// allocate is called by the host, while it answers a call. Where the room is not enough a larger one takes its place, so that
// it is enough for the next such callback; what was given before stays where it is.
//
//go:wasmexport proxy_on_memory_allocate
func allocate(size uint32) unsafe.Pointer {
	n := max(int(size)+7, 8) &^ 7
	t := &desk
	if n > len(t.room)-t.used {
		t.room, t.used = make([]byte, max(n, deskSize, min(2*len(t.room), deskLargest))), 0
	}
	at := t.used
	t.used += n
	return unsafe.Pointer(&t.room[at])
}
