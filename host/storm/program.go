package storm

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// Programs describe a storm whose clients are somebody's programs. Zero values are the documented defaults.
type Programs struct {
	Command  string          // {uri} and {n} are replaced; a program may as well read STORMLINT_URI and STORMLINT_CLIENT
	Clients  int             // how many processes, 1 to MaxPrograms
	Gateway  gateway.Options // the server; its Watch is taken
	Away     time.Duration   // how long the gateway turns everybody away after each drop; 0: 10 s
	Interval time.Duration   // sessions last so long before a drop; 0: 6 s, for clients that forget their failures after 5 s
	Bursts   int             // 0: 3
	Patience time.Duration   // how long all may take to connect, and to come back once the gateway is there again; 0: 30 s
	Duration time.Duration   // of everything; 0: 10 minutes
	Keeper   []string        // the command of a process that calls keeper.Keep
	Lint     lint.Options    // for the verdict
	Progress func(Snapshot)  // called twice a second; nil: never
}

// MaxPrograms is the largest number of processes.
const MaxPrograms = 1000

func (o *Programs) validate() ([]string, error) {
	words, err := splitCommand(o.Command)
	if err != nil {
		return nil, err
	}
	if o.Clients < 1 || o.Clients > MaxPrograms {
		return nil, fault.Value("storm", "clients", strconv.Itoa(o.Clients), "1 to "+figure.Count(MaxPrograms)+" programs")
	}
	for _, d := range []struct {
		field string
		value *time.Duration
		usual time.Duration
	}{
		{"down", &o.Away, 10 * time.Second}, {"burst interval", &o.Interval, 6 * time.Second},
		{"patience", &o.Patience, 30 * time.Second}, {"duration", &o.Duration, 10 * time.Minute},
	} {
		if err := orUsual(d.field, d.value, d.usual); err != nil {
			return nil, err
		}
	}
	return words, orOnce(&o.Bursts, 3)
}

// RunPrograms makes the storm with programs and reports what the gateway saw: the bursts, and the verdict of lint on every
// program's waits, a run each per burst. When it returns no process is left, whatever the programs do.
func RunPrograms(ctx context.Context, o Programs) (_ *Report, err error) {
	words, err := o.validate()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	w := newWitness(o.Clients)
	o.Gateway.Watch = w.see
	g, err := gateway.Listen("127.0.0.1:0", o.Gateway)
	if err != nil {
		return nil, err
	}
	defer func() {
		limit, stop := context.WithTimeout(context.Background(), o.Gateway.DrainOver+5*time.Second)
		defer stop()
		err = errors.Join(err, g.Close(limit))
	}()
	list := make([]keeper.Program, o.Clients)
	for i := range list {
		uri := g.URI() + clientPath + strconv.Itoa(i)
		fill := strings.NewReplacer("{uri}", uri, "{n}", strconv.Itoa(i))
		for _, word := range words {
			list[i].Args = append(list[i].Args, fill.Replace(word))
		}
		list[i].Env = []string{"STORMLINT_URI=" + uri, "STORMLINT_CLIENT=" + strconv.Itoa(i)}
	}
	k, err := keeper.Start(o.Keeper, list)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	defer every(lagStep, w.lag.probe())()
	go func() {
		for e := range k.Events {
			if e.Ended {
				w.programEnded(e)
			}
		}
	}()
	if o.Progress != nil {
		defer every(500*time.Millisecond, func() { o.Progress(w.snapshot(begin, o.Bursts)) })()
	}
	r := &Report{URI: g.URI(), Program: o.Command, Clients: o.Clients}
	w.until(ctx, o.Patience, w.connected)
	if err := w.connects(o.Patience); err != nil && ctx.Err() == nil {
		return nil, err
	}
	for range o.Bursts {
		if !sleep(ctx, o.Interval) || w.allEnded() {
			break
		}
		g.TurnAway(true)
		w.drop(time.Now(), g.Drop)
		whole := sleep(ctx, o.Away)
		g.TurnAway(false)
		if whole {
			w.until(ctx, o.Patience, w.returned)
		}
		r.Bursts = append(r.Bursts, w.collect())
		if ctx.Err() != nil {
			break
		}
	}
	if len(r.Bursts) < o.Bursts || ctx.Err() != nil {
		switch {
		case ctx.Err() == nil:
			r.Stopped = "every program ended"
		case ctx.Err() == context.DeadlineExceeded:
			r.Stopped = "duration"
		default:
			r.Stopped = "interrupted"
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Open, r.Took = w.open(), time.Since(begin)
	r.Notes = w.notes()
	w.runs.Resolution = w.lag.resolution()
	if len(w.runs.Delays) > 0 {
		if r.Lint, err = lint.Observed([]lint.Runs{w.runs}, o.Lint); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// every calls do at intervals until the function it returns is called.
func every(d time.Duration, do func()) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				do()
			}
		}
	}()
	return func() { close(end); <-done }
}
