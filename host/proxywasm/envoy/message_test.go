//go:build envoy

package envoy

import (
	"testing"
	"time"
)

// BenchmarkMessage compares what a message of a tunnel costs, there and back, without the filter and with it: the filter
// exports no callback for bodies, so that Envoy has none to call.
func BenchmarkMessage(b *testing.B) {
	const blocks, each = 20, 500
	server := serve(b)
	p := configure(b, build(b, ""), server.port(), nothing, `{"key": "ip"}`).run(1)
	names := [...]string{"no filter", "shadow"}
	var cpu, took [len(names)]int64
	for range blocks {
		for k := range names {
			c, status, _ := p.doors[k].dial(b, "127.0.30.1", nil)
			if status != 101 {
				b.Fatal(status)
			}
			before, began := p.processor("wrk:"), time.Now()
			for range each {
				if !echoes(b, c) {
					b.Fatal("the tunnel is closed")
				}
			}
			took[k] += int64(time.Since(began))
			cpu[k] += p.processor("wrk:") - before
			c.CloseNow()
		}
	}
	b.Logf("%-44s %9s %14s", "a message there and back, µs", "mean", "worker's CPU")
	for k, name := range names {
		b.Logf("%-44s %9.1f %14.1f", name, float64(took[k])/blocks/each/1e3, float64(cpu[k])/blocks/each/1e3)
	}
}
