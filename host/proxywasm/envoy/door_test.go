//go:build envoy

package envoy

import (
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestAsWritten runs the configuration of the README as it is written.
func TestAsWritten(t *testing.T) {
	b := serve(t)
	p := configure(t, build(t, ""), b.port(), "").run(2)
	d := p.doors[0]

	t.Run("HTTP/1.1", func(t *testing.T) {
		var open []*websocket.Conn
		for i := range 8 {
			c, status, h := d.dial(t, "127.0.7.1", http.Header{"X-Forwarded-For": {"203.0.113." + strconv.Itoa(i)}}) // forged: nobody believes it
			switch {
			case status == 101:
				open = append(open, c)
				if !echoes(t, c) {
					t.Error("the tunnel does not carry")
				}
			case status == 429:
				after, _ := strconv.Atoi(h.Get("Retry-After"))
				ms, _ := strconv.Atoi(h.Get("Retry-After-Ms"))
				if after < 1 || after > 2 || ms < 1 || ms > 1500 || h.Get("Ratelimit-Policy") != `"client";q=5;w=3;scope=process` {
					t.Errorf("the refusal says %v", h)
				}
			default:
				t.Errorf("handshake %d: status %d", i, status)
			}
		}
		if len(open) < 5 || len(open) > 7 { // five at once, and what grows in the meantime
			t.Errorf("%d of 8 let in", len(open))
		}
		if got := p.metric(`stormlint_handshakes{outcome="admitted",limit="open"}`); got != len(open) {
			t.Errorf("counted %d admissions, saw %d", got, len(open))
		}
		if got := p.metric(`stormlint_handshakes{outcome="refused",limit="client"}`); got != 8-len(open) {
			t.Errorf("counted %d refusals, saw %d", got, 8-len(open))
		}
	})
	t.Run("HTTP/2", func(t *testing.T) {
		out, err := exec.Command("node", "testdata/h2.mjs", d.port, "8").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text := string(out)
		if n := strings.Count(text, `"status":200`); n < 5 || n > 7 || n != strings.Count(text, `"echo":true`) || strings.Count(text, `{"status":429,"retryAfter":"`) != 8-n {
			t.Errorf("eight handshakes by extended CONNECT:\n%s", text)
		}
	})
	t.Run("other requests", func(t *testing.T) {
		for range 20 {
			r, err := http.Get("http://" + d.address() + "/")
			if err != nil || r.StatusCode != 200 {
				t.Fatalf("%v %v", r, err)
			}
			r.Body.Close()
		}
	})
	t.Run("headers", func(t *testing.T) { hostile(t, d) })
}

// hostile sends headers that no client should; each is answered, and the filter stays.
func hostile(t *testing.T, d *door) {
	long := strings.Repeat("a", 50_000)
	for i, h := range []http.Header{
		{"User-Agent": {long}},
		{"X-Forwarded-For": {strings.Repeat("1.2.3.4, ", 5000)}},
		{"X-Forwarded-For": {"1.1.1.1", "2.2.2.2", "\xff\xfe", "", ","}},
		{"Upgrade": {"websocket"}, "X-Client": {"a", "b"}},
		{"X-Odd": {"\xff\xfe\xfd"}},
	} {
		if _, status, _ := d.dial(t, "127.0.7."+strconv.Itoa(20+i), h); status != 101 {
			t.Errorf("case %d: status %d", i, status)
		}
	}
}

// TestWorkersShare: four workers, each with a VM of its own, let exactly the burst in.
func TestWorkers(t *testing.T) {
	b := serve(t)
	p := configure(t, build(t, "faults"), b.port(),
		`{"mode": "enforce", "key": "header:x-client", "rate": 0.0001, "burst": 100, "share": "exact"}`,
		`{"mode": "enforce", "key": "ip", "rate": 0.001, "burst": 1, "share": "storm"}`,
	).run(4)
	t.Run("one limit", func(t *testing.T) { exact(t, p) })
	t.Run("a panic", func(t *testing.T) { panics(t, p) })
	t.Run("a storm", func(t *testing.T) { storm(t, p, b) })
	t.Run("a crash", func(t *testing.T) { crash(t, p) })
}

func exact(t *testing.T, p *proxy) {
	const dials = 600
	results := make(chan int, dials)
	var wait sync.WaitGroup
	for g := range 24 {
		wait.Go(func() {
			for i := g; i < dials; i += 24 {
				c, status, _ := p.doors[0].dial(t, "127.0.9."+strconv.Itoa(1+i%200), http.Header{"X-Client": {"one"}})
				if c != nil {
					c.CloseNow()
				}
				results <- status
			}
		})
	}
	wait.Wait()
	close(results)
	count := map[int]int{}
	for s := range results {
		count[s]++
	}
	if count[101] != 100 || count[429] != dials-100 {
		t.Errorf("of %d handshakes %v", dials, count)
	}
	workers := 0
	for i := range 4 {
		for l := range strings.Lines(p.get("/stats?filter=worker_" + strconv.Itoa(i) + ".downstream_cx_total")) {
			if !strings.HasSuffix(strings.TrimSpace(l), ": 0") {
				workers++
				break
			}
		}
	}
	if workers != 4 {
		t.Errorf("only %d workers were busy", workers)
	}
	t.Logf("%d dials over 4 workers: %d let in, %d compare-and-sets were beaten", dials, count[101], p.metric(`stormlint_shared{event="retry"}`))
}

// panics: a fault in any callback lets the request pass, and the open tunnels live.
func panics(t *testing.T, p *proxy) {
	d := p.doors[0]
	var open []*websocket.Conn
	for i := range 12 {
		c, status, _ := d.dial(t, "127.0.10.1", http.Header{"X-Client": {"tunnel" + strconv.Itoa(i)}})
		if status != 101 {
			t.Fatalf("status %d", status)
		}
		open = append(open, c)
	}
	for i := range 20 {
		place := []string{"request", "response", "tick", "done"}[i%4]
		c, status, _ := d.dial(t, "127.0.10.2", http.Header{"X-Stormlint-Fault": {place}, "X-Client": {"fault" + strconv.Itoa(i)}})
		if status != 101 {
			t.Errorf("a fault at %s: status %d", place, status)
			continue
		}
		if !echoes(t, c) {
			t.Errorf("after a fault at %s the tunnel does not carry", place)
		}
		c.CloseNow()
	}
	p.wait("faults are counted", 10*time.Second, func() bool { return p.metric("stormlint_faults{}") >= 16 })
	for i, c := range open {
		if !echoes(t, c) {
			t.Errorf("tunnel %d is gone", i)
		}
		c.CloseNow()
	}
	if n := p.said("a fault of the filter, the request passes: request headers: provoked at request"); n < 1 || n > 4 {
		t.Errorf("the fault is said %d times", n) // at most once a minute on each worker
	}
}

// crash: what cannot be recovered takes that worker's tunnels along, and Envoy makes a new VM.
func crash(t *testing.T, p *proxy) {
	d := p.doors[0]
	_, status, _ := d.dial(t, "127.0.10.3", http.Header{"X-Stormlint-Fault": {"crash"}, "X-Client": {"crash"}})
	if status != 503 {
		t.Errorf("a crash: status %d", status)
	}
	p.wait("a new VM works", 20*time.Second, func() bool {
		for i := range 12 { // whichever worker takes them
			_, status, _ := d.dial(t, "127.0.10.4", http.Header{"X-Client": {"after" + strconv.Itoa(i)}})
			if status != 101 {
				return false
			}
		}
		return true
	})
	if n := p.metric("envoy_wasm_stormlint_vm_reload_success{}"); n < 1 {
		t.Logf("reloads: %d", n)
	}
}

// wrong are configurations that stop Envoy from starting, or change nothing in one that runs, and what is said of them.
var wrong = []struct{ configuration, want string }{
	{`{"mode": "enforce", "key": "ip", "rate": 2, "burst": 0}`, `burst is 0, expected at least 1: a burst of 0 admits nobody`},
	{`{"mode": null, "key": "ip"}`, `mode is null, expected a value; leave the key out for the default`},
	{`{"mode": "shadow", "rate": null}`, `rate is null, expected a value; leave the key out for the default`},
	{`{"mode": "shadow", "trusted_proxies": ["10.0.0.1/8"]}`, `trusted_proxies is "10.0.0.1/8", expected the network 10.0.0.0/8 or the address 10.0.0.1`},
	{`{"mode": "shadow", "fleet_rate": 5, "fleet_burst": 50}`, `fleet_burst is 50, expected from 1 to 5, the rate`},
	{`{"mode": "enforce"}`, `key is not set, expected ip, direct, header:NAME or none before the filter may refuse anybody`},
	{`{"mode": "shadow", "rate": 2, "rat": 3}`, `unknown key: rat, expected one of mode, key, `},
}

const isWrong = "stormlint: bad configuration: filter: "

// TestBadConfiguration: what is wrong is said before Envoy runs, with the field, its value and what was expected. Each run
// compiles the filter, so two are enough here; TestReload has them all.
func TestBadConfiguration(t *testing.T) {
	wasm := build(t, "")
	for _, c := range wrong[:2] {
		p := configure(t, wasm, "9", c.configuration)
		out, err := exec.Command(*binary, "--mode", "validate", "-c", p.file).CombinedOutput()
		if err == nil || !strings.Contains(string(out), isWrong+c.want) {
			t.Errorf("%s: %v\n%s", c.configuration, err, out[max(0, len(out)-600):])
		}
	}
}

// TestDocument: the README shows the configuration that is tested here.
func TestDocument(t *testing.T) {
	yaml, err := os.ReadFile("../../../wasm/filter/envoy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../../wasm/filter/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```yaml\n"+string(yaml)+"```\n") {
		t.Error("the README's configuration is not wasm/filter/envoy.yaml")
	}
}
