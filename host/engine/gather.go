package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/stormlint/stormlint/core/analyze/compat"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

// Input is one input of a Job.
type Input struct {
	// Name stands in the report and in errors.
	Name string
	// Open gives its bytes, decompressed.
	Open func() (io.ReadCloser, error)
	// File opens the input for reading anywhere, if it is a plain file; ok is false where it is not. nil is never.
	File func() (file File, size int64, ok bool, err error)
}

// File is what can be read anywhere, by several at once.
type File interface {
	io.ReaderAt
	io.Closer
}

// Job is the analysis of some inputs as one.
type Job struct {
	Kind    string          // of stream: analyze or compat
	Options json.RawMessage // of the stream
	Inputs  []Input
	Workers int // 0: as many as processors may be used

	// Read is told how many bytes were read of a File, by several goroutines; what comes from Open is not told. nil drops it.
	Read func(n int)
	// Damaged is told of compressed data that is damaged or cut off; what came before it counts then. With nil it is an
	// error. It is called after the reading, in the order of the inputs.
	Damaged func(error)

	// Empty is what is expected where an input holds nothing; "" is a log.
	Empty string
	// Void is told of inputs that hold nothing, where others hold something: a log that was just rotated. They count then as
	// inputs without records. With nil, and where all hold nothing, it is an error. It is called as Damaged is.
	Void func(error)
	// Part is about how many bytes of a file are one part; 0 is a size that keeps all workers busy.
	Part int64
}

// Gather reads all inputs with several workers and gives a stream that knows all of it, ready to be finished. The answer is
// the same to the last byte whatever the number of workers.
//
// Each worker has one stream and reads parts into it as they come: of a file, byte ranges that it reads by itself; of
// anything that arrives in order (a pipe, compressed data), pieces that end with a line, decompressed beside the parsing. An
// array's parts begin at guesses, which the part before confirms or reads over. What cannot be cut is read by one worker
// while others read the other inputs. In the sandbox, whose module begins no second part, a part is a stream.
func (e *Engine) Gather(ctx context.Context, job Job) (*Stream, error) {
	if len(job.Inputs) == 0 {
		return nil, &fault.Error{Code: fault.BadUsage, Package: "engine", Message: "no input"}
	}
	if job.Workers <= 0 {
		job.Workers = runtime.GOMAXPROCS(0)
	}
	g := &gathering{Job: job, engine: e, ctx: ctx, tasks: make(chan task), results: make([]result, len(job.Inputs))}
	g.inputs, g.stops = make([]context.Context, len(job.Inputs)), make([]context.CancelFunc, len(job.Inputs))
	for i := range g.inputs {
		g.inputs[i], g.stops[i] = context.WithCancel(ctx)
		defer g.stops[i]()
	}
	g.failed = len(job.Inputs)
	if job.Kind == "compat" && job.Workers > 1 {
		g.crowd = compat.NewCrowd(new(locks))
	}
	g.turns = make(chan struct{}, longHeads)
	streams := make([]*Stream, job.Workers)
	var workers, producers sync.WaitGroup
	for w := range job.Workers {
		workers.Go(func() { streams[w] = g.work() })
	}
	open := make(chan struct{}, job.Workers) // inputs that are read at once
	for source := range job.Inputs {
		open <- struct{}{}
		if !g.wanted(source) {
			break
		}
		producers.Go(func() {
			defer func() { <-open }()
			if err := g.produce(source); err != nil && !g.spared(source, err) {
				g.fail(source, err)
			}
		})
	}
	producers.Wait()
	close(g.tasks)
	workers.Wait()
	return g.join(streams)
}

// gathering is a Job at work.
type gathering struct {
	Job
	engine  *Engine
	ctx     context.Context
	inputs  []context.Context // of each input: it ends when the input need not be read any more
	stops   []context.CancelFunc
	tasks   chan task
	turns   chan struct{} // of those who hold a long head
	lock    sync.Mutex
	failed  int // the first input that failed; those behind it need not be read
	results []result
	buffers sync.Pool
	crowd   *compat.Crowd // nil for none
}

// locks keep the tables of a crowd apart.
type locks [compat.Tables]sync.Mutex

func (l *locks) Lock(k int)   { l[k].Lock() }
func (l *locks) Unlock(k int) { l[k].Unlock() }

// longHeads is how many inputs are looked at for long at once. A long head has 64 MiB, and what it is asked for must be at
// hand as a whole; two keep two processors busy, and more would only take more memory.
const longHeads = 2

// turn waits until a long head may be read; release, which can be called more than once, says that it is gone.
func (g *gathering) turn(ctx context.Context) (release func(), err error) {
	select {
	case g.turns <- struct{}{}:
		return sync.OnceFunc(func() { <-g.turns }), nil
	case <-ctx.Done():
		return func() {}, alive(ctx)
	}
}

// result is what became of one input.
type result struct {
	err, damage error
	void        error     // the input holds nothing
	extra       []*Stream // of parts that could not be read into a worker's stream
}

// task is one part of an input.
type task struct {
	source, index int
	plan          json.RawMessage // nil: the stream decides, or has none
	framing       string
	feed          func(s *Stream) error
	apart         bool            // the part wants a stream of its own
	done          func(s *Stream) // called in the end, with the part's own stream or nil
}

// wanted reports whether an input is still worth reading: it has not failed, nor has one before it, and nobody stopped
// the whole.
func (g *gathering) wanted(source int) bool { return g.inputs[source].Err() == nil }

func (g *gathering) fail(source int, err error) {
	err = Named(err, g.Inputs[source].Name)
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.results[source].err == nil {
		g.results[source].err = err
	}
	for i := source; i < g.failed; i++ {
		g.stops[i]()
	}
	g.failed = min(g.failed, source)
}

// request is what a part's stream is opened with, or begins the part with.
func (g *gathering) request(t *task) ([]byte, error) {
	r := map[string]any{"options": g.Options, "part": map[string]any{"source": t.source, "index": t.index, "name": g.Inputs[t.source].Name}}
	if t.plan != nil {
		r["plan"] = t.plan
	}
	if g.Kind == "compat" && t.framing != "" {
		r["framing"] = t.framing
	}
	return json.Marshal(r)
}

// work does tasks until there are none, and gives the stream that knows what was read.
func (g *gathering) work() *Stream {
	var all *Stream
	for t := range g.tasks {
		if !g.wanted(t.source) {
			t.done(nil)
			continue
		}
		own, err := g.do(&t, &all)
		if err != nil {
			g.fail(t.source, err)
		}
		t.done(own)
	}
	return all
}

// do reads one part, into the worker's stream or into one of its own, which it gives.
func (g *gathering) do(t *task, all **Stream) (own *Stream, err error) {
	request, err := g.request(t)
	if err != nil {
		return nil, err
	}
	if !t.apart && *all != nil {
		if begun, err := (*all).begin(g.ctx, request); begun || err != nil {
			if err == nil {
				err = t.feed(*all)
			}
			return nil, err
		}
	}
	s, err := g.engine.Open(g.ctx, g.Kind, request)
	if err != nil {
		return nil, err
	}
	if native, ok := s.session.(*abi.Session); ok && g.crowd != nil && !t.apart {
		if err := native.Join(s.handle, g.crowd); err != nil {
			return s, err
		}
	}
	err = t.feed(s)
	switch {
	case t.apart:
		return s, err
	case *all == nil:
		*all = s
	case err == nil:
		err = (*all).absorb(g.ctx, s, 1)
	default:
		s.Close()
	}
	return nil, err
}

// join makes one stream of all.
func (g *gathering) join(streams []*Stream) (*Stream, error) {
	var err error
	voids := 0
	for source := range g.results {
		if g.results[source].void != nil {
			voids++
		}
	}
	for source := range g.results {
		r := &g.results[source]
		streams = append(streams, r.extra...)
		if err == nil {
			err = r.err
		}
		switch {
		case err != nil || r.void == nil:
		case voids == len(g.results):
			err = r.void
		default:
			g.Void(r.void)
		}
		if err == nil && r.damage != nil && g.Damaged != nil {
			g.Damaged(r.damage)
		}
	}
	if err == nil {
		err = alive(g.ctx) // what was stopped has not read everything
	}
	var whole *Stream
	for _, s := range streams {
		switch {
		case s == nil:
		case err != nil:
			s.Close()
		case whole == nil:
			whole = s
		default:
			if err = whole.absorb(g.ctx, s, g.Workers); err != nil {
				whole.Close()
			}
		}
	}
	if err == nil && whole != nil {
		err = whole.share(g.Workers)
	}
	if err != nil {
		return nil, err
	}
	return whole, nil
}

// share lets several workers do what is left before the report, where that is possible.
func (s *Stream) share(workers int) error {
	native, ok := s.session.(*abi.Session)
	if !ok || workers < 2 {
		return nil
	}
	return native.Share(s.handle, workers, each)
}

// begin begins another part in the stream, where that is possible.
func (s *Stream) begin(ctx context.Context, request []byte) (bool, error) {
	native, ok := s.session.(*abi.Session)
	if !ok {
		return false, nil
	}
	if err := s.check(ctx); err != nil {
		return false, err
	}
	return true, native.Begin(s.handle, request)
}

// absorb adds all that another stream knows and closes it.
func (s *Stream) absorb(ctx context.Context, o *Stream, workers int) error {
	defer o.Close()
	if err := errors.Join(s.check(ctx), o.check(ctx)); err != nil {
		return err
	}
	ours, native := s.session.(*abi.Session)
	theirs, both := o.session.(*abi.Session)
	if native && both {
		return ours.Absorb(s.handle, theirs, o.handle, workers, each)
	}
	state, err := o.session.State(o.handle)
	if err == nil {
		err = s.session.Merge(s.handle, state)
	}
	return err
}

func each(n int, do func(k int)) {
	var all sync.WaitGroup
	for k := range n {
		all.Go(func() { do(k) })
	}
	all.Wait()
}

// Named puts an input's name into a fault that has none and is about the input.
func Named(err error, name string) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Source == "" && (f.Record > 0 || f.Line > 0 || f.Code == fault.Unreadable) {
		with := *f
		with.Source = name
		return &with
	}
	return err
}
