package proxywasm

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const enforce = `{"mode":"enforce","key":"ip","rate":2,"burst":5}`

// Shared data that fails lets everybody in, and a counter says so.
func TestSharedDataFails(t *testing.T) {
	var broken atomic.Bool
	for name, status := range map[string]uint32{"internal failure": 10, "bad argument": 2} {
		broken.Store(false)
		h, _ := host(t, "", Options{Configuration: enforce, VMs: 1, Clock: newClock().now, Faults: Faults{Shared: func(string, string) uint32 {
			if broken.Load() {
				return status
			}
			return 0
		}}})
		d := door(h)
		broken.Store(true)
		for range 20 {
			if w := ask(d, upgrade("192.0.2.1:1")); w.Code != 204 {
				t.Fatalf("%s: status %d", name, w.Code)
			}
		}
		if got := h.Metric("stormlint.failed_open.reason=store"); got != 20 {
			t.Errorf("%s: counted %d", name, got)
		}
		broken.Store(false)
		for range 9 {
			ask(d, upgrade("192.0.2.1:1"))
		}
		if got := h.Metric("stormlint.handshakes.outcome=refused.limit=client"); got != 4 {
			t.Errorf("%s: then it decides again: %d refused", name, got)
		}
	}
}

// A compare-and-set that never wins ends, lets in, and is counted.
func TestCompareAndSetNeverWins(t *testing.T) {
	var tries atomic.Int64
	h, _ := host(t, "", Options{Configuration: enforce, VMs: 1, Clock: newClock().now, Faults: Faults{Shared: func(op, key string) uint32 {
		if op == "set" && strings.Contains(key, "/c/") {
			tries.Add(1)
			return 8
		}
		return 0
	}}})
	if w := ask(door(h), upgrade("192.0.2.1:1")); w.Code != 204 {
		t.Errorf("status %d", w.Code)
	}
	if n := tries.Load(); n != 256 || h.Metric("stormlint.failed_open.reason=contention") != 1 || h.Metric("stormlint.shared.event=retry") != 256 {
		t.Errorf("%d tries, counted %d", n, h.Metric("stormlint.failed_open.reason=contention"))
	}
}

// Where no compare-and-set wins, whatever it is for, handshakes pass, what was watched counts as lost, and it all ends.
func TestNoCompareAndSetWins(t *testing.T) {
	var armed atomic.Bool
	var tries atomic.Int64
	h, _ := host(t, "", Options{Configuration: `{"mode":"enforce","key":"ip","rate":2,"burst":5,"fleet_rate":10}`, VMs: 1, Clock: newClock().now, Faults: Faults{Shared: func(op, key string) uint32 {
		if op == "set" && armed.Load() {
			tries.Add(1)
			return 8
		}
		return 0
	}}})
	armed.Store(true)
	for range 3 {
		if w := ask(door(h), upgrade("192.0.2.1:1")); w.Code != 204 {
			t.Errorf("status %d", w.Code)
		}
	}
	h.Tick(t.Context())
	if n := tries.Load(); n > 3*(256+8)+2*32 || h.Metric("stormlint.failed_open.reason=contention") != 3 || h.Metric("stormlint.watch.lost") != 3 || h.Metric("stormlint.faults") != 0 {
		t.Errorf("%d tries, %d handshakes passed for want of a decision, %d lost", n, h.Metric("stormlint.failed_open.reason=contention"), h.Metric("stormlint.watch.lost"))
	}
}

// A host without shared data: each worker has limits of its own, and that is said.
func TestNoSharedData(t *testing.T) {
	h, words := host(t, "", Options{Configuration: enforce, VMs: 2, Clock: newClock().now, Faults: Faults{Shared: func(string, string) uint32 { return 12 }}})
	n := 0
	for range 40 {
		if ask(door(h), upgrade("192.0.2.1:1")).Code == 204 {
			n++
		}
	}
	if n != 10 || h.Metric("stormlint.shared.event=absent") != 2 || words.count("3 stormlint: this host has no shared data: each worker has limits of its own") != 2 {
		t.Errorf("%d in, %d said", n, h.Metric("stormlint.shared.event=absent"))
	}
}

// What another version wrote is replaced by full buckets, and counted.
func TestForeignSharedData(t *testing.T) {
	h, _ := host(t, "", Options{Configuration: enforce, VMs: 1, Clock: newClock().now})
	d := door(h)
	for range 9 {
		ask(d, upgrade("192.0.2.1:1"))
	}
	spoiled := 0
	for key := range h.shared.values {
		if strings.Contains(key, "/c/") {
			h.shared.set([]byte(key), []byte("another version's"), 0)
			spoiled++
		}
	}
	if spoiled != 1 {
		t.Fatalf("%d shards", spoiled)
	}
	if w := ask(d, upgrade("192.0.2.1:1")); w.Code != 204 || h.Metric("stormlint.shared.event=foreign") != 1 {
		t.Errorf("status %d, counted %d", w.Code, h.Metric("stormlint.shared.event=foreign"))
	}
}

// The wall clock may step: limits do not see it. The steady one may not; if it does all the same, time stands still until
// it has caught up, and after more than an hour buckets are begun anew.
func TestClockSteps(t *testing.T) {
	c := newClock()
	h, _ := host(t, "", Options{Configuration: enforce, VMs: 2, Clock: c.now})
	d := door(h)
	in := func() (n int) {
		for range 20 {
			if ask(d, upgrade("192.0.2.1:1")).Code == 204 {
				n++
			}
		}
		return n
	}
	if n := in(); n != 5 {
		t.Fatalf("%d in at once", n)
	}
	for _, step := range []time.Duration{time.Hour, -3 * time.Hour, 24 * time.Hour} {
		c.wall.Add(int64(step))
		if n := in(); n != 0 {
			t.Errorf("the wall clock steps by %v: %d in", step, n)
		}
	}
	for range 50 { // to and fro mints nothing
		c.steady.Add(-int64(10 * time.Second))
		if n := in(); n != 0 {
			t.Errorf("the steady clock went back: %d in", n)
		}
		c.steady.Add(int64(10 * time.Second))
		if n := in(); n != 0 {
			t.Errorf("and forth: %d in", n)
		}
	}
	c.steady.Add(int64(time.Second))
	if n := in(); n != 2 {
		t.Errorf("after a second: %d in", n)
	}
	c.steady.Add(-int64(2 * time.Hour))
	if n := in(); n != 5 || h.Metric("stormlint.shared.event=foreign") != 1 {
		t.Errorf("two hours back: %d in", n)
	}
}

// Headers that are missing, doubled, long, forged or no UTF-8.
func TestHeaders(t *testing.T) {
	long := strings.Repeat("a", 64<<10)
	for name, c := range map[string]struct {
		configuration string
		headers       [][]string // those of each handshake
		in            int        // of all
	}{
		"forged lists are believed from nobody, but twenty look like a proxy": {`{"mode":"enforce","key":"ip"}`, forged("203.0.113.%d"), 6},
		"a list through a declared proxy":                                     {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, forged("203.0.113.%d"), 20},
		"forged in front of the proxy's own entry":                            {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, forged("203.0.113.%d, 198.51.100.7"), 5},
		"the proxy has appended its peer already":                             {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, forged("203.0.113.9, 192.0.2.1"), 5},
		"a list of 64 KB":                       {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, [][]string{{"X-Forwarded-For", long + ", 203.0.113.1"}, {"X-Forwarded-For", strings.Repeat("1.1.1.1,", 8000) + "203.0.113.1"}}, 2},
		"a list that is no UTF-8 ends the walk": {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, forged("203.0.113.%d,\xff\xfe"), 5},
		"a list in several lines is one":        {`{"mode":"enforce","key":"ip","trusted_proxies":["192.0.2.0/24"]}`, repeat("X-Forwarded-For", "203.0.113.1", "X-Forwarded-For", "198.51.100.7"), 5},
		"a key of its own each":                 {`{"mode":"enforce","key":"header:x-client"}`, keys(), 20},
		"one key for all":                       {`{"mode":"enforce","key":"header:x-client"}`, repeat("X-Client", "one"), 5},
		"a key of 64 KB":                        {`{"mode":"enforce","key":"header:x-client"}`, repeat("X-Client", long), 5},
		"a key that is no UTF-8":                {`{"mode":"enforce","key":"header:x-client"}`, repeat("X-Client", "\xff\xfe\xfd"), 5},
		"a key that is missing: the address":    {`{"mode":"enforce","key":"header:x-client"}`, repeat(), 5},
		"a key that is empty: the address":      {`{"mode":"enforce","key":"header:x-client"}`, repeat("X-Client", ""), 5},
		"a doubled key counts as missing":       {`{"mode":"enforce","key":"header:x-client"}`, doubled(), 5},
		"a user agent of 64 KB":                 {`{"mode":"enforce","key":"ip"}`, repeat("User-Agent", long), 5},
		"health checks are exempt":              {`{"mode":"enforce","key":"ip","allow":["192.0.2.0/24"]}`, repeat(), 20},
		"no limit for each client":              {`{"mode":"enforce","key":"none","fleet_rate":7,"fleet_burst":7}`, repeat(), 7},
		"upgrade among others, in any case":     {`{"mode":"enforce","key":"ip"}`, repeat("Upgrade", "h2c, WebSocket"), 5},
	} {
		h, _ := host(t, "", Options{Configuration: c.configuration, VMs: 1, Clock: newClock().now})
		d, in := door(h), 0
		for _, headers := range c.headers {
			if ask(d, upgrade("192.0.2.1:1", headers...)).Code == 204 {
				in++
			}
		}
		if in != c.in || h.Metric("stormlint.faults") != 0 || h.Made() != 1 {
			t.Errorf("%s: %d of %d in, want %d", name, in, len(c.headers), c.in)
		}
	}
}

func repeat(header ...string) (list [][]string) {
	for range 20 {
		list = append(list, header)
	}
	return list
}

func forged(format string) (list [][]string) {
	for i := range 20 {
		text := format
		if strings.Contains(format, "%d") {
			text = fmt.Sprintf(format, i)
		}
		list = append(list, []string{"X-Forwarded-For", text})
	}
	return list
}

func keys() (list [][]string) {
	for i := range 20 {
		list = append(list, []string{"X-Client", fmt.Sprint("client", i)})
	}
	return list
}

func doubled() (list [][]string) {
	for i := range 20 {
		list = append(list, []string{"X-Client", fmt.Sprint("client", i), "X-Client", "other"})
	}
	return list
}

// Without an address only the fleet's limit is asked: a limit for "each client" would be one for all.
func TestNoAddress(t *testing.T) {
	h, _ := host(t, "", Options{Configuration: `{"mode":"enforce","key":"ip","fleet_rate":12,"fleet_burst":12}`, VMs: 1, Clock: newClock().now, Faults: Faults{NoAddress: true}})
	in := 0
	for range 20 {
		if ask(door(h), upgrade("192.0.2.1:1")).Code == 204 {
			in++
		}
	}
	if in != 12 || h.Metric("stormlint.nameless") != 20 {
		t.Errorf("%d in, %d nameless", in, h.Metric("stormlint.nameless"))
	}
}

// An address behind which many clients stand, and that nobody declared a proxy, is not taken for one client.
func TestUndeclaredProxy(t *testing.T) {
	h, words := host(t, "", Options{Configuration: enforce, VMs: 1, Clock: newClock().now})
	in := 0
	for i := range 100 {
		if ask(door(h), upgrade("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d, 192.0.2.1", i))).Code == 204 {
			in++
		}
	}
	if in < 80 || words.count("3 stormlint: 192.0.2.1 looks like a proxy that was not declared") != 1 || h.Metric("stormlint.suspended") < 80 {
		t.Errorf("%d in, said %d times", in, words.count("not declared"))
	}
}

// A panic in any callback is recovered: the request passes, the VM lives, a counter says so.
func TestPanics(t *testing.T) {
	h, words := host(t, "faults", Options{Configuration: enforce, VMs: 1, Clock: newClock().now})
	d := door(h)
	for _, place := range []string{"request", "response", "done", "tick"} {
		if w := ask(d, upgrade("192.0.2.9:1", "X-Stormlint-Fault", place)); w.Code != 204 {
			t.Errorf("a panic at %s: status %d", place, w.Code)
		}
	}
	h.Tick(t.Context())
	if h.Metric("stormlint.faults") != 4 || h.Made() != 1 || words.count("4 stormlint: a fault of the filter, the request passes: request headers: provoked at request") != 1 || words.count("4 stormlint: a fault") != 1 {
		t.Errorf("%d faults, %d VMs, %q", h.Metric("stormlint.faults"), h.Made(), words.lines)
	}
	n := 0
	for range 9 {
		if ask(d, upgrade("192.0.2.10:1")).Code == 204 {
			n++
		}
	}
	if n != 5 {
		t.Errorf("afterwards %d in", n)
	}
}

// A crash ends the VM: the request passes, and a new VM decides by the same limits.
func TestCrash(t *testing.T) {
	for _, place := range []string{"request", "response", "guest"} {
		var armed atomic.Bool
		h, _ := host(t, "faults", Options{Configuration: enforce, VMs: 1, Clock: newClock().now, Faults: Faults{Crash: func(at string) bool { return at == place && armed.Swap(false) }}})
		d := door(h)
		for range 3 {
			ask(d, upgrade("192.0.2.1:1"))
		}
		armed.Store(place != "guest")
		r := upgrade("192.0.2.99:1")
		if place == "guest" {
			r.Header.Set("X-Stormlint-Fault", "crash")
		}
		if w := ask(d, r); w.Code != 204 {
			t.Errorf("%s: status %d", place, w.Code)
		}
		in := 0
		for range 9 {
			if ask(d, upgrade("192.0.2.1:1")).Code == 204 {
				in++
			}
		}
		if in != 2 || h.Made() != 2 {
			t.Errorf("crash at %s: %d more in, %d VMs, %d passed", place, in, h.Made(), h.Passed())
		}
	}
}

// Headers that cannot be had let the request pass.
func TestHeadersFail(t *testing.T) {
	h, _ := host(t, "", Options{Configuration: enforce, VMs: 1, Clock: newClock().now, Faults: Faults{Headers: func() uint32 { return 10 }}})
	for range 9 {
		if w := ask(door(h), upgrade("192.0.2.1:1")); w.Code != 204 {
			t.Fatal(w.Code)
		}
	}
	if h.Metric("stormlint.host_failures") != 9 {
		t.Error("not counted")
	}
}
