package redisstore

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// server is a real redis-server on a port of its own, without files.
type server struct {
	t    testing.TB
	port string
	cmd  *exec.Cmd
}

func startServer(t testing.TB) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no redis-server: ./build.sh test installs it")
		}
		t.Skip("this test needs a real redis-server on the PATH (Debian: apt install redis-server)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, port: strconv.Itoa(l.Addr().(*net.TCPAddr).Port)}
	l.Close()
	t.Cleanup(func() { s.kill() })
	s.start()
	return s
}

func (s *server) url() string { return "redis://127.0.0.1:" + s.port + "/0" }

func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", "--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", os.TempDir())
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + s.port})
	defer c.Close()
	for range 500 {
		if c.Ping(s.t.Context()).Err() == nil {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	s.t.Fatal("redis-server does not answer")
}

func (s *server) kill() {
	if s.cmd != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.cmd = nil
	}
}

func (s *server) signal(sig syscall.Signal) { s.cmd.Process.Signal(sig) }
