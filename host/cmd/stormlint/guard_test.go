package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestGuardReplay(t *testing.T) {
	golden(t, "guard-sample", exitDone, "", "guard", "--sample")
	golden(t, "guard-fleet", exitDone, "", "guard", "--sample", "--rate", "1", "--fleet-rate", "20", "--top", "3")
	golden(t, "guard-json", exitDone, "", "guard", "--sample", "--key", "none", "--fleet-rate", "10", "--top", "2", "-o", "json")
	golden(t, "guard-stdin", exitDone, `{"timestamp":"2026-11-30T10:00:00Z","client_ip":"192.0.2.1","event_type":"retry"}`+"\n", "guard", "--replay", "-")
}

// Bad input is an error that names what, where and the allowed range; the exit code is 2.
func TestGuardBadInput(t *testing.T) {
	limits := filepath.Join(t.TempDir(), "limits.json")
	if err := os.WriteFile(limits, []byte(`{"rates":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := []string{"--listen", "127.0.0.1:0", "--to", "127.0.0.1:1"}
	for name, args := range map[string][]string{
		"nothing":        {},
		"both":           {"--sample", "--listen", ":0"},
		"no-backend":     {"--listen", ":0"},
		"backend":        append([]string{"--to", "ftp://x"}, serve[:2]...),
		"no-key":         append([]string{"--mode", "enforce"}, serve...),
		"mode":           append([]string{"--mode", "block"}, serve...),
		"key":            append([]string{"--key", "header:"}, serve...),
		"proxy":          append([]string{"--trusted-proxy", "10.0.0.0/99"}, serve...),
		"allow":          append([]string{"--allow", "localhost"}, serve...),
		"rate-zero":      append([]string{"--rate", "0"}, serve...),
		"rate-negative":  append([]string{"--rate=-1"}, serve...),
		"rate-nan":       append([]string{"--rate", "nan"}, serve...),
		"burst-zero":     append([]string{"--burst", "0"}, serve...),
		"fleet-infinite": append([]string{"--fleet-rate", "inf"}, serve...),
		"fleet-burst":    append([]string{"--fleet-burst", "3"}, serve...),
		"drain":          append([]string{"--drain=-1s"}, serve...),
		"instances":      append([]string{"--instances", "3"}, serve...),
		"redis":          append([]string{"--redis", "http://user:secret@x"}, serve...),
		"lease":          append([]string{"--redis", "redis://127.0.0.1:1", "--lease", "1h"}, serve...),
		"listen":         {"--listen", "everywhere", "--to", "127.0.0.1:1"},
		"hold":           {"--sample", "--hold=-1s"},
		"rate-and-burst": {"--sample", "--rate", "0", "--burst", "0"},
		"keys":           {"--sample", "--keys", "0"},
		"longest-wait":   {"--sample", "--longest-wait", "0s"},
		"top":            {"--sample", "--top", "0"},
		"fleet-too-many": append([]string{"--fleet-rate", "10", "--fleet-burst", "11"}, serve...),
		"lease-alone":    append([]string{"--lease", "1s"}, serve...),
		"instances-zero": append([]string{"--redis", "redis://127.0.0.1:1", "--instances", "0"}, serve...),
		"replay-to":      {"--sample", "--to", "127.0.0.1:1"},
		"replay-metrics": {"--sample", "--metrics", ":0"},
		"replay-redis":   {"--sample", "--redis", "redis://127.0.0.1:1"},
		"empty-key":      {"--sample", "--key", ""},
		"header-replay":  {"--sample", "--key", "header:X-Device"},
		"missing-log":    {"--replay", "no-such-file.log"},
		"missing-limits": append([]string{"--limits", "no-such-file.json"}, serve...),
		"limits":         append([]string{"--limits", limits}, serve...),
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(strings.NewReader(""), &stdout, &stderr, append([]string{"guard"}, args...))
			got := strings.ReplaceAll(stderr.String(), limits, "limits.json")
			if code != exitBad || stdout.Len() > 0 || strings.Contains(got, "secret") {
				t.Errorf("exit %d, %s%s", code, stdout.String(), got)
			}
			compare(t, "guard-bad-"+name+".stderr", []byte(got), "native")
		})
	}
}

// said collects what a running program prints.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

// wait gives the first match of a pattern's group in what was printed.
func (s *said) wait(t *testing.T, pattern string) string {
	t.Helper()
	for range 2000 {
		s.mu.Lock()
		m := regexp.MustCompile(pattern).FindSubmatch(s.b.Bytes())
		s.mu.Unlock()
		if m != nil {
			return string(m[len(m)-1])
		}
		<-time.After(5 * time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Fatalf("nothing like %s in\n%s", pattern, s.b.String())
	return ""
}

// TestGuardServes: the whole program before a backend: admits, refuses, shows metrics, takes new limits from its file,
// keeps the old ones when the file is wrong, and drains on SIGTERM.
func TestGuardServes(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.Read(r.Context())
		c.CloseNow()
	}))
	defer backend.Close()
	limits := filepath.Join(t.TempDir(), "limits.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(limits, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Duration(len(text)) * time.Minute) // so that the change shows at once
		os.Chtimes(limits, later, later)
	}
	write(`{"mode":"enforce","key":"direct","rate":0.001,"burst":2}`)
	var out said
	ended := make(chan int, 1)
	go func() {
		ended <- run(nil, io.Discard, &out, []string{"guard", "--listen", "127.0.0.1:0", "--to", backend.URL, "--metrics", "127.0.0.1:0", "--limits", limits, "--drain", "100ms"})
	}()
	metrics := "http://" + out.wait(t, `metrics on http://([^/]+)/metrics`)
	door := "ws://" + out.wait(t, `on (127\.0\.0\.1:\d+), mode`) + "/"
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	dial := func() (*websocket.Conn, int) {
		c, resp, err := websocket.Dial(ctx, door, nil)
		if err == nil {
			return c, 101
		}
		if resp == nil {
			t.Fatal(err)
		}
		return nil, resp.StatusCode
	}
	first, code := dial()
	if code != 101 {
		t.Fatalf("the first: %d", code)
	}
	defer first.CloseNow()
	dial()
	if _, code = dial(); code != http.StatusTooManyRequests {
		t.Errorf("the third: %d", code)
	}
	fetch := func(path string) (int, string) {
		resp, err := http.Get(metrics + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if _, text := fetch("/metrics"); !strings.Contains(text, `stormlint_guard_handshakes_total{limit="client",outcome="refused",scope="process",source="memory"} 1`) || !strings.Contains(text, "stormlint_guard_tunnels 2") {
		t.Error(text)
	}
	if code, _ := fetch("/readyz"); code != http.StatusOK {
		t.Errorf("readyz: %d", code)
	}
	write(`{"rate":-5}`)
	out.wait(t, `limits stay as they were: guard: .*limits.json: (rate is -5)`)
	if _, code = dial(); code != http.StatusTooManyRequests {
		t.Errorf("a wrong file changed the limits: %d", code)
	}
	write(`{"mode":"enforce","key":"direct","rate":1000,"burst":50}`)
	out.wait(t, `client_rate=(1000) `)
	<-time.After(5 * time.Millisecond) // a token grows
	if _, code = dial(); code != 101 {
		t.Errorf("with new limits: %d", code)
	}
	me, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	me.Signal(syscall.SIGTERM)
	if _, _, err := first.Read(ctx); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("drained with %v", err)
	}
	select {
	case code := <-ended:
		if code != exitDone {
			t.Errorf("exit %d\n%s", code, out.b.String())
		}
	case <-ctx.Done():
		t.Error("it does not end")
	}
}
