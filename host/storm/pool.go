package storm

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/backoff"
)

// pool is the herd and what is counted of it.
type pool struct {
	options  Options
	schedule *backoff.Schedule
	dialer   *dialer
	log      *eventLog
	ctx      context.Context
	gate     gate
	clients  []client

	mu      sync.Mutex
	burst   *Burst // under way; nil while the first connects are made
	index   int
	open    int
	away    int // clients without a session whose policy has not ended
	gone    int // clients whose policy ended
	stopped bool
	timers  map[*time.Timer]struct{}
	back    chan struct{} // signalled when away reaches 0
	pending sync.WaitGroup
}

// Run makes the storm and reports it. It ends by itself; a context that ends first stops it cleanly, and the report then
// says what ran.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	schedule, err := o.Policy.Compile()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	p := &pool{
		options: o, schedule: schedule, dialer: newDialer(&o), log: newEventLog(o.Log, o.URI), ctx: ctx,
		gate: gate{each: time.Duration(float64(time.Second) / o.Rate)}, clients: make([]client, o.Clients),
		timers: map[*time.Timer]struct{}{}, back: make(chan struct{}, 1),
	}
	for i := range p.clients {
		p.clients[i] = client{pool: p, number: o.First + i}
	}
	report := &Report{URI: o.URI, Policy: o.Policy.String(), Clients: o.Clients}
	done := p.watch(begin)
	defer done()
	p.away = o.Clients
	p.ramp()
	p.waitBack(o.Patience)
	for range o.Bursts {
		if !sleep(ctx, o.Interval) {
			break
		}
		p.startBurst()
		p.waitBack(o.Patience)
		report.Bursts = append(report.Bursts, p.endBurst())
		if ctx.Err() != nil {
			break
		}
	}
	if len(report.Bursts) < o.Bursts {
		report.Stopped = "interrupted"
		if ctx.Err() == context.DeadlineExceeded {
			report.Stopped = "duration"
		}
	}
	report.Open = p.stop(cancel)
	report.GaveUp, report.Held = p.gone, p.gate.count() // nothing runs any more: p.gone needs no lock
	report.Took = time.Since(begin)
	return report, p.log.close()
}

// ramp makes the first connects, spread so that they are no storm themselves.
func (p *pool) ramp() {
	for i := range p.clients {
		at := time.Duration(float64(i) / p.options.Ramp * float64(time.Second))
		c := &p.clients[i]
		p.after(at, func() {
			c.mu.Lock()
			c.attempt = 1
			c.mu.Unlock()
			c.try()
		})
	}
}

func (p *pool) startBurst() {
	now := time.Now()
	select {
	case <-p.back: // said of a session that ended between two bursts
	default:
	}
	p.mu.Lock()
	p.index++
	p.burst = &Burst{At: now, Errors: map[Kind]int{}}
	p.mu.Unlock()
	if p.options.Drop != nil {
		p.options.Drop()
		return
	}
	for i := range p.clients {
		c := &p.clients[i]
		c.mu.Lock()
		socket := c.socket
		c.mu.Unlock()
		if socket != nil {
			socket.Close()
		}
	}
}

// waitBack waits until every client of the burst is back, at most so long.
func (p *pool) waitBack(most time.Duration) {
	limit := time.NewTimer(most)
	defer limit.Stop()
	// A burst has begun when its first session ends; one that drops nobody is over at once.
	settle := time.NewTimer(200 * time.Millisecond)
	defer settle.Stop()
	for {
		select {
		case <-p.back:
		case <-settle.C:
		case <-limit.C:
			return
		case <-p.ctx.Done():
			return
		}
		p.mu.Lock()
		over := p.away == 0
		p.mu.Unlock()
		if over {
			return
		}
	}
}

func (p *pool) endBurst() Burst {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := *p.burst
	p.burst = nil
	b.finish()
	return b
}

// stop ends everything that is under way and says how many sessions there were.
func (p *pool) stop(cancel context.CancelFunc) int {
	p.mu.Lock()
	open := p.open
	p.stopped = true
	for t := range p.timers {
		if t.Stop() {
			p.pending.Done()
		}
	}
	p.timers = nil
	p.mu.Unlock()
	cancel()
	for i := range p.clients {
		c := &p.clients[i]
		c.mu.Lock()
		if c.socket != nil {
			c.socket.Close()
		}
		c.mu.Unlock()
	}
	p.pending.Wait()
	return open
}

// after runs something later, unless the pool has stopped by then. Go's own timers are a heap with one lock a processor:
// 100,000 of them cost less than the sockets they wait for.
func (p *pool) after(wait time.Duration, do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.pending.Add(1)
	var t *time.Timer
	t = time.AfterFunc(wait, func() {
		defer p.pending.Done()
		p.mu.Lock()
		delete(p.timers, t)
		stopped := p.stopped
		p.mu.Unlock()
		if !stopped {
			do()
		}
	})
	p.timers[t] = struct{}{}
}

// admit lets an attempt through now, or puts it off because the rate is used up.
func (p *pool) admit(c *client) bool {
	wait := p.gate.enter(time.Now())
	if wait > 0 {
		p.after(wait, c.try)
		return false
	}
	return true
}

func (p *pool) attempted(c *client, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.burst == nil {
		return
	}
	bin := max(0, int(at.Sub(p.burst.At)/BinWidth)) // the burst may have begun since
	for len(p.burst.Arrivals) <= bin {
		p.burst.Arrivals = append(p.burst.Arrivals, 0)
	}
	p.burst.Arrivals[bin]++
}

// opened notes a session; false when the pool has stopped.
func (p *pool) opened(c *client, socket net.Conn, at, now time.Time) bool {
	// Always a client's lock before the pool's.
	c.mu.Lock()
	defer c.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	p.log.opened(c.number, at, now)
	p.pending.Add(1)
	p.open++
	p.returned()
	if !c.dropped.IsZero() && p.burst != nil {
		p.burst.recovered = append(p.burst.recovered, now.Sub(p.burst.At))
	}
	c.socket, c.opened, c.spoke, c.dropped = socket, now, false, time.Time{}
	return true
}

func (p *pool) returned() {
	if p.away--; p.away == 0 {
		select {
		case p.back <- struct{}{}:
		default:
		}
	}
}

// failed notes an attempt without a session; false when the pool has stopped.
func (p *pool) failed(c *client, kind Kind, at, now time.Time) bool {
	p.mu.Lock()
	stopped := p.stopped
	if p.burst != nil && !stopped {
		p.burst.Failed++
		p.burst.Errors[kind]++
	}
	p.mu.Unlock()
	if !stopped {
		p.log.failed(c.number, kind, at, now)
	}
	return !stopped
}

// ended notes the end of a session; false when the pool has stopped.
func (p *pool) ended(c *client, code ws.StatusCode, now time.Time) bool {
	c.mu.Lock()
	c.socket = nil
	opened := c.opened
	c.mu.Unlock()
	p.mu.Lock()
	p.open--
	stopped := p.stopped
	if !stopped {
		p.away++
	}
	if b := p.burst; b != nil && !stopped {
		if code == 1013 { // accepted only to be told to come back later: no session, and nobody is back
			b.Failed++
			b.Errors[laterCode]++
			if i := slices.Index(b.recovered, opened.Sub(b.At)); i >= 0 {
				b.recovered = slices.Delete(b.recovered, i, i+1)
			}
		} else {
			b.Dropped++
		}
	}
	p.mu.Unlock()
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

// watch calls Progress twice a second until the function it returns is called.
func (p *pool) watch(begin time.Time) func() {
	if p.options.Progress == nil {
		return func() {}
	}
	end := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				p.options.Progress(p.snapshot(begin))
			}
		}
	})
	return func() { close(end); wait.Wait() }
}

func (p *pool) snapshot(begin time.Time) Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Snapshot{Elapsed: time.Since(begin), Burst: p.index, Bursts: p.options.Bursts, Open: p.open, Clients: len(p.clients)}
	if p.burst != nil {
		s.Failed = p.burst.Failed
		s.Arrivals = append(s.Arrivals, p.burst.Arrivals...)
	}
	return s
}

// gate bounds the rate of attempts: each takes its place, and one that comes too early is told how long to wait.
type gate struct {
	mu   sync.Mutex
	each time.Duration
	next time.Time
	held int
}

// slack is how far ahead of the rate attempts may run: a burst of so much is let through at once.
const slack = 100 * time.Millisecond

func (g *gate) enter(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next.Before(now) {
		g.next = now
	}
	if wait := g.next.Sub(now) - slack; wait > 0 {
		g.held++
		return wait
	}
	g.next = g.next.Add(g.each)
	return 0
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
