//go:build servers

// The real servers: go test -tags servers -run Servers ./core/connlog/format
//
// nginx, HAProxy and Mosquitto must be on the PATH (on Debian: apt install nginx-light haproxy mosquitto). They are started on
// free ports of the loopback, driven by a probe whose actions and times are known, and their fresh logs must tell the same.

package format_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// act is one thing that the probe did.
type act struct {
	path   string
	sent   time.Time
	status int
	ended  time.Time // zero for a refusal
}

// backend answers 101 on /ws, 429 on /full.
func backend(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				if req.URL.Path == "/full" {
					io.WriteString(c, "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
					return
				}
				io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
				io.Copy(io.Discard, c)
			}()
		}
	}()
	return l.Addr().String()
}

// probe opens a socket through addr, holds it and closes it.
func probe(t *testing.T, addr, path string, hold time.Duration) act {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a := act{path: path, sent: time.Now()}
	fmt.Fprintf(c, "GET %s?token=SECRET-PLANTED-1 HTTP/1.1\r\nHost: ws.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nUser-Agent: wsprobe/1.2.3\r\n\r\n", path)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	a.status = res.StatusCode
	if a.status == 101 {
		time.Sleep(hold)
		c.Close()
		a.ended = time.Now()
	}
	return a
}

func port(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends and waits until it listens.
func start(t *testing.T, out io.Writer, addr, name string, args ...string) (stop func()) {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not on the PATH: %v", name, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
		}
	}
	t.Cleanup(stop)
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return stop
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s does not listen on %s", name, addr)
	return nil
}

// check compares what a log tells with what the probe did; slack is the stamp's resolution and the machine's.
func check(t *testing.T, text string, want string, acts []act, slack time.Duration, told int) {
	t.Helper()
	c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	p, err := connlog.Sniff(c, []byte(text), connlog.Options{Paths: []string{"/full"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Formats[0].Name != want {
		t.Fatalf("read as %v, want %s\n%s", p.Formats, want, text)
	}
	r, err := connlog.NewReader(p, c, 0)
	if err != nil {
		t.Fatal(err)
	}
	var attempts, closes []connlog.Event
	var agents, paths []string // of all events; of the attempts
	var b connlog.Batch
	r.Feed([]byte(text), true)
	for r.Next(&b) {
		for i := range b.Events {
			e := b.Events[i]
			agents = append(agents, string(b.Text(e.UserAgent)))
			if e.Kind == connlog.Close {
				closes = append(closes, e)
			} else {
				attempts, paths = append(attempts, e), append(paths, string(b.Text(e.Path)))
			}
		}
	}
	near := func(ns int64, at time.Time) bool {
		d := time.Duration(ns - at.UnixNano())
		return d > -slack-150*time.Millisecond && d < 150*time.Millisecond+slack
	}
	if len(attempts) != told || len(closes) < 2 {
		t.Fatalf("%s: %d attempts and %d closes, want %d and 2\n%s", want, len(attempts), len(closes), told, text)
	}
	opened := 0
	for i, a := range acts {
		if a.status == 101 {
			opened++
			if !near(closes[opened-1].Time, a.ended) {
				t.Errorf("%s, act %d: closed at %v, read %v", want, i, a.ended, time.Unix(0, closes[opened-1].Time))
			}
		}
		if len(attempts) == len(acts) {
			nth := slices.Index(paths, a.path) // lines are not in the order of starts, but those of one path are
			if nth < 0 {
				t.Fatalf("%s, act %d: no attempt at %s", want, i, a.path)
			}
			e := attempts[nth]
			paths[nth] = ""
			if !near(e.Time, a.sent) || (e.Outcome == connlog.OK) != (a.status == 101) || int(e.Status) != a.status {
				t.Errorf("%s, act %d: %+v, read %v %v %d", want, i, a, time.Unix(0, e.Time), e.Outcome, e.Status)
			}
		}
	}
	if len(closes) != opened {
		t.Errorf("%s: %d closes, want %d", want, len(closes), opened)
	}
	if strings.Contains(strings.Join(agents, " "), "SECRET") {
		t.Error("the token came out")
	}
}

func TestServers(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o755)
	back, front, hap, dead := backend(t), port(t), port(t), port(t)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	conf := write("nginx.conf", user+`
daemon off; pid `+dir+`/nginx.pid; error_log `+dir+`/error.log; worker_processes 1;
events { worker_connections 64; }
http {
	client_body_temp_path `+dir+`; proxy_temp_path `+dir+`; fastcgi_temp_path `+dir+`; uwsgi_temp_path `+dir+`; scgi_temp_path `+dir+`;
	log_format sockets '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for" rt=$request_time urt=$upstream_response_time';
	log_format sockets_json escape=json '{"msec":$msec,"remote_addr":"$remote_addr","request":"$request","status":$status,"request_time":$request_time,"http_upgrade":"$http_upgrade","http_user_agent":"$http_user_agent","upstream_status":"$upstream_status"}';
	access_log `+dir+`/combined.log combined; access_log `+dir+`/timed.log sockets; access_log `+dir+`/json.log sockets_json;
	server {
		listen `+front+`;
		location / { proxy_pass http://`+back+`; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
		location /dead/ws { proxy_pass http://`+dead+`; }
	}
}`)
	var quiet bytes.Buffer
	stop := start(t, &quiet, front, "nginx", "-p", dir, "-c", conf)
	acts := []act{probe(t, front, "/ws", 120*time.Millisecond), probe(t, front, "/full", 0), probe(t, front, "/dead/ws", 0), probe(t, front, "/ws", 1300*time.Millisecond)}
	time.Sleep(200 * time.Millisecond)
	stop()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	check(t, read("combined.log"), "nginx", acts, time.Second, 2) // without a duration only the failures
	check(t, read("timed.log"), "nginx", acts, time.Second, 4)
	check(t, read("json.log"), "nginx-json", acts, 2*time.Millisecond, 4)

	conf = write("haproxy.cfg", `
global
	log stdout format raw local0
defaults
	mode http
	log global
	option httplog
	timeout connect 1s
	timeout client 5s
	timeout server 5s
	timeout tunnel 5s
frontend fe
	bind `+hap+`
	http-request capture req.hdr(User-Agent) len 128
	http-request capture req.hdr(X-Forwarded-For) len 64
	use_backend gone if { path /dead/ws }
	default_backend be
backend be
	server s1 `+back+`
backend gone
	retries 0
	server s1 `+dead+`
`)
	var out bytes.Buffer
	stop = start(t, &out, hap, "haproxy", "-db", "-f", conf)
	acts = []act{probe(t, hap, "/ws", 120*time.Millisecond), probe(t, hap, "/full", 0), probe(t, hap, "/dead/ws", 0), probe(t, hap, "/ws", 1300*time.Millisecond)}
	time.Sleep(200 * time.Millisecond)
	stop()
	var lines []string
	for _, l := range strings.Split(out.String(), "\n") {
		if strings.Contains(l, `"GET `) {
			lines = append(lines, l)
		}
	}
	check(t, strings.Join(lines, "\n")+"\n", "haproxy", acts, 2*time.Millisecond, 4)
}

func TestServersMosquitto(t *testing.T) {
	dir, addr := t.TempDir(), port(t)
	os.Chmod(dir, 0o755)
	_, number, _ := net.SplitHostPort(addr)
	conf := filepath.Join(dir, "mosquitto.conf")
	user := ""
	if os.Getuid() == 0 {
		user = "user root\n"
	}
	if err := os.WriteFile(conf, []byte(user+"listener "+number+" 127.0.0.1\nallow_anonymous true\nlog_type all\nlog_dest stdout\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	stop := start(t, &out, addr, "mosquitto", "-c", conf)
	connect := func(id string) net.Conn {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Write(append([]byte{0x10, byte(12 + len(id)), 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, byte(len(id))}, id...))
		answer := make([]byte, 4)
		if _, err := io.ReadFull(c, answer); err != nil || answer[3] != 0 {
			t.Fatal(answer, err)
		}
		return c
	}
	a := connect("dev-1")
	time.Sleep(100 * time.Millisecond)
	a.Write([]byte{0xe0, 0}) // DISCONNECT
	a.Close()
	b := connect("dev-2")
	c := connect("dev-2") // pushes b out
	time.Sleep(100 * time.Millisecond)
	b.Close()
	c.Close()
	time.Sleep(200 * time.Millisecond)
	stop()
	f := configure(t, "mosquitto", lines(out.Bytes()), entry{})
	var got []string
	var batch connlog.Batch
	for _, rec := range lines(out.Bytes()) {
		batch.Reset(rec)
		f.Read(&batch, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
		for i := range batch.Events {
			e := &batch.Events[i]
			if d := time.Since(time.Unix(0, e.Time)); len(batch.Text(e.Conn)) == 0 && e.Client.Len == 0 || d < 0 || d > 20*time.Second {
				continue // the probe's look whether it listens
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%v %s %s %s", e.Kind, batch.Text(e.Conn), batch.Text(e.Client), e.ClosedBy)))
		}
	}
	want := "attempt dev-1 127.0.0.1|close dev-1  client|attempt dev-2 127.0.0.1|close dev-2  takeover|attempt dev-2 127.0.0.1|close dev-2  client"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s\n%s", s, want, out.String())
	}
}
