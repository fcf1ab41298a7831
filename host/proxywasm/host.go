package proxywasm

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/stormlint/stormlint/core/fault"
)

// Host is a filter that runs. It is safe for concurrent use.
type Host struct {
	options  Options
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	shared   sharedData
	metrics  metrics
	slots    []slot
	next     atomic.Uint32
	passed   atomic.Int64
	made     atomic.Int64
	stop     chan struct{}
	ticking  sync.WaitGroup
	critical atomic.Pointer[string]
}

// slot is the place of one worker.
type slot struct {
	mu    sync.Mutex
	vm    *vm
	after time.Time // no new VM before
	pause time.Duration
}

// New compiles a filter and starts its VMs. A configuration that the filter refuses is an error with the filter's words.
func New(ctx context.Context, wasm []byte, o Options) (*Host, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &Host{options: o, slots: make([]slot, o.VMs), stop: make(chan struct{})}
	c := wazero.NewRuntimeConfig().WithMemoryLimitPages(o.MemoryPages)
	if o.Cache != nil {
		c = c.WithCompilationCache(o.Cache)
	}
	h.runtime = wazero.NewRuntimeWithConfig(ctx, c)
	err := h.start(ctx, wasm)
	if err != nil {
		return nil, errors.Join(err, h.runtime.Close(ctx))
	}
	return h, nil
}

func (h *Host) start(ctx context.Context, wasm []byte) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, h.runtime); err != nil {
		return err
	}
	if h.compiled, err = h.runtime.CompileModule(ctx, wasm); err != nil {
		return &fault.Error{Code: fault.BadState, Package: "proxywasm", Message: "not a module that can run: " + err.Error()}
	}
	if err = h.fits(); err != nil {
		return err
	}
	if err = h.imports(ctx); err != nil {
		return err
	}
	var period time.Duration
	for i := range h.slots {
		v, err := h.newVM(ctx)
		if err != nil {
			return err
		}
		h.slots[i].vm, period = v, v.tick
	}
	if period > 0 && h.options.Clock == nil {
		h.ticking.Add(1)
		go h.ticks(period)
	}
	return nil
}

// fits says what is missing where a module is no filter that this host can run.
func (h *Host) fits() error {
	if _, there := h.compiled.ExportedFunctions()["proxy_abi_version_0_2_0"]; !there {
		return &fault.Error{Code: fault.Mismatch, Package: "proxywasm", Message: "the module is no proxy-wasm filter", Expected: "one of ABI 0.2.0"}
	}
	for _, f := range h.compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module == "env" && calls[name].f == nil {
			return &fault.Error{Code: fault.Unsupported, Package: "proxywasm", Message: "the filter calls " + name + ", which this host does not have"}
		}
	}
	return nil
}

func (h *Host) imports(ctx context.Context) error {
	b := h.runtime.NewHostModuleBuilder("env")
	for name, c := range calls {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			v := ctx.Value(theVM{}).(*vm)
			stack[0] = api.EncodeU32(uint32(c.f(v, m, stack)))
		}), c.parameters, []api.ValueType{i32}).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

func (h *Host) configuration() wazero.ModuleConfig {
	c := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithRandSource(rand.Reader)
	if clock := h.options.Clock; clock != nil {
		return c.WithWalltime(func() (int64, int32) { wall, _ := clock(); return wall / 1e9, int32(wall % 1e9) }, 1).
			WithNanotime(func() int64 { _, steady := clock(); return steady }, 1)
	}
	return c.WithSysWalltime().WithSysNanotime()
}

func (h *Host) ticks(period time.Duration) {
	defer h.ticking.Done()
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.Tick(context.Background())
		case <-h.stop:
			return
		}
	}
}

// Tick lets every VM do what it does once a period.
func (h *Host) Tick(ctx context.Context) {
	for i := range h.slots {
		s := &h.slots[i]
		s.mu.Lock()
		if s.vm != nil {
			s.settle(ctx, s.vm.call(ctx, "proxy_on_tick", root))
		}
		s.mu.Unlock()
	}
}

// settle throws a VM away after an error of any call.
func (s *slot) settle(ctx context.Context, err error) {
	if err == nil || s.vm == nil {
		return
	}
	s.vm.module.Close(ctx)
	s.vm = nil
	s.after = time.Now().Add(s.pause)
	s.pause = min(max(2*s.pause, 100*time.Millisecond), 5*time.Second)
}

// ready makes a VM where there is none and its pause is over.
func (s *slot) ready(ctx context.Context, h *Host) bool {
	if s.vm == nil && !time.Now().Before(s.after) {
		v, err := h.newVM(ctx)
		if err != nil {
			s.after = time.Now().Add(max(s.pause, time.Second))
			return false
		}
		s.vm = v
	}
	return s.vm != nil
}

// Metric is the value of a counter or gauge of the filter; 0 if it has none of that name.
func (h *Host) Metric(name string) int64 { return h.metrics.value(name) }

// Metrics lists the names of the filter's counters and gauges, in order.
func (h *Host) Metrics() []string {
	h.metrics.mu.Lock()
	defer h.metrics.mu.Unlock()
	names := make([]string, len(h.metrics.values))
	for name, id := range h.metrics.ids {
		names[id] = name
	}
	return names
}

// Passed counts the requests that passed unfiltered, because their VM had died.
func (h *Host) Passed() int64 { return h.passed.Load() }

// Made counts the VMs made since the start: Options.VMs and one for each that died.
func (h *Host) Made() int64 { return h.made.Load() }

// Memory is the memory of all VMs and of the shared data, in bytes.
func (h *Host) Memory() (vms, shared int64) {
	for i := range h.slots {
		h.slots[i].mu.Lock()
		if v := h.slots[i].vm; v != nil {
			vms += int64(v.module.Memory().Size())
		}
		h.slots[i].mu.Unlock()
	}
	h.shared.mu.Lock()
	defer h.shared.mu.Unlock()
	return vms, int64(h.shared.bytes)
}

// Close ends the VMs. Requests that are under way pass.
func (h *Host) Close(ctx context.Context) error {
	close(h.stop)
	h.ticking.Wait()
	for i := range h.slots {
		h.slots[i].mu.Lock()
		h.slots[i].vm, h.slots[i].after = nil, time.Now().Add(1<<62)
		h.slots[i].mu.Unlock()
	}
	return h.runtime.Close(ctx)
}

// said keeps the last critical line, the reason of a refused configuration.
func (h *Host) said(level int, text string) {
	if level >= 5 {
		t := strings.Clone(text)
		h.critical.Store(&t)
	}
	h.options.Log(level, text)
}
