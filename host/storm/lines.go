package storm

import (
	"net"
	"time"

	"github.com/gobwas/ws"
)

// lines are how the clients of a pool reach the server. What comes of an attempt is told to the client: refused, or a session
// that the pool has opened and that ended ends.
type lines interface {
	begin(c *client) // an attempt
	end()            // when nothing is under way any more
}

// session is an open connection.
type session interface{ close(c *client) } // asks for its end; the client's lock is held

// dialed are lines that Go's net package makes: a goroutine for every attempt and for every session. They reach any target.
type dialed struct{ pool *pool }

func (dialed) end() {}

// conn is the session of a dialed line.
type conn struct{ net.Conn }

func (s conn) close(*client) { s.Conn.Close() }

func (d dialed) begin(c *client) {
	go func() {
		socket, err := d.pool.dialer.dial(d.pool.ctx, c.number)
		now := time.Now()
		if err != nil {
			c.refused(now, err)
			return
		}
		if !d.pool.opened(c, conn{socket}, now) {
			socket.Close()
			d.pool.pending.Done()
			return
		}
		// A goroutine of its own: the stack that the handshake needed is given back.
		go d.read(c, socket)
	}()
}

// read waits for the session's end: messages are discarded, a close frame's code is kept.
func (d dialed) read(c *client, socket net.Conn) {
	var code ws.StatusCode
	discard := make([]byte, 0, 128)
	for {
		header, err := ws.ReadHeader(socket)
		if err != nil {
			break
		}
		payload, err := readPayload(socket, header, discard)
		if err != nil {
			break
		}
		if header.OpCode == ws.OpClose {
			code, _ = ws.ParseCloseFrameData(payload)
			break
		}
		if header.OpCode == ws.OpPing {
			ws.WriteFrame(socket, ws.MaskFrame(ws.NewPongFrame(payload)))
			continue
		}
		c.heard()
	}
	socket.Close()
	c.ended(code, time.Now())
}
