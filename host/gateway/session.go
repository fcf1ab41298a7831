package gateway

import (
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// handshakeTime is how long a client may take to send its request.
const handshakeTime = 10 * time.Second

// request is what the log needs of a handshake.
type request struct {
	at        time.Time
	peer      string // ip
	port      string
	path      string // without its query
	agent     string
	forwarded string
	host      string
}

// session is one WebSocket, from its handshake on.
type session struct {
	server *Server
	socket socket
	request
	opened time.Time
	once   sync.Once
	by     string // who ended it, for the log: "client", "drop", "drain"
	code   ws.StatusCode
}

// socket is what a session needs of its connection. A net.Conn is one.
type socket interface {
	io.Writer
	Close() error
	SetWriteDeadline(time.Time) error
}

// answer is how a handshake ended.
type answer struct {
	status   int // 101, or of a rejection that was written
	goodbye  bool
	rejected error
	err      error
}

// upgrade reads a request and writes the answer. admit is asked when the request is whole: whether there is a session, or an error
// that ends the handshake without an answer that counts.
func (s *Server) upgrade(rw io.ReadWriter, c *session, admit func() (bool, error)) (a answer) {
	a.status = 101
	up := ws.Upgrader{
		ReadBufferSize:  512,
		WriteBufferSize: 512,
		OnRequest: func(uri []byte) error {
			if i := bytes.IndexByte(uri, '?'); i >= 0 {
				uri = uri[:i]
			}
			c.path = string(uri)
			return nil
		},
		OnHost: func(host []byte) error { c.host = string(host); return nil },
		OnHeader: func(key, value []byte) error {
			switch string(key) {
			case "User-Agent":
				c.agent = string(value)
			case "X-Forwarded-For":
				c.forwarded = string(value)
			}
			return nil
		},
		OnBeforeUpgrade: func() (ws.HandshakeHeader, error) {
			admitted, err := admit()
			if admitted || err != nil {
				return nil, err
			}
			s.counts.add(&s.counts.s.Rejected)
			a.status = 503
			switch s.options.Reject {
			case TryAgainLater:
				a.status, a.goodbye = 101, true
				return nil, nil
			case TooManyRequests:
				a.status = 429
			}
			a.rejected = ws.RejectConnectionError(ws.RejectionStatus(a.status), ws.RejectionReason("try again later"), ws.RejectionHeader(s.hint()))
			return nil, a.rejected
		},
	}
	_, a.err = up.Upgrade(rw)
	return a
}

// settled notes how a handshake ended and reports whether a session has begun. Otherwise the socket is to be closed.
func (s *Server) settled(c *session, a answer, now time.Time) bool {
	switch {
	case a.rejected != nil:
		s.log.refused(&c.request, a.status, now)
		s.tell(c, Rejected, c.at, now)
	case a.err != nil:
		s.counts.add(&s.counts.s.Broken)
		if c.path != "" {
			s.log.refused(&c.request, 0, now)
			s.tell(c, Broken, c.at, now)
		}
	case a.goodbye:
		ws.WriteFrame(c.socket, ws.NewCloseFrame(ws.NewCloseFrameBody(1013, "retry-after="+s.seconds())))
		s.log.refused(&c.request, 1013, now)
		s.tell(c, Rejected, c.at, now)
	default:
		s.begin(c, now)
		return true
	}
	return false
}

// serve takes one socket from its acceptance to its end, on a goroutine of its own.
func (s *Server) serve(socket net.Conn, at time.Time) {
	c := &session{server: s, socket: socket, request: request{at: at}}
	c.peer, c.port, _ = net.SplitHostPort(socket.RemoteAddr().String())
	socket.SetDeadline(at.Add(handshakeTime))
	stop := context.AfterFunc(s.ending, func() { socket.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	a := s.upgrade(socket, c, func() (bool, error) {
		admitted := s.admit()
		socket.SetWriteDeadline(time.Now().Add(handshakeTime)) // the wait for the turn is not the client's time
		return admitted, nil
	})
	if s.settled(c, a, time.Now()) {
		socket.SetDeadline(time.Time{})
		s.wait.Go(func() { c.read(socket) }) // the handshake's stack is given back
		return
	}
	socket.Close()
	s.release()
}

// tell tells the watcher, if there is one.
func (s *Server) tell(c *session, what Sight, begin, end time.Time) {
	if s.options.Watch != nil {
		s.options.Watch(Sighting{Sight: what, Path: c.path, Peer: net.JoinHostPort(c.peer, c.port), Begin: begin, End: end})
	}
}

// admit waits for the handshake's turn, or says no at once.
func (s *Server) admit() bool {
	if s.away.Load() {
		return false
	}
	until, ok := s.door.enter(time.Now())
	if !ok {
		return false
	}
	s.sleep(time.Until(until))
	s.door.leave()
	s.sleep(s.options.ConnectDelay)
	return !s.away.Load()
}

// sleep waits, at most until the gateway closes.
func (s *Server) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ending.Done():
	}
}

// begin registers a session.
func (s *Server) begin(c *session, now time.Time) {
	c.opened = now
	s.mu.Lock()
	s.sessions[c] = struct{}{}
	closing := s.closed
	s.mu.Unlock()
	s.counts.opened(now)
	s.log.opened(&c.request, now)
	s.tell(c, Opened, c.at, now)
	switch {
	case closing:
		c.end(1001, "drain")
	case s.away.Load(): // turned away between its answer and here
		c.end(0, "drop")
	}
}

// longestMessage is the payload that a frame may have.
const longestMessage = 1 << 20

// read echoes until the session ends, from either side.
func (c *session) read(from io.Reader) {
	goes, said := true, ws.StatusCode(0)
	for goes {
		header, err := ws.ReadHeader(from)
		if err != nil || header.Length > longestMessage {
			break
		}
		payload := make([]byte, header.Length)
		if _, err := io.ReadFull(from, payload); err != nil {
			break
		}
		goes, said = c.take(header, payload)
	}
	c.finish(said)
}

// take answers one frame; false ends the session, with the code that the client said.
func (c *session) take(header ws.Header, payload []byte) (goes bool, said ws.StatusCode) {
	if header.Masked {
		ws.Cipher(payload, header.Mask, 0)
	}
	var answer ws.Frame
	switch header.OpCode {
	case ws.OpClose:
		said, _ = ws.ParseCloseFrameData(payload)
		ws.WriteFrame(c.socket, ws.NewCloseFrame(payload[:min(2, len(payload))]))
		return false, said
	case ws.OpText:
		answer = ws.NewTextFrame(append([]byte("ACK: "), payload...))
	case ws.OpPing:
		answer = ws.NewPongFrame(payload)
	default:
		return true, 0
	}
	return ws.WriteFrame(c.socket, answer) == nil, 0
}

// finish notes the end of a session.
func (c *session) finish(said ws.StatusCode) {
	s := c.server
	c.once.Do(func() {
		c.by, c.code = "client", said
		c.socket.Close()
	})
	now := time.Now()
	s.mu.Lock()
	delete(s.sessions, c)
	s.mu.Unlock()
	s.counts.add(&s.counts.s.Closed)
	s.log.closed(c, now)
	s.tell(c, Closed, c.opened, now)
	s.release()
}

// end closes the socket once, after a close frame where there is a code.
func (c *session) end(code ws.StatusCode, by string) {
	c.once.Do(func() {
		c.by = by
		if code != 0 {
			c.code = code
			c.socket.SetWriteDeadline(time.Now().Add(time.Second))
			ws.WriteFrame(c.socket, ws.NewCloseFrame(ws.NewCloseFrameBody(code, by)))
		}
		c.socket.Close()
	})
}

func (s *Server) hint() ws.HandshakeHeader {
	if s.options.RetryAfter == 0 {
		return nil
	}
	return ws.HandshakeHeaderString("Retry-After: " + s.seconds() + "\r\n")
}

// seconds is the hint in whole seconds, rounded up, as Retry-After wants it.
func (s *Server) seconds() string {
	return strconv.FormatInt(int64((s.options.RetryAfter+time.Second-1)/time.Second), 10)
}
