package proxywasm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// TestMemory: 300,000 handshakes of 100,000 clients through one worker; its memory stays flat, and so does what is shared.
func TestMemory(t *testing.T) {
	requests, clients := 300_000, 100_000
	if testing.Short() {
		requests, clients = 60_000, 20_000
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

// BenchmarkHandshake is the whole way through the host: headers in, six calls of the guest, an answer. Without: the same
// handler without the filter.
func BenchmarkHandshake(b *testing.B) {
	for _, c := range []struct{ name, configuration string }{
		{"shadow", `{"log":0}`},
		{"enforce process", `{"mode":"enforce","key":"ip","rate":1000000,"burst":1000000,"log":0}`},
		{"enforce process and fleet", `{"mode":"enforce","key":"ip","rate":1000000,"burst":1000000,"fleet_rate":1000000,"fleet_burst":1000000,"log":0}`},
		{"enforce worker", `{"mode":"enforce","key":"ip","rate":1000000,"burst":1000000,"scope":"worker","log":0}`},
		{"enforce without watch", `{"mode":"enforce","key":"ip","rate":1000000,"burst":1000000,"log":0,"watch":false}`},
		{"refused", `{"mode":"enforce","key":"ip","rate":0.000001,"burst":1,"log":0}`},
		{"logged", `{"mode":"enforce","key":"ip","rate":1000000,"burst":1000000}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			h, _ := host(b, "", Options{Configuration: c.configuration, VMs: 1, Log: func(int, string) {}})
			run(b, door(h), upgrade("", "User-Agent", "app/1", "Origin", "https://example.org", "Sec-Websocket-Version", "13", "Sec-Websocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="))
		})
	}
	h, _ := host(b, "", Options{Configuration: `{}`, VMs: 1})
	plain := httptest.NewRequest("GET", "/", nil)
	b.Run("no handshake", func(b *testing.B) { run(b, door(h), plain) })
	b.Run("without the filter", func(b *testing.B) {
		run(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }), plain)
	})
}

func run(b *testing.B, d http.Handler, r *http.Request) {
	var from [256]string
	for i := range from {
		from[i] = fmt.Sprintf("192.0.2.%d:50000", i)
	}
	w := new(discard)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.RemoteAddr = from[i%256]
		*w = discard{}
		d.ServeHTTP(w, r)
	}
}
