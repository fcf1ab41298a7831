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

// session is one open WebSocket.
type session struct {
	server *Server
	socket net.Conn
	request
	opened time.Time
	once   sync.Once
	by     string // who ended it, for the log: "client", "drop", "drain"
	code   ws.StatusCode
}

// serve takes one socket from its acceptance to its end.
func (s *Server) serve(socket net.Conn, at time.Time) {
	c := &session{server: s, socket: socket, request: request{at: at}}
	c.peer, c.port, _ = net.SplitHostPort(socket.RemoteAddr().String())
	socket.SetDeadline(at.Add(handshakeTime))
	stop := context.AfterFunc(s.ending, func() { socket.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	goodbye := ws.StatusCode(0)
	status := 101
	var rejected error
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
			admitted := s.admit()
			socket.SetWriteDeadline(time.Now().Add(handshakeTime)) // the wait for the turn is not the client's time
			if admitted {
				return nil, nil
			}
			s.counts.add(&s.counts.s.Rejected)
			status = 503
			switch s.options.Reject {
			case TryAgainLater:
				goodbye = 1013
				return nil, nil
			case TooManyRequests:
				status = 429
			}
			rejected = ws.RejectConnectionError(ws.RejectionStatus(status), ws.RejectionReason("try again later"), ws.RejectionHeader(s.hint()))
			return nil, rejected
		},
	}
	_, err := up.Upgrade(socket)
	now := time.Now()
	switch {
	case rejected != nil:
		s.log.refused(&c.request, status, now)
		s.tell(c, Rejected, at, now)
	case err != nil:
		s.counts.add(&s.counts.s.Broken)
		if c.path != "" {
			s.log.refused(&c.request, 0, now)
			s.tell(c, Broken, at, now)
		}
	case goodbye != 0:
		ws.WriteFrame(socket, ws.NewCloseFrame(ws.NewCloseFrameBody(goodbye, "retry-after="+s.seconds())))
		s.log.refused(&c.request, 1013, now)
		s.tell(c, Rejected, at, now)
	default:
		s.begin(c, now)
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

// begin registers a session and reads it on a goroutine of its own: the handshake's stack is given back.
func (s *Server) begin(c *session, now time.Time) {
	c.opened = now
	c.socket.SetDeadline(time.Time{})
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
	s.wait.Go(c.read)
}

// read echoes until the session ends, from either side.
func (c *session) read() {
	s := c.server
	var said ws.StatusCode
	for {
		header, err := ws.ReadHeader(c.socket)
		if err != nil || header.Length > 1<<20 {
			break
		}
		payload := make([]byte, header.Length)
		if _, err := io.ReadFull(c.socket, payload); err != nil {
			break
		}
		if header.Masked {
			ws.Cipher(payload, header.Mask, 0)
		}
		if header.OpCode == ws.OpClose {
			said, _ = ws.ParseCloseFrameData(payload)
			ws.WriteFrame(c.socket, ws.NewCloseFrame(payload[:min(2, len(payload))]))
			break
		}
		var answer ws.Frame
		switch header.OpCode {
		case ws.OpText:
			answer = ws.NewTextFrame(append([]byte("ACK: "), payload...))
		case ws.OpPing:
			answer = ws.NewPongFrame(payload)
		default:
			continue
		}
		if ws.WriteFrame(c.socket, answer) != nil {
			break
		}
	}
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
