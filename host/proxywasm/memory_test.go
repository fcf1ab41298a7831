package proxywasm

import (
	"flag"
	"net/http"
	"strconv"
	"testing"
)

var long = flag.Bool("long", false, "run TestMemory in full (./build.sh bench envoy)")

// TestMemory: 60,000 handshakes of 20,000 clients (-long: 800,000 of 100,000) through one worker; its memory stays flat, and so does
// what is shared. A handshake leaves so little garbage that the guest's collector, which begins at 4 MiB of heap, first runs after
// some 350,000.
func TestMemory(t *testing.T) {
	requests, clients := 60_000, 20_000
	if *long {
		requests, clients = 800_000, 100_000
	}
	c := newClock()
	h, _ := host(t, "", Options{Configuration: `{"mode":"enforce","key":"header:x-client","fleet_rate":1000,"log":0.01}`, VMs: 1, Clock: c.now})
	d := door(h)
	var sizes []int64
	r, w := upgrade("192.0.2.1:1", "X-Client", "", "User-Agent", "app/1"), new(discard)
	for i := range requests {
		r.Header["X-Client"][0] = "client" + strconv.Itoa(i%clients)
		*w = discard{}
		d.ServeHTTP(w, r)
		if c.pass(500_000); i%2000 == 0 {
			h.Tick(t.Context())
		}
		if (i+1)%(requests/4) == 0 {
			vms, shared := h.Memory()
			sizes = append(sizes, vms)
			t.Logf("after %d handshakes: %.1f MiB in the worker, %.1f MiB shared", i+1, float64(vms)/(1<<20), float64(shared)/(1<<20))
		}
	}
	if last := sizes[len(sizes)-1]; last > 12<<20 || last > sizes[1]+1<<20 {
		t.Errorf("the worker's memory: %v", sizes)
	}
	if h.Metric("stormlint.faults") != 0 || h.Made() != 1 {
		t.Error("a fault on the way")
	}
}

// discard is a writer that keeps the status.
type discard struct {
	header http.Header
	code   int
}

func (d *discard) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(code int)        { d.code = code }
