package storm

import (
	"net"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

// client is one of the herd. Its fields are guarded by mu; at any moment at most one of a timer, an attempt or a reader
// drives it, so that the lock is never waited for long.
type client struct {
	mu       sync.Mutex
	pool     *pool
	number   int
	socket   net.Conn // while a session is open
	opened   time.Time
	burst    int           // the last burst in which its session ended, from 1
	back     time.Duration // from that burst's beginning to its next session; 0 while it is out
	episode  int           // how many episodes there were, so that each draws its own numbers
	attempt  int           // of this episode, from 1
	timeouts int
	previous time.Duration
	outcome  backoff.Outcome
	spoke    bool // the server sent a message in this session
}

// lost is called when a session has ended: the episode begins, or goes on where the policy did not forget it.
func (c *client) lost(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forgets(at) {
		c.episode++
		c.attempt, c.timeouts, c.previous = 0, 0, 0
	}
	c.outcome = backoff.Dropped
	c.again()
}

// forgets says whether the ended session starts the attempt count again. An unknown rule is taken as reset on open.
func (c *client) forgets(at time.Time) bool {
	p := c.pool.schedule.Policy()
	switch p.Reset {
	case backoff.ResetStable:
		return at.Sub(c.opened) >= p.Stable
	case backoff.ResetMessage:
		return c.spoke
	default:
		return true
	}
}

// again waits as the policy says and tries. The caller holds the lock.
func (c *client) again() {
	c.attempt++
	p := c.pool
	u := stat.Draw(p.options.Seed+uint64(c.episode), uint64(c.number), p.schedule.DrawAttempt(c.attempt))
	wait, ok := p.schedule.Delay(backoff.State{Attempt: c.attempt, Previous: c.previous, Outcome: c.outcome, Timeouts: c.timeouts}, u)
	if !ok {
		p.gaveUp()
		return
	}
	c.previous = wait
	p.after(wait, c.try)
}

// try makes one attempt.
func (c *client) try() {
	p := c.pool
	if !p.admit(c) {
		return
	}
	at := time.Now()
	p.attempted(c, at)
	socket, err := p.dialer.dial(p.ctx, c.number)
	now := time.Now()
	if err == nil && !p.opened(c, socket, at, now) {
		socket.Close()
		return
	}
	if err != nil {
		c.refused(at, now, err)
		return
	}
	// A goroutine of its own: the stack that the handshake needed is given back.
	go c.read(socket)
}

// refused notes a failed attempt and tries again later.
func (c *client) refused(at, now time.Time, err error) {
	kind := classify(err)
	if !c.pool.failed(c, kind, at, now) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcome = backoff.Refused
	if kind == timedOut {
		c.outcome = backoff.TimedOut
		c.timeouts++
	}
	c.again()
}

// read waits for the session's end: messages are discarded, a close frame's code is kept.
func (c *client) read(socket net.Conn) {
	defer c.pool.pending.Done()
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
		c.mu.Lock()
		c.spoke = true
		c.mu.Unlock()
	}
	socket.Close()
	now := time.Now()
	if c.pool.ended(c, code, now) {
		c.lost(now)
	}
}
