package gateway

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/host/wheel"
)

// wire is one socket.
type wire struct {
	session
	poller *poller
	timer  wheel.Timer[*wire]

	mu    sync.Mutex // held by who serves it: the poller, the clock, or who accepts it
	state wireState
	in    []byte // of a request or a frame that is not whole yet

	descriptor sync.Mutex
	fd         int // -1 when it is closed
	out        []byte
}

type wireState uint8

const (
	requesting wireState = iota
	turning              // waits for its turn
	delaying             // and for the connect delay
	talking
	over
)

var _ socket = (*wire)(nil)

// asks reports whether the request may still be to come.
func (w *wire) asks() bool {
	if !w.mu.TryLock() {
		return true // it is being served: the next time tells
	}
	defer w.mu.Unlock()
	return w.state == requesting
}

// readable reads what there is, as far as the state allows; all of it when there may be an end behind it. The lock is held.
func (w *wire) readable(all bool) {
	for (w.state == requesting || w.state == talking) && w.flush() {
		n, err := syscall.Read(w.fd, w.poller.buffer)
		switch {
		case err == syscall.EAGAIN:
			return
		case err == syscall.EINTR:
			continue
		case n == 0 && err == nil:
			err = io.EOF
		}
		if err != nil {
			w.broken(err)
			return
		}
		w.in = append(w.in, w.poller.buffer[:n]...)
		if w.state == requesting {
			w.asked()
		} else {
			w.frames()
		}
		if n < len(w.poller.buffer) && !all {
			return // what comes from now on is told
		}
	}
}

// errTurn ends a reading of the request that has to wait for its turn.
var errTurn = errors.New("gateway: the turn has not come")

// memory is a request that has come whole, and its answer.
type memory struct {
	bytes.Reader
	out []byte
}

func (m *memory) Write(b []byte) (int, error) {
	m.out = append(m.out, b...)
	return len(b), nil
}

// asked reads the request if it has come whole, and answers it or lets it wait. The lock is held.
func (w *wire) asked() {
	if !bytes.Contains(w.in, []byte("\r\n\r\n")) && !bytes.Contains(w.in, []byte("\n\n")) && len(w.in) < longestRequest {
		return
	}
	s := w.server
	w.reply(func() (bool, error) {
		if s.away.Load() {
			return false, nil
		}
		now := time.Now()
		until, ok := s.door.enter(now)
		if !ok {
			return false, nil
		}
		if wait := until.Sub(now); wait > 0 && s.ending.Err() == nil {
			w.state = turning
			w.poller.clock.Set(&w.timer, wait)
			return false, errTurn
		}
		s.door.leave()
		if s.options.ConnectDelay > 0 && s.ending.Err() == nil {
			w.state = delaying
			w.poller.clock.Set(&w.timer, s.options.ConnectDelay)
			return false, errTurn
		}
		return true, nil
	})
}

// turn is called by the clock.
func (w *wire) turn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onward()
}

// onward goes on with a handshake whose time has come. The lock is held.
func (w *wire) onward() {
	s := w.server
	switch w.state {
	case turning:
		s.door.leave()
		if s.options.ConnectDelay > 0 && s.ending.Err() == nil {
			w.state = delaying
			w.poller.clock.Set(&w.timer, s.options.ConnectDelay)
			return
		}
	case delaying:
	default:
		return
	}
	w.reply(func() (bool, error) { return !s.away.Load(), nil })
	w.readable(true) // what came meanwhile is not told again
}

// reply reads the request and writes the answer, unless admit lets it wait. The lock is held.
func (w *wire) reply(admit func() (bool, error)) {
	var m memory
	m.Reset(w.in)
	a := w.server.upgrade(&m, &w.session, admit)
	if a.err == errTurn {
		return
	}
	w.in = nil
	if _, err := w.Write(m.out); err != nil && a.err == nil {
		a.err = err
	}
	if w.server.settled(&w.session, a, time.Now()) {
		w.state = talking
		return
	}
	w.shut()
}

// frames answers the frames that have come whole. The lock is held.
func (w *wire) frames() {
	b := w.in
	goes, said := true, ws.StatusCode(0)
	for goes && len(b) > 0 {
		r := bytes.NewReader(b)
		header, err := ws.ReadHeader(r)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		head := len(b) - r.Len()
		if err != nil || header.Length > longestMessage {
			goes = false
			break
		}
		if int64(r.Len()) < header.Length {
			break
		}
		whole := head + int(header.Length)
		goes, said = w.session.take(header, b[head:whole])
		b = b[whole:]
	}
	if !goes {
		w.finished(said)
		return
	}
	if len(b) == 0 {
		w.in = nil
	} else {
		w.in = append([]byte(nil), b...)
	}
}

// broken is the end of a socket by its client or by time. The lock is held.
func (w *wire) broken(err error) {
	if w.state == talking {
		w.finished(0)
		return
	}
	w.server.settled(&w.session, answer{err: err}, time.Now())
	w.shut()
}

// finished ends a session.
func (w *wire) finished(said ws.StatusCode) {
	w.flush()
	w.session.finish(said) // gives the place back
	w.close()
}

// shut closes a socket that is no session and gives its place back.
func (w *wire) shut() {
	w.server.release()
	w.close()
}

// close gives the descriptor back. Nobody knows it any more.
func (w *wire) close() {
	w.state = over
	p := w.poller
	p.mu.Lock()
	delete(p.wires, int32(w.fd))
	p.mu.Unlock()
	w.descriptor.Lock()
	syscall.Close(w.fd)
	w.fd = -1
	w.descriptor.Unlock()
	w.server.wait.Done()
}

// watch has the poller watch the socket; if an answer waits already, for room as well.
func (w *wire) watch() error {
	w.descriptor.Lock()
	defer w.descriptor.Unlock()
	events := uint32(incoming)
	if len(w.out) > 0 {
		events |= syscall.EPOLLOUT
	}
	return syscall.EpollCtl(w.poller.epoll, syscall.EPOLL_CTL_ADD, w.fd, &syscall.EpollEvent{Events: events, Fd: int32(w.fd)})
}

// Write writes what the socket takes; what it does not take waits, and so does what the client sends meanwhile.
func (w *wire) Write(b []byte) (int, error) {
	w.descriptor.Lock()
	defer w.descriptor.Unlock()
	if w.fd < 0 {
		return 0, net.ErrClosed
	}
	n := 0
	if len(w.out) == 0 {
		for {
			var err error
			if n, err = syscall.Write(w.fd, b); err == syscall.EINTR {
				continue
			} else if err != nil && err != syscall.EAGAIN {
				return 0, err
			}
			break
		}
	}
	if rest := b[max(0, n):]; len(rest) > 0 {
		if len(w.out) == 0 {
			syscall.EpollCtl(w.poller.epoll, syscall.EPOLL_CTL_MOD, w.fd, &syscall.EpollEvent{Events: incoming | syscall.EPOLLOUT, Fd: int32(w.fd)})
		}
		w.out = append(w.out, rest...)
	}
	return len(b), nil
}

// flush writes what waits and reports whether nothing does any more.
func (w *wire) flush() bool {
	w.descriptor.Lock()
	defer w.descriptor.Unlock()
	for len(w.out) > 0 && w.fd >= 0 {
		n, err := syscall.Write(w.fd, w.out)
		switch err {
		case nil:
			w.out = w.out[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			w.out = nil // the reader is told why
		}
	}
	w.out = nil
	return true
}

// Close asks for the end of the socket: the poller then reads it.
func (w *wire) Close() error {
	w.descriptor.Lock()
	defer w.descriptor.Unlock()
	if w.fd < 0 {
		return net.ErrClosed
	}
	return syscall.Shutdown(w.fd, syscall.SHUT_RDWR)
}

// SetWriteDeadline is not needed: no Write waits.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }
