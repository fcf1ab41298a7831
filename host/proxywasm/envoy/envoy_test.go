//go:build envoy

package envoy

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/wasm/module/moduletest"
)

var (
	binary = flag.String("envoy", "", "path of Envoy's binary")
	linter = flag.String("stormlint", "../../../bin/stormlint", "path of the command line")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" {
		fmt.Fprintln(os.Stderr, "-envoy is not set: run ./build.sh envoy")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// build gives the path of the filter's build.
func build(t testing.TB, tags string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "filter.wasm")
	if err := os.WriteFile(out, moduletest.Filter(t, tags), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// door is one listener of an Envoy.
type door struct {
	port, configuration string
	log                 string // the access log
}

func (d *door) address() string { return "127.0.0.1:" + d.port }

// proxy is an Envoy that runs for a test.
type proxy struct {
	t     testing.TB
	admin string
	log   string // Envoy's own
	file  string // its configuration
	doors []*door
	pid   int
}

func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// configure writes the README's configuration with a listener for each of the filter's configurations; "" leaves the one
// that is written there. A text that is indented as the filter is stands in its place; a line of blanks is no filter.
func configure(t testing.TB, wasm, backend string, configurations ...string) *proxy {
	t.Helper()
	text, err := os.ReadFile("../../../wasm/filter/envoy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &proxy{t: t, admin: free(t), log: filepath.Join(dir, "envoy.log"), file: filepath.Join(dir, "envoy.yaml")}
	yaml := replace(t, string(text), "port_value: 9901", "port_value: "+p.admin)
	yaml = replace(t, yaml, "address: 127.0.0.1, port_value: 8080", "address: 127.0.0.1, port_value: "+backend)
	yaml = replace(t, yaml, "/etc/envoy/stormlint-filter.wasm", wasm)
	from, to := strings.Index(yaml, "  - name: door\n"), strings.Index(yaml, "  clusters:\n")
	listener := yaml[from:to]
	var listeners strings.Builder
	for i, c := range configurations {
		d := &door{port: free(t), configuration: c, log: filepath.Join(dir, "access"+strconv.Itoa(i)+".log")}
		one := replace(t, listener, "- name: door\n", "- name: door"+strconv.Itoa(i)+"\n")
		one = replace(t, one, "port_value: 10000", "port_value: "+d.port)
		one = replace(t, one, "/var/log/envoy/access.log", d.log)
		switch {
		case strings.HasPrefix(c, "      "):
			from, to := strings.Index(one, "          - name: stormlint\n"), strings.Index(one, "          - name: envoy.filters.http.router\n")
			one = one[:from] + strings.TrimLeft(c, "\n") + one[to:]
		case c != "":
			one = regexp.MustCompile(`\{"mode": .*\}`).ReplaceAllLiteralString(one, c)
		}
		listeners.WriteString(one)
		p.doors = append(p.doors, d)
	}
	if err := os.WriteFile(p.file, []byte(yaml[:from]+listeners.String()+yaml[to:]), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func replace(t testing.TB, text, old, new string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q stands %d times in the configuration", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

// run starts Envoy and waits until it is ready; the test's end stops it.
func (p *proxy) run(workers int) *proxy {
	p.t.Helper()
	c := exec.Command(*binary, "-c", p.file, "--concurrency", strconv.Itoa(workers), "--disable-hot-restart", "--file-flush-interval-msec", "50", "--log-path", p.log)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.pid = c.Process.Pid
	done := make(chan struct{})
	go func() { c.Wait(); close(done) }()
	p.t.Cleanup(func() {
		c.Process.Kill()
		<-done
		if p.t.Failed() {
			text, _ := os.ReadFile(p.log)
			p.t.Logf("the end of Envoy's log:\n%s", text[max(0, len(text)-6000):])
		}
	})
	p.wait("Envoy is ready", time.Minute, func() bool {
		select {
		case <-done:
			text, _ := os.ReadFile(p.log)
			p.t.Fatalf("Envoy ended:\n%s", text)
		default:
		}
		return strings.Contains(p.get("/ready"), "LIVE")
	})
	return p
}

// wait asks again until it is so.
func (p *proxy) wait(what string, most time.Duration, so func() bool) {
	p.t.Helper()
	for end := time.Now().Add(most); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s: not so after %v", what, most)
		}
	}
}

func (p *proxy) get(path string) string {
	r, err := http.Get("http://127.0.0.1:" + p.admin + path)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

// metric is a line of /stats/prometheus; 0 if there is none.
func (p *proxy) metric(line string) int {
	for l := range strings.Lines(p.get("/stats/prometheus")) {
		if rest, ok := strings.CutPrefix(l, line+" "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return 0
}

// said counts the lines of Envoy's log that hold a text.
func (p *proxy) said(text string) int {
	b, _ := os.ReadFile(p.log)
	return bytes.Count(b, []byte(text))
}
