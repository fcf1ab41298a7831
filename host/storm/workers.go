package storm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// worker is a worker process.
type worker struct {
	process *exec.Cmd
	in      io.WriteCloser
	answers chan answer // closed when it has ended
	silence time.Duration
	mu      sync.Mutex
	seen    Snapshot
	heard   time.Time // when it last said something
}

// The worker says something every beat, whatever it does. One that is silent for so long is stopped or stuck, and is not waited
// for; a busy machine is late by less.
const (
	beat    = 500 * time.Millisecond
	silence = 15 * time.Second
)

// hire starts a worker and gives it its first order.
func hire(ctx context.Context, self []string, log *os.File, first order) (*worker, answer, error) {
	if len(self) == 0 {
		return nil, answer{}, errors.New("storm: no command for worker processes")
	}
	w := &worker{process: exec.Command(self[0], self[1:]...), answers: make(chan answer, 4), silence: silence, heard: time.Now()}
	keeper.Apart(w.process)
	w.process.Stderr = os.Stderr
	if log != nil {
		w.process.ExtraFiles = []*os.File{log}
		first.Log = true
	}
	var err error
	if w.in, err = w.process.StdinPipe(); err != nil {
		return nil, answer{}, err
	}
	out, err := w.process.StdoutPipe()
	if err != nil {
		return nil, answer{}, err
	}
	if err := w.process.Start(); err != nil {
		return nil, answer{}, err
	}
	go func() {
		defer close(w.answers)
		lines := json.NewDecoder(out)
		for {
			var a answer
			if lines.Decode(&a) != nil {
				return
			}
			w.mu.Lock()
			w.heard = time.Now()
			if a.Snapshot != nil {
				w.seen = *a.Snapshot
			}
			w.mu.Unlock()
			if a.Snapshot == nil {
				w.answers <- a
			}
		}
	}()
	a, err := w.call(ctx, first)
	if err != nil {
		w.end()
		return nil, a, err
	}
	return w, a, nil
}

// call gives an order and waits for its answer. When ctx ends, the worker is told to end what it does, and answers. One that is
// silent is not waited for.
func (w *worker) call(ctx context.Context, o order) (answer, error) {
	if err := json.NewEncoder(w.in).Encode(o); err != nil {
		return answer{}, fmt.Errorf("storm: a worker process is gone: %w", err)
	}
	done := ctx.Done()
	var limit <-chan time.Time
	listen := time.NewTicker(min(beat, w.silence))
	defer listen.Stop()
	for {
		select {
		case a, ok := <-w.answers:
			switch {
			case !ok:
				return a, errors.New("storm: a worker process ended while it was to " + o.Do)
			case a.Error != "":
				return a, errors.New(a.Error)
			}
			return a, nil
		case <-done:
			done = nil
			limit = time.After(20 * time.Second)
			json.NewEncoder(w.in).Encode(order{Do: "halt"})
		case <-listen.C:
			w.mu.Lock()
			quiet := time.Since(w.heard)
			w.mu.Unlock()
			if quiet > w.silence {
				w.process.Process.Kill()
				return answer{}, errors.New("storm: a worker process that was to " + o.Do + " has said nothing for " + figure.Span(float64(w.silence)) + " and was ended")
			}
		case <-limit:
			return answer{}, errors.New("storm: a worker process does not " + o.Do)
		}
	}
}

// end ends the process: its standard input ends, and if that is not enough it is killed.
func (w *worker) end() {
	w.in.Close()
	kill := time.AfterFunc(10*time.Second, func() { w.process.Process.Kill() })
	defer kill.Stop()
	for range w.answers {
	}
	w.process.Wait()
}

// workers is the crew of a storm that is spread over processes.
type workers struct {
	ctx     context.Context
	options Options
	list    []*worker
	begun   time.Time
}

// startWorkers starts a process for each of the URIs and deals the clients out.
func startWorkers(ctx context.Context, o Options) (*workers, error) {
	var log *os.File
	if o.Log != nil {
		var ok bool
		if log, ok = o.Log.(*os.File); !ok {
			return nil, errors.New("storm: the log of worker processes must be a file")
		}
	}
	s := &workers{ctx: ctx, options: o, begun: time.Now()}
	k := len(o.Workers)
	for i, uri := range o.Workers {
		part := o
		part.Workers, part.Self = nil, nil
		part.URI, part.First, part.Clients = uri, o.First+i*o.Clients/k, (i+1)*o.Clients/k-i*o.Clients/k
		part.Rate, part.Ramp = o.Rate/float64(k), o.Ramp/float64(k)
		w, _, err := hire(ctx, o.Self, log, order{Do: "start", Clients: &part})
		if err != nil {
			s.end()
			return nil, err
		}
		s.list = append(s.list, w)
	}
	return s, nil
}

func (s *workers) end() {
	for _, w := range s.list {
		w.end()
	}
}

// all gives every worker the same order at once and collects the answers, in the workers' order.
func (s *workers) all(o order) ([]answer, error) {
	answers, errs := make([]answer, len(s.list)), make([]error, len(s.list))
	var wait sync.WaitGroup
	for i, w := range s.list {
		wait.Go(func() { answers[i], errs[i] = w.call(s.ctx, o) })
	}
	wait.Wait()
	return answers, errors.Join(errs...)
}

func (s *workers) do(o order) error {
	_, err := s.all(o)
	return err
}

func (s *workers) connect() error         { return s.do(order{Do: "connect"}) }
func (s *workers) arm(at time.Time) error { return s.do(order{Do: "arm", At: at.UnixNano()}) }
func (s *workers) release() error         { return s.do(order{Do: "release"}) }

// settle adds the workers' bursts up: bins, counts and recoveries are the same as if one process had seen them all.
func (s *workers) settle() (Burst, error) {
	answers, err := s.all(order{Do: "settle"})
	if err != nil {
		return Burst{}, err
	}
	b := Burst{Errors: map[Kind]int{}}
	for _, a := range answers {
		if a.Burst == nil {
			return Burst{}, errors.New("storm: a worker process has no burst")
		}
		b.add(a.Burst)
	}
	return b, nil
}

func (b *Burst) add(part *burst) {
	b.Dropped += part.Dropped
	b.Failed += part.Failed
	for i, n := range part.Arrivals {
		if i == len(b.Arrivals) {
			b.Arrivals = append(b.Arrivals, 0)
		}
		b.Arrivals[i] += n
	}
	for k, n := range part.Errors {
		b.Errors[k] += n
	}
	b.recovered = append(b.recovered, part.Recovered...)
}

func (s *workers) snapshot() Snapshot {
	sum := Snapshot{Elapsed: time.Since(s.begun), Bursts: s.options.Bursts, Clients: s.options.Clients}
	for _, w := range s.list {
		w.mu.Lock()
		sum.Burst = max(sum.Burst, w.seen.Burst)
		sum.Open += w.seen.Open
		sum.Failed += w.seen.Failed
		for i, n := range w.seen.Arrivals {
			if i == len(sum.Arrivals) {
				sum.Arrivals = append(sum.Arrivals, 0)
			}
			sum.Arrivals[i] += n
		}
		w.mu.Unlock()
	}
	return sum
}

func (s *workers) stop() (ending, error) {
	defer s.end()
	answers, err := s.all(order{Do: "stop"})
	var sum ending
	for _, a := range answers {
		if a.Ending != nil {
			sum.Open += a.Ending.Open
			sum.GaveUp += a.Ending.GaveUp
			sum.Held += a.Ending.Held
		}
	}
	return sum, err
}

// Gateways are gateways in processes of their own, which share one gateway's limits.
type Gateways struct {
	list []*worker
	uris []string
	errs []error // what first went wrong with each
}

// StartGateways starts so many; capacity, backlog and descriptors are divided among them. A log must be a file opened for
// appending.
func StartGateways(ctx context.Context, self []string, n int, o gateway.Options, log *os.File) (*Gateways, error) {
	o.Capacity /= float64(n)
	if o.Backlog > 0 {
		o.Backlog = max(1, o.Backlog/n)
	}
	if o.FDLimit > 0 {
		o.FDLimit = max(1, o.FDLimit/n)
	}
	g := &Gateways{errs: make([]error, n)}
	for range n {
		w, a, err := hire(ctx, self, log, order{Do: "start", Gateway: &o})
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.list, g.uris = append(g.list, w), append(g.uris, a.URI)
	}
	return g, nil
}

// URIs are where clients connect, one for each gateway.
func (g *Gateways) URIs() []string { return g.uris }

// Drop ends every session of all of them and says how many. What goes wrong is told by Close.
func (g *Gateways) Drop() (sum int) {
	dropped := make([]int, len(g.list))
	var wait sync.WaitGroup
	for i, w := range g.list {
		wait.Go(func() {
			a, err := w.call(context.Background(), order{Do: "drop"})
			dropped[i] = a.Dropped
			g.note(i, err)
		})
	}
	wait.Wait()
	for _, n := range dropped {
		sum += n
	}
	return sum
}

// Close ends them.
func (g *Gateways) Close() error {
	var wait sync.WaitGroup
	for i, w := range g.list {
		wait.Go(func() {
			_, err := w.call(context.Background(), order{Do: "stop"})
			g.note(i, err)
			w.end()
		})
	}
	wait.Wait()
	return errors.Join(g.errs...)
}

// note keeps what first went wrong with a gateway: one that is gone is gone for every order.
func (g *Gateways) note(i int, err error) {
	if g.errs[i] == nil {
		g.errs[i] = err
	}
}
