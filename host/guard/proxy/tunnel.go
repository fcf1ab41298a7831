package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// tunnel is a client's connection after the upgrade. It follows the frames that the backend sends, only as far as their
// lengths, so that a close frame can be put between two of them.
type tunnel struct {
	net.Conn
	p      *Proxy
	mu     sync.Mutex
	header [14]byte // of the frame under way
	have   int      // bytes of it
	left   uint64   // bytes of its payload that are still to come
	closed bool     // a close frame has passed, or was put in: nothing may follow
	ending []byte   // the close frame to put in at the next boundary
}

var errEnded = errors.New("tunnel ended by the proxy")

// bufferSize is what each direction of a tunnel holds while it waits.
const bufferSize = 4096

// Hijack implements http.Hijacker for httputil.ReverseProxy.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.taken = true
	t := &tunnel{Conn: conn, p: w.p}
	w.p.mu.Lock()
	w.p.tunnels[t] = struct{}{}
	w.p.mu.Unlock()
	return t, rw, nil // the response's head goes through rw, past the tunnel
}

// Close ends the tunnel.
func (t *tunnel) Close() error {
	t.p.mu.Lock()
	delete(t.p.tunnels, t)
	t.p.mu.Unlock()
	return t.Conn.Close()
}

// Write sends the backend's bytes to the client; at a boundary a due close frame goes first, and nothing after it.
func (t *tunnel) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending == nil {
		t.follow(b, false)
		return t.Conn.Write(b)
	}
	n := t.follow(b, true)
	if n > 0 {
		if _, err := t.Conn.Write(b[:n]); err != nil {
			return 0, err
		}
	}
	if t.boundary() {
		t.end()
		return n, errEnded
	}
	return n, nil
}

func (t *tunnel) boundary() bool { return t.have == 0 && t.left == 0 }

// follow reads over bytes and returns how many: all, or up to the next boundary.
func (t *tunnel) follow(b []byte, stop bool) int {
	i := 0
	for i < len(b) {
		if stop && t.boundary() {
			return i
		}
		if t.left > 0 {
			n := min(t.left, uint64(len(b)-i))
			t.left -= n
			i += int(n)
			continue
		}
		t.header[t.have] = b[i]
		t.have++
		i++
		if need := t.need(); t.have == need {
			t.left = t.length()
			t.closed = t.closed || t.header[0]&15 == 8
			t.have = 0
		}
	}
	return i
}

// need is the length of the header under way, as far as it is known (RFC 6455, 5.2).
func (t *tunnel) need() int {
	if t.have < 2 {
		return 2
	}
	n := 2
	switch t.header[1] & 127 {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if t.header[1]&128 != 0 {
		n += 4
	}
	return n
}

func (t *tunnel) length() uint64 {
	v := uint64(t.header[1] & 127)
	size := 0
	switch v {
	case 126:
		size, v = 2, 0
	case 127:
		size, v = 8, 0
	}
	for _, c := range t.header[2 : 2+size] {
		v = v<<8 | uint64(c)
	}
	return v
}

// finish ends the tunnel with a close frame as soon as a frame of the backend ends, and cuts it after linger, also when
// a client that does not read keeps a write from ending.
func (t *tunnel) finish(frame []byte, linger time.Duration) {
	time.AfterFunc(linger, func() { t.Close() })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ending = frame
	if t.boundary() {
		t.end()
	}
}

// end writes the close frame once. The caller holds the lock.
func (t *tunnel) end() {
	if t.closed {
		return
	}
	t.closed = true
	t.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	t.Conn.Write(t.ending)
}

// ReadFrom makes io.Copy use a small buffer: an idle tunnel holds it for its life.
func (t *tunnel) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{t}, struct{ io.Reader }{r}, make([]byte, bufferSize))
}

// WriteTo is ReadFrom for the other direction.
func (t *tunnel) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{t.Conn}, make([]byte, bufferSize))
}

// closeFrame is a server's close frame, unmasked.
func closeFrame(code uint16, reason string) []byte {
	f := []byte{0x88, byte(2 + len(reason)), byte(code >> 8), byte(code)}
	return append(f, reason...)
}
