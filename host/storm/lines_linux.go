package storm

import (
	"context"
	"io"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gobwas/ws"
)

// polled are lines that one goroutine watches with epoll: no goroutine, no buffer and no timer for a connection, and a handshake of
// seven calls of the kernel. They reach ws:// at an IPv4 address.
//
// A line is begun on the clock's goroutine and from then on, when mu is unlocked, belongs to the poller's, until it has told the
// client of its end.
type polled struct {
	pool    *pool
	epoll   int
	target  syscall.SockaddrInet4
	source  syscall.SockaddrInet4 // the clock's
	request *request              // the clock's
	late    *request              // the poller's, where the connection took its time
	buffer  []byte                // the poller's
	done    chan struct{}

	mu    sync.Mutex
	queue []waiting // attempts in the order of their beginnings, hence of their deadlines
	head  int       // of the queue: what stands before it is over
	ended bool
}

// waiting is an attempt that may still be without an answer.
type waiting struct {
	client *client
	serial uint32
	begun  time.Time
}

// link is one client's line.
type link struct {
	fd     int32
	serial uint32 // of the attempt
	state  linkState
	key    [keyLength]byte
	read   frames // and of a handshake what has come so far
}

type linkState uint8

const (
	closed     linkState = iota
	connecting           // the request has not been written
	asking               // the answer has not been read
	talking
)

// pollStep is how late a timeout or an end may be noticed.
const pollStep = 10 * time.Millisecond

func newLines(p *pool) lines {
	d := p.dialer
	if p.options.dialed || d.target.Scheme != "ws" || !d.known.Addr().Is4() {
		return dialed{p}
	}
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return dialed{p} // no descriptor: that way says so at every attempt
	}
	l := &polled{pool: p, epoll: epoll, request: newRequest(d.target), late: newRequest(d.target), buffer: make([]byte, 16<<10), done: make(chan struct{})}
	l.target = address(d.known)
	go l.run()
	return l
}

func address(a netip.AddrPort) syscall.SockaddrInet4 {
	return syscall.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
}

func (l *polled) begin(c *client) {
	k := &c.link
	l.mu.Lock()
	k.serial++
	l.mu.Unlock()
	k.read = frames{}
	var text []byte
	text, k.key = l.request.draw(l.pool.options.Seed, uint64(c.number), uint64(k.serial))
	err := l.connect(c, text)
	if err == nil {
		if err = l.watch(c); err != nil {
			l.abort(k)
		}
	}
	if err != nil {
		c.refused(time.Now(), err)
	}
}

// watch hands the line to the poller.
func (l *polled) watch(c *client) error {
	k := &c.link
	events := syscall.EPOLLIN | syscall.EPOLLRDHUP | edge
	if k.state == connecting {
		events |= syscall.EPOLLOUT
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, int(k.fd), &syscall.EpollEvent{Events: uint32(events), Fd: int32(c.number - l.pool.options.First)})
	if err == nil {
		l.queue = append(l.queue, waiting{c, k.serial, c.begun})
	}
	return os.NewSyscallError("epoll_ctl", err)
}

// edge is EPOLLET, which package syscall has as a negative number.
const edge = 1 << 31

// connect begins the connection and, where the kernel has made it at once, as inside a machine, writes the request.
func (l *polled) connect(c *client, text []byte) error {
	k := &c.link
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	k.fd = int32(fd)
	if l.pool.dialer.local {
		l.source.Addr = source(c.number).As4()
		if err := syscall.Bind(fd, &l.source); err != nil {
			l.abort(k)
			return os.NewSyscallError("bind", err)
		}
	}
	if err := syscall.Connect(fd, &l.target); err != nil && err != syscall.EINPROGRESS {
		l.abort(k)
		return os.NewSyscallError("connect", err)
	}
	k.state = connecting
	return l.ask(k, text)
}

// ask writes the request if the connection is there.
func (l *polled) ask(k *link, text []byte) error {
	n, err := syscall.Write(int(k.fd), text)
	switch {
	case err == syscall.EAGAIN || err == syscall.ENOTCONN || err == syscall.EINTR:
		return nil
	case err == nil && n < len(text):
		err = io.ErrShortWrite // of some two hundred bytes, to an empty socket
	}
	if err != nil {
		l.abort(k)
		return os.NewSyscallError("write", err)
	}
	k.state = asking
	return nil
}

// abort closes a line that gave no session: nothing of it lingers.
func (l *polled) abort(k *link) {
	syscall.SetsockoptLinger(int(k.fd), syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
	syscall.Close(int(k.fd))
	k.state = closed
}

// run is the poller.
func (l *polled) run() {
	defer close(l.done)
	events := make([]syscall.EpollEvent, 256)
	for !l.overdue(time.Now()) {
		n, err := syscall.EpollWait(l.epoll, events, int(pollStep/time.Millisecond))
		if err != nil {
			continue // interrupted
		}
		l.mu.Lock() // what begin has written is seen from here on
		l.mu.Unlock()
		for _, e := range events[:n] {
			if c := &l.pool.clients[e.Fd]; c.link.state != closed {
				l.happened(c, e.Events)
			}
		}
	}
}

// overdue ends the attempts that have waited too long for their answer, all of them if the pool has stopped, and reports whether
// the poller is to end.
func (l *polled) overdue(now time.Time) (ended bool) {
	cancelled := l.pool.ctx.Err() != nil
	var late []*client
	l.mu.Lock()
	for ; l.head < len(l.queue); l.head++ {
		w := &l.queue[l.head]
		if k := &w.client.link; k.serial == w.serial && (k.state == connecting || k.state == asking) {
			if !cancelled && now.Sub(w.begun) < l.pool.dialer.timeout {
				break
			}
			late = append(late, w.client)
		}
	}
	if l.head > len(l.queue)/2 {
		l.queue = l.queue[:copy(l.queue, l.queue[l.head:])]
		l.head = 0
	}
	ended = l.ended
	l.mu.Unlock()
	for _, c := range late {
		if cancelled {
			l.failed(c, context.Canceled)
		} else {
			l.failed(c, os.ErrDeadlineExceeded)
		}
	}
	return ended
}

func (l *polled) failed(c *client, err error) {
	l.abort(&c.link)
	c.refused(time.Now(), err)
}

// happened reads what has come on a line, and writes the request where that is still to be done.
func (l *polled) happened(c *client, what uint32) {
	k := &c.link
	if k.state == connecting {
		if errno, err := syscall.GetsockoptInt(int(k.fd), syscall.SOL_SOCKET, syscall.SO_ERROR); err == nil && errno != 0 {
			l.failed(c, os.NewSyscallError("connect", syscall.Errno(errno)))
			return
		}
		copy(l.late.text[l.late.at:], k.key[:])
		if err := l.ask(k, l.late.text); err != nil {
			c.refused(time.Now(), err)
			return
		}
	}
	for {
		n, err := syscall.Read(int(k.fd), l.buffer)
		switch {
		case err == syscall.EAGAIN:
			return
		case err == syscall.EINTR:
			continue
		case n == 0 && err == nil:
			err = io.EOF
		}
		if err != nil {
			l.broken(c, err)
			return
		}
		if !l.came(c, l.buffer[:n]) {
			return
		}
		if n < len(l.buffer) && what&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) == 0 {
			return // drained: what comes from now on is told
		}
	}
}

// came takes what was read; false when the line is no more.
func (l *polled) came(c *client, b []byte) bool {
	k := &c.link
	if k.state == asking {
		if len(k.read.rest) > 0 {
			b = append(k.read.rest, b...)
		}
		n, err := readAnswer(b, k.key)
		if err != nil {
			l.failed(c, err)
			return false
		}
		if n == 0 {
			k.read.rest = append([]byte(nil), b...)
			return true
		}
		k.read.rest = nil
		k.state = talking
		if !l.pool.opened(c, l, time.Now()) {
			l.abort(k)
			l.pool.pending.Done()
			return false
		}
		b = b[n:]
	}
	var code ws.StatusCode
	goes := k.read.read(b, func(op ws.OpCode, payload []byte) bool {
		switch op {
		case ws.OpClose:
			code, _ = ws.ParseCloseFrameData(payload)
			return false
		case ws.OpPing:
			if pong, err := ws.CompileFrame(ws.MaskFrame(ws.NewPongFrame(payload))); err == nil {
				syscall.Write(int(k.fd), pong)
			}
		case ws.OpPong:
		default:
			c.heard()
		}
		return true
	})
	if !goes {
		l.over(c, code)
	}
	return goes
}

// broken is the end of a line by the other side.
func (l *polled) broken(c *client, err error) {
	k := &c.link
	if k.state == talking {
		l.over(c, 0)
		return
	}
	if err == io.EOF && len(k.read.rest) > 0 {
		err = io.ErrUnexpectedEOF
	}
	l.failed(c, err)
}

// over ends a session. Nobody may ask for its end any more when its descriptor is given back.
func (l *polled) over(c *client, code ws.StatusCode) {
	c.mu.Lock()
	c.session = nil
	c.mu.Unlock()
	syscall.Close(int(c.link.fd))
	c.link.state = closed
	c.ended(code, time.Now())
}

// close ends the connection both ways; the poller then reads its end.
func (l *polled) close(c *client) { syscall.Shutdown(int(c.link.fd), syscall.SHUT_RDWR) }

func (l *polled) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	<-l.done
	syscall.Close(l.epoll)
}
