package gateway

import (
	"context"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// asking is a handshake with nothing said yet.
const asking = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// arrive makes a connection whose client has said something before the poller takes it in, and takes little at a time.
func arrive(t *testing.T, said string) (client *net.TCPConn, fd int, from syscall.Sockaddr) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	small := func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10) })
	}
	c, err := (&net.Dialer{Control: small}).Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	client = c.(*net.TCPConn)
	if _, err := io.WriteString(client, said); err != nil {
		t.Fatal(err)
	}
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(listener uintptr) {
		fd, from, err = syscall.Accept4(int(listener), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, fd, from
}

// What a client says together with its request is answered before the poller watches the socket; the part of the answers that the
// socket does not take then comes as soon as there is room.
func TestAnswersBeforeWatched(t *testing.T) {
	g, err := Listen("127.0.0.1:0", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	p, ok := g.doorman.(*poller)
	if !ok {
		t.Fatalf("the doorman is %T", g.doorman)
	}
	var said strings.Builder
	said.WriteString(asking)
	text := []byte(strings.Repeat("x", 40<<10)) // all of it is read before it is answered, so that nothing but room is to be told
	wsutil.WriteClientText(&said, text)
	client, fd, from := arrive(t, said.String())
	syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 4<<10)
	p.buffer = make([]byte, len(asking)) // the first reading takes the request alone
	p.take(fd, from)
	p.mu.Lock()
	w := p.wires[int32(fd)]
	p.mu.Unlock()
	w.descriptor.Lock()
	left := len(w.out)
	w.descriptor.Unlock()
	if left == 0 {
		t.Fatal("the socket took all: nothing is tested")
	}
	client.SetReadDeadline(time.Now().Add(10 * time.Second))
	answer := make([]byte, 1<<10)
	n := 0
	for !strings.Contains(string(answer[:n]), "\r\n\r\n") {
		if _, err := client.Read(answer[n : n+1]); err != nil {
			t.Fatal(err)
		}
		n++
	}
	if f, err := ws.ReadFrame(client); err != nil || string(f.Payload) != "ACK: "+string(text) {
		t.Fatalf("%d bytes of the answer: %v", len(f.Payload), err)
	}
}

// A socket that cannot be watched gives its place in the queue back, also when its turn comes in the same moment.
func TestUnwatchedLeaves(t *testing.T) {
	g, err := Listen("127.0.0.1:0", Options{Capacity: 1, Backlog: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	p, ok := g.doorman.(*poller)
	if !ok {
		t.Fatalf("the doorman is %T", g.doorman)
	}
	for range 3 {
		// Its poller has no epoll, but the same clock.
		blind := &poller{server: g, epoll: -1, clock: p.clock, buffer: make([]byte, 1<<10), wires: map[int32]*wire{}}
		_, fd, from := arrive(t, asking)
		blind.take(fd, from)
	}
	if s := g.Stats(); s.Waiting != 0 || s.Broken != 3 || g.sockets != 0 {
		t.Errorf("%d wait, %d are broken, %d sockets", s.Waiting, s.Broken, g.sockets)
	}
}
