package storm

import (
	"context"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/host/wheel"
)

// pool is the herd and what is counted of it.
type pool struct {
	options  Options
	schedule *backoff.Schedule
	dialer   *dialer
	log      *eventLog
	ctx      context.Context
	cancel   context.CancelFunc
	gate     gate
	clock    *wheel.Clock[*client]
	lines    lines
	clients  []client

	mu       sync.Mutex
	begun    time.Time
	burst    *Burst // under way; nil while the first connects are made
	index    int
	expected int       // sessions that were open when the burst began
	lost     int       // of them, those that have ended
	changed  time.Time // when a session last began or ended
	open     int
	away     int // clients without a session whose policy has not ended
	gone     int // clients whose policy ended
	stopped  bool
	pending  sync.WaitGroup // attempts and sessions
}

// step is what waits are rounded up to.
const step = 100 * time.Microsecond

// newPool prepares the clients of this process.
func newPool(ctx context.Context, o Options, schedule *backoff.Schedule) *pool {
	p := &pool{
		options: o, schedule: schedule, dialer: newDialer(&o), log: newEventLog(o.Log, o.URI),
		gate: gate{each: time.Duration(float64(time.Second) / o.Rate)}, clients: make([]client, o.Clients),
		away: o.Clients, begun: time.Now(),
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	for i := range p.clients {
		c := &p.clients[i]
		c.pool, c.number, c.timer.Value = p, o.First+i, c
	}
	p.clock = wheel.NewClock(step, (*client).try)
	p.lines = newLines(p)
	return p
}

// connect makes the first connects, spread so that they are no storm themselves, and waits for them.
func (p *pool) connect() error {
	p.ramp()
	p.waitBack()
	return nil
}

func (p *pool) ramp() {
	for i := range p.clients {
		at := time.Duration(float64(i) / p.options.Ramp * float64(time.Second))
		c := &p.clients[i]
		c.attempt = 1
		p.clock.Set(&c.timer, at)
	}
}

// arm begins a burst: everything from now on belongs to it.
func (p *pool) arm(at time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index++
	p.burst = &Burst{At: at, Errors: map[Kind]int{}}
	p.expected, p.lost = p.open, 0
	return nil
}

// release closes the clients' own sockets.
func (p *pool) release() error {
	for i := range p.clients {
		c := &p.clients[i]
		c.mu.Lock()
		if c.session != nil {
			c.session.close(c)
		}
		c.mu.Unlock()
	}
	return nil
}

// waitBack waits until every client has a session or has given up, at most for the patience. It is not enough that nobody
// is away at one moment: the sessions that the burst found must have ended, and a session that is closed at once, as a server
// does that says 1013, is none.
func (p *pool) waitBack() {
	limit := time.Now().Add(p.options.Patience)
	for time.Now().Before(limit) && sleep(p.ctx, 10*time.Millisecond) {
		p.mu.Lock()
		settled := 50 * time.Millisecond
		if p.lost < p.expected {
			settled = time.Second // the server did not end them all
		}
		over := p.away == 0 && time.Since(p.changed) > settled
		p.mu.Unlock()
		if over {
			return
		}
	}
}

// settle waits for the clients and ends the burst.
func (p *pool) settle() (Burst, error) {
	p.waitBack()
	p.mu.Lock()
	b := *p.burst
	p.burst = nil
	index := p.index
	p.mu.Unlock()
	for i := range p.clients {
		c := &p.clients[i]
		c.mu.Lock()
		if c.burst == index && c.back > 0 {
			b.recovered = append(b.recovered, c.back)
		}
		c.mu.Unlock()
	}
	return b, nil
}

// stop ends everything that is under way.
func (p *pool) stop() (ending, error) {
	p.mu.Lock()
	open := p.open
	p.stopped = true
	p.mu.Unlock()
	p.clock.End()
	p.cancel()
	p.release()
	p.pending.Wait()
	p.lines.end()
	return ending{Open: open, GaveUp: p.gone, Held: p.gate.count()}, p.log.close() // nothing runs any more: p.gone needs no lock
}

// attempted notes that an attempt begins; false when the pool has stopped.
func (p *pool) attempted(at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over() {
		return false
	}
	p.pending.Add(1)
	if p.burst != nil {
		p.burst.arrived(at)
	}
	return true
}

// over reports whether attempts count no more: what an interrupt breaks off is no failure. The lock is held.
func (p *pool) over() bool { return p.stopped || p.ctx.Err() != nil }

// opened notes a session; false when the pool has stopped.
func (p *pool) opened(c *client, s session, now time.Time) bool {
	// Always a client's lock before the pool's.
	c.mu.Lock()
	defer c.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	p.log.opened(c.number, c.begun, now)
	p.open++
	p.returned()
	if p.burst != nil && c.burst == p.index {
		c.back = now.Sub(p.burst.At)
	}
	c.session, c.opened, c.spoke = s, now, false
	return true
}

func (p *pool) returned() {
	p.away--
	p.changed = time.Now()
}

// failed notes an attempt without a session; false when the pool has stopped.
func (p *pool) failed(c *client, kind Kind, now time.Time) bool {
	p.mu.Lock()
	stopped := p.over()
	if p.burst != nil && !stopped {
		p.burst.Failed++
		p.burst.Errors[kind]++
	}
	p.mu.Unlock()
	if !stopped {
		p.log.failed(c.number, kind, c.begun, now)
	}
	return !stopped
}

// ended notes the end of a session; false when the pool has stopped.
func (p *pool) ended(c *client, code ws.StatusCode, now time.Time) bool {
	c.mu.Lock()
	c.session = nil
	opened := c.opened
	p.mu.Lock()
	p.open--
	stopped := p.stopped
	if !stopped {
		p.away++
		p.changed = now
	}
	if b := p.burst; b != nil && !stopped {
		first := opened.Before(b.At)
		if first {
			p.lost++
		}
		if code == 1013 { // accepted only to be told to come back later: no session, and nobody is back
			b.Failed++
			b.Errors[laterCode]++
		}
		if c.burst != p.index && (first || code != 1013) {
			c.burst = p.index
			b.Dropped++
		}
		c.back = 0
	}
	p.mu.Unlock()
	c.mu.Unlock()
	if !stopped {
		p.log.closed(c.number, code, opened, now)
	}
	return !stopped
}

func (p *pool) gaveUp() {
	p.mu.Lock()
	p.gone++
	p.returned()
	p.mu.Unlock()
}

func (p *pool) snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Snapshot{Elapsed: time.Since(p.begun), Burst: p.index, Bursts: p.options.Bursts, Open: p.open, Clients: len(p.clients)}
	if p.burst != nil {
		s.Failed = p.burst.Failed
		s.Arrivals = append(s.Arrivals, p.burst.Arrivals...)
	}
	return s
}

// gate bounds the rate of attempts: each takes its place, and one that comes too early is told how long to wait until it has come.
type gate struct {
	mu   sync.Mutex
	each time.Duration
	next time.Time
	held int // how many had to wait
}

// slack is how far ahead of the rate attempts may run: a burst of so much is let through at once.
const slack = 100 * time.Millisecond

// enter takes a place and says how long it is until then. Nobody asks twice for one attempt.
func (g *gate) enter(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next.Before(now) {
		g.next = now
	}
	wait := max(0, g.next.Sub(now)-slack)
	if wait > 0 {
		g.held++
	}
	g.next = g.next.Add(g.each)
	return wait
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
