//go:build !wasip1 && !js

package plugin

import "github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"

// emulated is a worker on the SDK's emulator, on which the native tests run.
type emulated struct {
	types.DefaultVMContext
	worker *worker
}

type emulatedPlugin struct {
	types.DefaultPluginContext
	worker *worker
	id     uint32
}

type emulatedStream struct {
	types.DefaultHttpContext
	worker *worker
	id     uint32
}

// NewPluginContext begins a configuration.
func (e *emulated) NewPluginContext(id uint32) types.PluginContext {
	e.worker.create(id, 0)
	return &emulatedPlugin{worker: e.worker, id: id}
}

// OnPluginStart reads it.
func (e *emulatedPlugin) OnPluginStart(size int) types.OnPluginStartStatus {
	return types.OnPluginStartStatus(e.worker.configure(e.id, size))
}

// OnTick is the timer's.
func (e *emulatedPlugin) OnTick() { e.worker.tick(e.id) }

// NewHttpContext begins a request.
func (e *emulatedPlugin) NewHttpContext(id uint32) types.HttpContext {
	e.worker.create(id, e.id)
	return &emulatedStream{worker: e.worker, id: id}
}

// OnHttpRequestHeaders decides.
func (e *emulatedStream) OnHttpRequestHeaders(int, bool) types.Action {
	if e.worker.request(e.id) {
		return types.ActionPause
	}
	return types.ActionContinue
}

// OnHttpResponseHeaders sees the answer.
func (e *emulatedStream) OnHttpResponseHeaders(int, bool) types.Action {
	e.worker.response(e.id)
	return types.ActionContinue
}

// OnHttpStreamDone sees the end.
func (e *emulatedStream) OnHttpStreamDone() { e.worker.end(e.id) }
