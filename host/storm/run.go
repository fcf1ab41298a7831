package storm

import (
	"context"
	"errors"
	"time"
)

// crew is who makes a storm's connections: the clients of this process, or worker processes with theirs.
type crew interface {
	connect() error         // the first connects; returns when they are made
	arm(at time.Time) error // a burst begins
	release() error         // the clients' own sockets are closed
	settle() (Burst, error) // waits until all are back and ends the burst
	snapshot() Snapshot     // how it stands
	stop() (ending, error)  // ends everything
}

// ending is what a crew tells at the end.
type ending struct {
	Open   int // sessions
	GaveUp int // clients whose policy ended
	Held   int // attempts held back by the rate limit
}

var (
	_ crew = (*pool)(nil)
	_ crew = (*workers)(nil)
)

// Run makes the storm and reports it. It ends by itself; a context that ends first stops it cleanly, and the report then
// says what ran.
func Run(ctx context.Context, o Options) (_ *Report, err error) {
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
	var c crew
	if len(o.Workers) == 0 {
		c = newPool(ctx, o, schedule)
	} else if c, err = startWorkers(ctx, o); err != nil {
		return nil, err
	}
	done := func() {}
	if o.Progress != nil {
		done = every(500*time.Millisecond, func() { o.Progress(c.snapshot()) })
	}
	r := &Report{URI: o.URI, Policy: o.Policy.String(), Clients: o.Clients}
	err = bursts(ctx, c, &o, r)
	done()
	end, stopped := c.stop()
	if err = errors.Join(err, stopped); err != nil {
		return nil, err
	}
	if len(r.Bursts) < o.Bursts || ctx.Err() != nil {
		r.Stopped = "interrupted"
		if ctx.Err() == context.DeadlineExceeded {
			r.Stopped = "duration"
		}
	}
	if len(r.Bursts) > 0 && r.Bursts[0].Dropped == 0 {
		text := "nobody had a connection when burst 1 began"
		if kinds := r.Bursts[0].Kinds(); len(kinds) > 0 {
			text += "; what came instead, mostly: " + string(kinds[0])
		}
		r.Notes = append(r.Notes, text)
	}
	r.Open, r.GaveUp, r.Held = end.Open, end.GaveUp, end.Held
	r.Took = time.Since(begin)
	return r, nil
}

// bursts connects the clients and drops them as often as asked.
func bursts(ctx context.Context, c crew, o *Options, r *Report) error {
	if err := c.connect(); err != nil {
		return err
	}
	for range o.Bursts {
		if !sleep(ctx, o.Interval) {
			return nil
		}
		at := time.Now()
		if err := c.arm(at); err != nil {
			return err
		}
		if o.Drop != nil {
			o.Drop()
		} else if err := c.release(); err != nil {
			return err
		}
		b, err := c.settle()
		if err != nil {
			return err
		}
		b.At = at
		b.finish()
		r.Bursts = append(r.Bursts, b)
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}
