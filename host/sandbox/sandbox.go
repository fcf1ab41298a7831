// Package sandbox runs the module in wazero: the same core, where a hostile log cannot reach anything.
//
// The module gets no files, no network, no environment, no arguments, and clocks and randomness that tell it nothing; its
// memory has a limit. It is compiled once, to machine code (never interpreted: that is eighty times slower), optionally
// into a cache folder, and instances are kept for the next caller.
//
// An instance that traps, exits, panics or runs out of memory is an error of code "crashed" that says which; the instance
// is thrown away and the next call has a fresh one. The same happens to an instance that grew beyond KeptMemory, because
// a module's memory never shrinks.
//
// Deadlines are package engine's, between pieces of input. wazero could also stop inside one, at six to fourteen times the
// running time: it is not used for our module.
package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/wasm/abi"
)

// Options are the limits; the zero value is the documented default.
type Options struct {
	CacheDir      string // where compiled code is kept for the next process; empty: nowhere
	MemoryLimit   int64  // bytes an instance may grow to; 0: 2 GiB; at most 4 GiB, in steps of 64 KiB
	KeptMemory    int64  // bytes up to which an idle instance is kept; 0: 64 MiB
	KeptInstances int    // idle instances kept; 0: one for each processor
}

const page = 64 << 10

func (o Options) settled() (Options, error) {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = 2 << 30
	}
	if o.KeptMemory == 0 {
		o.KeptMemory = 64 << 20
	}
	if o.KeptInstances == 0 {
		o.KeptInstances = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.MemoryLimit < 4<<20 || o.MemoryLimit > 4<<30:
		return o, fault.Value("sandbox", "memory limit", strconv.FormatInt(o.MemoryLimit, 10), "4 MiB to 4 GiB, in bytes")
	case o.KeptMemory < 0:
		return o, fault.Value("sandbox", "kept memory", strconv.FormatInt(o.KeptMemory, 10), "0 or more bytes")
	case o.KeptInstances < 0:
		return o, fault.Value("sandbox", "kept instances", strconv.Itoa(o.KeptInstances), "0 or more")
	}
	return o, nil
}

// Sandbox is a compiled module and its idle instances; it is safe for concurrent use.
type Sandbox struct {
	options  Options
	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule

	mu     sync.Mutex
	idle   []*instance
	closed bool
}

var _ engine.Sessions = (*Sandbox)(nil)

// New compiles a module and compares its versions with ours. The bytes are wasm/module's, or any build of wasm/guest.
func New(ctx context.Context, wasm []byte, options Options) (_ *Sandbox, err error) {
	options, err = options.settled()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{options: options}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if options.CacheDir == "" {
		s.cache = wazero.NewCompilationCache()
	} else if s.cache, err = wazero.NewCompilationCacheWithDir(options.CacheDir); err != nil {
		return nil, fmt.Errorf("sandbox: cache folder: %w", err)
	}
	if s.runtime, err = compiler(ctx, wazero.NewRuntimeConfigCompiler().
		WithCompilationCache(s.cache).
		WithMemoryLimitPages(uint32(options.MemoryLimit/page)).
		WithDebugInfoEnabled(false)); err != nil {
		return nil, err
	}
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, s.runtime); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if s.compiled, err = s.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, &fault.Error{Code: fault.BadState, Package: "sandbox", Message: "the bytes are no module that can be compiled", Value: err.Error()}
	}
	first, err := s.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	s.Give(first, true)
	return s, nil
}

// compiler makes a runtime that compiles to machine code, or says that this processor has no such thing.
func compiler(ctx context.Context, config wazero.RuntimeConfig) (r wazero.Runtime, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault.Error{Code: fault.Unsupported, Package: "sandbox", Message: "wazero has no compiler for " + runtime.GOOS + "/" + runtime.GOARCH, Expected: "the native engine to be used"}
		}
	}()
	return wazero.NewRuntimeWithConfig(ctx, config), nil
}

// compare is the first thing said across the seam.
func compare(ours, theirs int32, product func() ([]byte, error)) error {
	if ours != theirs {
		return &fault.Error{Code: fault.Mismatch, Package: "sandbox", Field: "abi of the module", Value: strconv.Itoa(int(theirs)), Expected: strconv.Itoa(int(ours))}
	}
	b, err := product()
	if err != nil {
		return err
	}
	var v struct{ Version string }
	if err := json.Unmarshal(b, &v); err != nil || v.Version != abi.Product {
		return &fault.Error{Code: fault.Mismatch, Package: "sandbox", Field: "version of the module", Value: strconv.Quote(v.Version), Expected: strconv.Quote(abi.Product)}
	}
	return nil
}

// Take gives an idle instance or a new one.
func (s *Sandbox) Take(ctx context.Context) (engine.Session, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &fault.Error{Code: fault.Closed, Package: "sandbox", Message: "the sandbox is closed"}
	}
	if n := len(s.idle); n > 0 {
		i := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return i, nil
	}
	s.mu.Unlock()
	i, err := s.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// Give takes an instance back: a sound, small one is kept, any other ends.
func (s *Sandbox) Give(session engine.Session, reusable bool) {
	i := session.(*instance)
	s.mu.Lock()
	defer s.mu.Unlock()
	if reusable && !s.closed && i.sound() && i.memory() <= s.options.KeptMemory && len(s.idle) < s.options.KeptInstances {
		s.idle = append(s.idle, i)
		return
	}
	i.end()
}

// Close ends every instance, also those that are out (a call that is under way in one then fails as crashed), and frees the
// compiled code.
func (s *Sandbox) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, i := range s.idle {
		i.end()
	}
	s.idle = nil
	ctx := context.Background()
	if s.runtime != nil {
		s.runtime.Close(ctx)
	}
	if s.cache != nil {
		s.cache.Close(ctx)
	}
}
