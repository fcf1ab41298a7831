package gateway

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

// Server is a running gateway.
type Server struct {
	options Options
	address string
	door    door
	counts  counts
	log     *accessLog
	doorman doorman
	away    atomic.Bool     // every handshake is rejected
	ending  context.Context // ended by Close: whoever waits for a turn or for a request waits no longer
	end     context.CancelFunc

	mu       sync.Mutex
	listener net.Listener // nil while an outage refuses
	sockets  int
	sessions map[*session]struct{}
	closed   bool
	timers   []*time.Timer
	wait     sync.WaitGroup
}

// doorman takes sockets in and serves them.
type doorman interface {
	accept(net.Listener) // until it is closed
	end()                // when no socket is left
}

// each is a doorman who gives every socket a goroutine: for systems without epoll.
type each struct{ *Server }

func (e each) accept(l net.Listener) { e.acceptEach(l) }

func (each) end() {}

// Listen starts a gateway at an address such as 127.0.0.1:0.
func Listen(address string, o Options) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l, err := listen(address)
	if err != nil {
		return nil, &fault.Error{Code: fault.BadValue, Package: "gateway", Field: "listen", Value: address, Expected: "a free local address: " + err.Error()}
	}
	now := time.Now()
	s := &Server{options: o, address: l.Addr().String(), listener: l, sessions: map[*session]struct{}{}}
	s.ending, s.end = context.WithCancel(context.Background())
	s.counts.start = now
	s.door.limit = o.backlog()
	if o.Capacity > 0 {
		s.door.each = time.Duration(float64(time.Second) / o.Capacity)
		s.door.reject = time.Duration(o.RejectCost * float64(s.door.each))
	}
	if o.AccessLog != nil {
		s.log = newAccessLog(o.AccessLog, o.LogFormat)
	}
	s.doorman = newDoorman(s) // before the timers, which use it
	for _, out := range o.Outages {
		if out.Hang {
			s.door.stalls = append(s.door.stalls, span{now.Add(out.At), now.Add(out.At + out.For)})
		} else {
			s.at(out.At, s.refuse)
			s.at(out.At+out.For, s.listenAgain)
		}
	}
	slices.SortFunc(s.door.stalls, func(a, b span) int { return a.from.Compare(b.from) })
	for _, t := range o.DropAt {
		s.at(t, func() { s.Drop() })
	}
	s.wait.Go(func() { s.doorman.accept(l) })
	return s, nil
}

// listen takes an address. Keep-alive would be three calls of the kernel a connection, for connections inside one machine.
func listen(address string) (net.Listener, error) {
	return (&net.ListenConfig{KeepAlive: -1}).Listen(context.Background(), "tcp", address)
}

// URI is where clients connect: ws://127.0.0.1:PORT/.
func (s *Server) URI() string { return "ws://" + s.address + "/" }

// Stats copies what has been seen so far.
func (s *Server) Stats() Stats {
	s.counts.mu.Lock()
	out := s.counts.s
	out.Arrivals, out.Opens = slices.Clone(out.Arrivals), slices.Clone(out.Opens)
	s.counts.mu.Unlock()
	s.mu.Lock()
	out.Open = len(s.sessions)
	s.mu.Unlock()
	s.door.mu.Lock()
	out.Waiting, out.Deepest = s.door.waiting, s.door.deepest
	s.door.mu.Unlock()
	return out
}

// TurnAway rejects every handshake from now on, at no cost to the capacity, until it is called with false. Unlike an outage that
// refuses, it lets the gateway see who tries.
func (s *Server) TurnAway(on bool) { s.away.Store(on) }

// Drop ends every open session at once, without a close frame, as a crash does, and says how many.
func (s *Server) Drop() int {
	list := s.open()
	for _, c := range list {
		c.end(0, "drop")
	}
	return len(list)
}

// Drain ends the open sessions evenly over a time, with 1001 (going away), and returns when the last has ended or ctx has.
func (s *Server) Drain(ctx context.Context, over time.Duration) error {
	list := s.open()
	begin := time.Now()
	for i, c := range list {
		due := begin.Add(time.Duration(float64(over) * float64(i) / float64(len(list))))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c.end(1001, "drain")
	}
	return nil
}

// Close stops listening, drains over Options.DrainOver, and waits until every socket is gone. A context that ends first
// ends the sessions at once.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for _, t := range s.timers {
		t.Stop()
	}
	l := s.listener
	s.mu.Unlock()
	if l != nil {
		l.Close()
	}
	s.end()
	err := s.Drain(ctx, s.options.DrainOver)
	s.Drop()
	s.wait.Wait()
	s.doorman.end()
	if s.log != nil {
		err = errors.Join(err, s.log.close())
	}
	return err
}

func (s *Server) at(after time.Duration, do func()) {
	s.mu.Lock()
	s.timers = append(s.timers, time.AfterFunc(after, do))
	s.mu.Unlock()
}

// refuse closes the port, so that the kernel answers as for a server that is not there. Sockets that are open stay.
func (s *Server) refuse() {
	s.mu.Lock()
	var l net.Listener
	if !s.closed {
		l, s.listener = s.listener, nil
	}
	s.mu.Unlock()
	if l != nil {
		l.Close() // without the lock: it waits for whoever is using the descriptor
	}
}

func (s *Server) listenAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.listener != nil {
		return
	}
	l, err := listen(s.address)
	if err != nil {
		s.timers = append(s.timers, time.AfterFunc(10*time.Millisecond, s.listenAgain)) // somebody has the port; try on
		return
	}
	s.listener = l
	s.wait.Go(func() { s.doorman.accept(l) })
}

// arrived counts a socket and reports whether there is room for it: wait then knows of it, so that Close waits for it.
func (s *Server) arrived(now time.Time) bool {
	s.counts.arrived(now)
	s.mu.Lock()
	full := s.closed || (s.options.FDLimit > 0 && s.sockets >= s.options.FDLimit)
	if !full {
		s.sockets++
		s.wait.Add(1)
	}
	s.mu.Unlock()
	if full {
		s.counts.add(&s.counts.s.Silenced)
	}
	return !full
}

// noDescriptor is how long nothing is accepted when no descriptor is free: the kernel's queue holds the rest meanwhile.
const noDescriptor = time.Millisecond

// acceptEach gives every socket a goroutine.
func (s *Server) acceptEach(l net.Listener) {
	for {
		socket, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(noDescriptor)
			continue
		}
		now := time.Now()
		if !s.arrived(now) {
			abort(socket)
			continue
		}
		go func() {
			defer s.wait.Done()
			s.serve(socket, now)
		}()
	}
}

// abort ends a socket with a reset: nothing of it lingers.
func abort(socket net.Conn) {
	if tcp, ok := socket.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	socket.Close()
}

func (s *Server) open() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*session, 0, len(s.sessions))
	for c := range s.sessions {
		list = append(list, c)
	}
	return list
}

func (s *Server) release() {
	s.mu.Lock()
	s.sockets--
	s.mu.Unlock()
}
