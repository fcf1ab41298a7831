package proxywasm

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/stormlint/stormlint/core/fault"
)

const root = 1 // id of the context of the configuration

type theVM struct{} // key of a context's VM

// vm is one worker's instance. Whoever calls it holds its slot's lock.
type vm struct {
	host     *Host
	module   api.Module
	ctx      context.Context
	exports  map[string]api.Function
	allocate api.Function
	tick     time.Duration
	last     uint32  // context id
	stream   *stream // the request of the call that runs; nil for none
	stack    [8]uint64
	list     []byte // headers on their way
}

func (h *Host) newVM(ctx context.Context) (*vm, error) {
	v := &vm{host: h, exports: map[string]api.Function{}, last: root}
	v.ctx = context.WithValue(context.WithoutCancel(ctx), theVM{}, v)
	m, err := h.runtime.InstantiateModule(v.ctx, h.compiled, h.configuration())
	if err != nil {
		return nil, &fault.Error{Code: fault.Crashed, Package: "proxywasm", Message: "the filter does not start: " + err.Error()}
	}
	v.module = m
	for name := range h.compiled.ExportedFunctions() {
		v.exports[name] = m.ExportedFunction(name)
	}
	v.allocate = v.exports["proxy_on_memory_allocate"]
	if err = v.configure(ctx); err != nil {
		m.Close(ctx)
		return nil, err
	}
	h.made.Add(1)
	return v, nil
}

func (v *vm) configure(ctx context.Context) error {
	h := v.host
	h.critical.Store(nil)
	err := v.call(ctx, "proxy_on_context_create", root, 0)
	started := false
	if err == nil {
		started, err = v.ask(ctx, "proxy_on_vm_start", root, 0)
	}
	if err == nil && started {
		started, err = v.ask(ctx, "proxy_on_configure", root, uint64(len(h.options.Configuration)))
	}
	if err != nil {
		return err
	}
	if !started {
		f := &fault.Error{Code: fault.BadValue, Package: "proxywasm", Message: "the filter refuses its configuration"}
		if text := h.critical.Load(); text != nil {
			f.Message += ": " + *text
		}
		return f
	}
	return nil
}

// call calls an export; an error is the end of this VM.
func (v *vm) call(ctx context.Context, name string, args ...uint64) error {
	_, err := v.ask(ctx, name, args...)
	return err
}

// ask calls an export that answers yes or no, or with an action.
func (v *vm) ask(_ context.Context, name string, args ...uint64) (bool, error) {
	f := v.exports[name]
	if f == nil {
		return true, nil // a callback that the filter does not want
	}
	stack := v.stack[:max(len(args), 1)]
	copy(stack, args)
	if err := f.CallWithStack(v.ctx, stack); err != nil {
		return false, &fault.Error{Code: fault.Crashed, Package: "proxywasm", Message: name + ": " + err.Error()}
	}
	return len(f.Definition().ResultTypes()) > 0 && api.DecodeU32(stack[0]) != 0, nil
}

// give copies bytes into the guest's memory and tells it where: nothing is at 0 with size 0, and no memory is asked for.
func give[T string | []byte](v *vm, m api.Module, data T, pointerAt, sizeAt uint32) status {
	var at uint32
	if len(data) > 0 {
		stack := [1]uint64{uint64(len(data))}
		if err := v.allocate.CallWithStack(v.ctx, stack[:]); err != nil {
			panic(err) // ends the outer call as well: the VM is broken
		}
		at = api.DecodeU32(stack[0])
	}
	mem := m.Memory() // after the call: it may have grown
	into, there := mem.Read(at, uint32(len(data)))
	if copy(into, data); !there || !mem.WriteUint32Le(pointerAt, at) || !mem.WriteUint32Le(sizeAt, uint32(len(data))) {
		return invalidMemory
	}
	return ok
}
