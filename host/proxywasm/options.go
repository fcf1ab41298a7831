package proxywasm

import (
	"runtime"
	"strconv"

	"github.com/tetratelabs/wazero"

	"github.com/stormlint/stormlint/core/fault"
)

// Options are a host's settings; the zero Options run one VM a processor with the machine's clocks, and drop what the
// filter says.
type Options struct {
	Configuration string                       // the filter's
	VMs           int                          // workers, 1 to 256; 0 is one a processor
	MemoryPages   uint32                       // the most memory a VM may have, in 64 KiB; 0 is 256 (16 MiB)
	Log           func(level int, text string) // what the filter says; 0 trace, 1 debug, 2 info, 3 warn, 4 error, 5 critical

	// Clock tells the VMs the time: ns since 1970, and ns of a clock that does not step. Where it is set nobody ticks but
	// Tick. nil is the machine's clocks.
	Clock func() (wall, steady int64)

	// Cache keeps what was compiled, for hosts of the same filter; nil compiles anew, which takes a second.
	Cache wazero.CompilationCache

	Faults Faults
}

// Faults make the host misbehave, to see what a filter does. The zero Faults do nothing. They are called from several
// goroutines at once.
type Faults struct {
	// Shared is asked before each operation on shared data, "get" or "set"; another answer than 0 is given to the filter
	// in its place: 1 not found, 8 compare-and-set mismatch, 10 internal failure.
	Shared func(operation, key string) uint32
	// Headers is asked before headers are read; as Shared.
	Headers func() uint32
	// NoAddress hides source.address.
	NoAddress bool
	// Crash traps the VM in the named callback, "request" or "response", when it gives true.
	Crash func(callback string) bool
}

func (o *Options) check() error {
	if o.VMs == 0 {
		o.VMs = min(runtime.GOMAXPROCS(0), 256)
	}
	if o.VMs < 1 || o.VMs > 256 {
		return fault.Value("proxywasm", "VMs", strconv.Itoa(o.VMs), "1 to 256, or 0 for one a processor")
	}
	if o.MemoryPages == 0 {
		o.MemoryPages = 256
	}
	if o.MemoryPages < 64 || o.MemoryPages > 65536 {
		return fault.Value("proxywasm", "memory pages", strconv.Itoa(int(o.MemoryPages)), "64 to 65536 (of 64 KiB), or 0 for 256")
	}
	if o.Log == nil {
		o.Log = func(int, string) {}
	}
	return nil
}
