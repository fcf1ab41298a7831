package gateway

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/stormlint/stormlint/host/wheel"
)

// poller is a doorman who watches every socket with epoll on one goroutine: none has a goroutine, a buffer or a timer of its own, but
// while it waits for its turn, on a wheel.
type poller struct {
	server *Server
	epoll  int
	clock  *wheel.Clock[*wire]
	buffer []byte // the poller's
	hasty  bool   // the poller's: the gateway closes, and nobody waits any more
	done   chan struct{}

	mu       sync.Mutex
	listener syscall.RawConn
	wires    map[int32]*wire
	queue    []*wire // in the order of their arrival; each is looked at when handshakeTime is over, and then is in it no more
	head     int     // of the queue
	ended    bool
}

const (
	turnStep       = 100 * time.Microsecond // what a turn is rounded up to
	pollStep       = 10 * time.Millisecond  // how late a timeout or an end may be noticed
	longestRequest = 8 << 10
	edge           = 1 << 31 // EPOLLET, which package syscall has as a negative number
)

func newDoorman(s *Server) doorman {
	if s.options.each {
		return each{s}
	}
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return each{s}
	}
	p := &poller{server: s, epoll: epoll, buffer: make([]byte, 64<<10), done: make(chan struct{}), wires: map[int32]*wire{}}
	p.clock = wheel.NewClock(turnStep, (*wire).turn)
	go p.run()
	return p
}

// end is called when no socket is left.
func (p *poller) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	<-p.done
	p.clock.End()
	syscall.Close(p.epoll)
}

// accept has the poller watch a listener as well. It returns at once; one that is closed is not watched any more.
func (p *poller) accept(l net.Listener) {
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return // closed already
	}
	raw.Control(func(fd uintptr) { // not at all where it is closed already
		p.mu.Lock()
		p.listener = raw
		p.mu.Unlock()
		syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, int(fd), &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: listening})
	})
}

// listening stands for the listener's descriptor among those of sockets.
const listening = -1

// atOnce is how many sockets are taken in before those that are there are served again.
const atOnce = 64

// guest is a socket that the kernel has given and nobody has taken in.
type guest struct {
	fd   int
	from syscall.Sockaddr
}

// waiting takes in what the kernel has. Nothing but accepting is done in Control: closing the listener waits until it returns.
func (p *poller) waiting() {
	p.mu.Lock()
	raw := p.listener
	p.mu.Unlock()
	var guests [atOnce]guest
	n, short := 0, false
	raw.Control(func(fd uintptr) {
		for n < atOnce {
			socket, from, err := syscall.Accept4(int(fd), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
			switch err {
			case nil:
				guests[n] = guest{socket, from}
				n++
			case syscall.EINTR, syscall.ECONNABORTED:
			default:
				short = err != syscall.EAGAIN
				return
			}
		}
	})
	for _, g := range guests[:n] {
		p.take(g.fd, g.from)
	}
	if short {
		time.Sleep(noDescriptor)
	}
}

// take takes one socket in.
func (p *poller) take(fd int, from syscall.Sockaddr) {
	now := time.Now()
	s := p.server
	if !s.arrived(now) {
		syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
		syscall.Close(fd)
		return
	}
	w := &wire{poller: p, fd: fd}
	w.server, w.socket, w.at, w.timer.Value = s, w, now, w
	if s.log != nil || s.options.Watch != nil {
		w.peer, w.port = address(from)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p.mu.Lock()
	p.wires[int32(fd)] = w
	p.queue = append(p.queue, w)
	p.mu.Unlock()
	w.readable(true) // a client that is quick has sent its request by now
	if w.state == over {
		return
	}
	if err := w.watch(); err != nil {
		p.clock.Stop(&w.timer) // if it fires all the same it finds that all is over
		if w.state == turning {
			s.door.leave()
		}
		w.broken(err)
	}
}

// incoming are the events that every socket is watched for, each told once.
const incoming = syscall.EPOLLIN | syscall.EPOLLRDHUP | edge

func address(a syscall.Sockaddr) (ip, port string) {
	switch a := a.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrFrom4(a.Addr).String(), strconv.Itoa(a.Port)
	case *syscall.SockaddrInet6:
		return netip.AddrFrom16(a.Addr).Unmap().String(), strconv.Itoa(a.Port)
	}
	return "", ""
}

func (p *poller) run() {
	defer close(p.done)
	events := make([]syscall.EpollEvent, 256)
	wires := make([]*wire, len(events))
	for !p.overdue(time.Now()) {
		n, err := syscall.EpollWait(p.epoll, events, int(pollStep/time.Millisecond))
		if err != nil {
			continue // interrupted
		}
		p.mu.Lock()
		for i, e := range events[:n] {
			wires[i] = p.wires[e.Fd]
		}
		p.mu.Unlock()
		for i, w := range wires[:n] {
			if events[i].Fd == listening {
				p.waiting()
			} else if w != nil {
				w.mu.Lock()
				w.readable(events[i].Events&^(syscall.EPOLLIN|syscall.EPOLLOUT) != 0)
				w.mu.Unlock()
			}
		}
	}
}

// overdue ends the sockets whose request does not come, and reports whether the poller is to end. When the gateway closes, nobody's
// request is waited for, and whoever waits for a turn has it now: that is seen to once, for no socket comes and none begins to wait
// any more.
func (p *poller) overdue(now time.Time) (ended bool) {
	closing := !p.hasty && p.server.ending.Err() != nil
	var late []*wire
	p.mu.Lock()
	if closing {
		p.hasty, p.queue, p.head = true, nil, 0
		for _, w := range p.wires {
			late = append(late, w)
		}
	}
	for ; p.head < len(p.queue); p.head++ {
		w := p.queue[p.head]
		if asks := w.asks(); asks && now.Sub(w.at) < handshakeTime {
			break
		} else if asks {
			late = append(late, w)
		}
		p.queue[p.head] = nil
	}
	if p.head > len(p.queue)/2 {
		n := copy(p.queue, p.queue[p.head:])
		clear(p.queue[n:])
		p.queue, p.head = p.queue[:n], 0
	}
	ended = p.ended
	p.mu.Unlock()
	for _, w := range late {
		w.mu.Lock()
		switch {
		case w.state == requesting:
			w.broken(errors.New("gateway: no request in time"))
		case closing && p.clock.Stop(&w.timer):
			w.onward()
		}
		w.mu.Unlock()
	}
	return ended
}
