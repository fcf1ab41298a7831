//go:build envoy

package envoy

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// dynamic takes the listener out of a proxy's configuration into a file that Envoy watches, and gives what writes it anew.
func (p *proxy) dynamic(configuration string) (update func(configuration string)) {
	p.t.Helper()
	text, err := os.ReadFile(p.file)
	if err != nil {
		p.t.Fatal(err)
	}
	yaml := string(text)
	from, to := strings.Index(yaml, "  listeners:\n"), strings.Index(yaml, "  clusters:\n")
	listener := "resources:\n" + replace(p.t, yaml[from+len("  listeners:\n"):to], "  - name: door0\n", "  - \"@type\": type.googleapis.com/envoy.config.listener.v3.Listener\n    name: door0\n")
	watched := filepath.Join(filepath.Dir(p.file), "listeners.yaml")
	yaml = "node: { id: test, cluster: test }\ndynamic_resources:\n  lds_config: { resource_api_version: V3, path_config_source: { path: " + watched + " } }\n" + yaml[:from] + yaml[to:]
	if err := os.WriteFile(p.file, []byte(yaml), 0o600); err != nil {
		p.t.Fatal(err)
	}
	update = func(now string) {
		p.t.Helper()
		if err := os.WriteFile(watched+".new", []byte(replace(p.t, listener, configuration, now)), 0o600); err != nil {
			p.t.Fatal(err)
		}
		if err := os.Rename(watched+".new", watched); err != nil { // Envoy looks when a file is moved there
			p.t.Fatal(err)
		}
	}
	update(configuration)
	return update
}

// stat is one of Envoy's own counters or gauges.
func (p *proxy) stat(name string) int {
	for l := range strings.Lines(p.get("/stats?filter=" + name)) {
		if rest, ok := strings.CutPrefix(l, name+": "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return 0
}

// TestReload: a running Envoy gets another configuration of the filter; open tunnels live, the new limit holds at once, and
// what a client has used of the old one is not forgotten. A configuration that the filter refuses changes nothing.
func TestReload(t *testing.T) {
	b := serve(t)
	const first = `{"mode": "enforce", "key": "header:x-client", "rate": 0.0001, "burst": 5, "share": "reload"}`
	p := configure(t, build(t, ""), b.port(), first)
	update := p.dynamic(first)
	p.run(2)
	d := p.doors[0]
	p.wait("the listener is there", 10*time.Second, func() bool { return p.stat("listener_manager.total_listeners_active") == 1 })
	var open []*websocket.Conn
	in := func(client string, asked int) (n int) {
		for range asked {
			c, status, _ := d.dial(t, "127.0.12.1", http.Header{"X-Client": {client}})
			if status == 101 {
				open = append(open, c)
				n++
			}
		}
		return n
	}
	tunnels := func(when string) {
		for i, c := range open {
			if !echoes(t, c) {
				t.Errorf("%s tunnel %d of %d is gone", when, i, len(open))
			}
		}
	}
	if n := in("one", 7); n != 5 {
		t.Errorf("a burst of 5: %d in", n)
	}
	update(strings.Replace(first, `"burst": 5`, `"burst": 8`, 1))
	p.wait("Envoy has taken the listener over", 20*time.Second, func() bool { return p.stat("listener_manager.listener_in_place_updated") == 1 })
	tunnels("after the update")
	if n := in("one", 7); n != 3 {
		t.Errorf("a burst of 8 after 5 were used: %d in", n)
	}
	if n := in("two", 10); n != 8 {
		t.Errorf("a burst of 8: %d in", n)
	}
	for i, c := range wrong {
		update(c.configuration)
		p.wait("Envoy has refused the listener", 20*time.Second, func() bool { return p.stat("listener_manager.lds.update_rejected") > i })
		if p.said(isWrong+c.want) < 1 {
			t.Errorf("%s: nobody says that %s", c.configuration, c.want)
		}
	}
	tunnels("after refused updates")
	if n := in("three", 10); n != 8 {
		t.Errorf("after refused updates: %d in", n)
	}
	if n := p.metric("stormlint_faults{}"); n != 0 {
		t.Errorf("%d faults", n)
	}
}
