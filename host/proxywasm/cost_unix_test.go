//go:build unix

package proxywasm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"
)

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
	defer processor(b)()
	for i := 0; b.Loop(); i++ {
		r.RemoteAddr = from[i%256]
		*w = discard{}
		d.ServeHTTP(w, r)
	}
}

// processor reports the processor time of a benchmark, which its neighbours on the machine disturb less than the clock's.
func processor(b *testing.B) (done func()) {
	used := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}
