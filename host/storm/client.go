package storm

import (
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
	"github.com/stormlint/stormlint/host/wheel"
)

// client is one of the herd. At any moment at most one of a timer, an attempt or a session drives it; mu guards the fields of which
// nothing else is said, and is never waited for long.
type client struct {
	mu       sync.Mutex
	pool     *pool
	number   int
	timer    wheel.Timer[*client] // guarded by the clock
	link     link                 // guarded by the pool's lines
	session  session              // while one is open
	begun    time.Time            // of the attempt; only who drives the client reads or writes it
	placed   bool                 // the next attempt has its place in the rate, which has come; the clock's
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
	p.clock.Set(&c.timer, wait)
}

// early says how long the next attempt is to wait because the rate is used up. Once it has waited it is not early again.
func (c *client) early(now time.Time) time.Duration {
	if c.placed {
		c.placed = false
		return 0
	}
	wait := c.pool.gate.enter(now)
	c.placed = wait > 0
	return wait
}

// try makes one attempt, or puts it off because the rate is used up.
func (c *client) try() {
	p := c.pool
	if wait := c.early(time.Now()); wait > 0 {
		p.clock.Set(&c.timer, wait)
		return
	}
	c.begun = time.Now()
	if p.attempted(c.begun) {
		p.lines.begin(c)
	}
}

// refused notes a failed attempt and tries again later.
func (c *client) refused(now time.Time, err error) {
	defer c.pool.pending.Done()
	kind := classify(err)
	if !c.pool.failed(c, kind, now) {
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

// heard notes that the server has sent a message.
func (c *client) heard() {
	c.mu.Lock()
	c.spoke = true
	c.mu.Unlock()
}

// ended notes the end of the session; the socket may be closed once nobody knows of it.
func (c *client) ended(code ws.StatusCode, now time.Time) {
	defer c.pool.pending.Done()
	if c.pool.ended(c, code, now) {
		c.lost(now)
	}
}
