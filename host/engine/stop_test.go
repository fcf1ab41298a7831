package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/wasm/abi"
)

// source is an input that a test looks into.
type source struct {
	read   func(b []byte) (int, error)
	closed chan struct{}
}

func (s *source) Read(b []byte) (int, error) { return s.read(b) }
func (s *source) Close() error               { close(s.closed); return nil }

func (s *source) input() engine.Input {
	return engine.Input{Name: "x", Open: func() (io.ReadCloser, error) { return s, nil }}
}

const (
	element = `{"timestamp":1000,"client_ip":"192.0.2.1","event_type":"retry","retry_interval_ms":1000}`
	request = `192.0.2.1 - - [01/Dec/2026:10:00:00 +0000] "GET /ws HTTP/1.1" 101 0 "-" "x/1"` + "\n"
)

// endless gives an input that never ends: one record, with what stands between two, over and over.
func endless(first, record string) func(b []byte) (int, error) {
	piece := []byte(strings.Repeat(record, 1000))
	from := io.Reader(strings.NewReader(first))
	return func(b []byte) (int, error) {
		n, err := from.Read(b)
		if err == io.EOF {
			from = bytes.NewReader(piece)
			n, err = from.Read(b)
		}
		return n, err
	}
}

// An input without an end is left when the context ends: as an array, which one worker reads; as lines; and while its head,
// from which paths are learned, is read.
func TestGatherStopped(t *testing.T) {
	e := engine.Native(nil)
	for _, c := range []struct {
		name, first, record string
		after               int // bytes
	}{
		{"array", "[" + element, "," + element, 5 << 20},
		{"lines", "", element + "\n", 5 << 20},
		{"head", "", request, 5 << 20},
	} {
		for _, workers := range []int{1, 3} {
			ctx, cancel := context.WithCancelCause(t.Context())
			total, after := 0, 0
			read := endless(c.first, c.record)
			s := &source{closed: make(chan struct{})}
			s.read = func(b []byte) (int, error) {
				n, err := read(b)
				if total += n; total >= c.after {
					cancel(errors.New("the user had enough"))
					after++
				}
				return n, err
			}
			_, err := e.Gather(ctx, engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: workers, Inputs: []engine.Input{s.input()}})
			if !errors.Is(err, fault.Deadline) || !strings.HasSuffix(err.Error(), "the user had enough") {
				t.Errorf("%s, %d workers: %v", c.name, workers, err)
			}
			<-s.closed
			if after > 2 {
				t.Errorf("%s, %d workers: %d reads after the end", c.name, workers, after)
			}
		}
	}
}

// A read that waits for ever delays nothing: Gather returns, and whoever waits closes the input.
func TestGatherIdle(t *testing.T) {
	for _, first := range []string{"", "[" + element, strings.Repeat(element+"\n", 30_000)} {
		for _, workers := range []int{1, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			some := strings.NewReader(first)
			more := make(chan struct{})
			s := &source{closed: make(chan struct{})}
			s.read = func(b []byte) (int, error) {
				if n, err := some.Read(b); err == nil {
					return n, nil
				}
				cancel()
				<-more
				return 0, io.EOF
			}
			if _, err := engine.Native(nil).Gather(ctx, engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: workers, Inputs: []engine.Input{s.input()}}); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			close(more)
			<-s.closed
		}
	}
}

// failingFeed is a session whose stream refuses its second piece.
type failingFeed struct {
	engine.Session
	fed int
}

func (f *failingFeed) Feed(h abi.Handle, chunk []byte) ([]byte, error) {
	if f.fed++; f.fed == 2 {
		return nil, &fault.Error{Code: fault.Crashed, Message: "the second piece"}
	}
	return f.Session.Feed(h, chunk)
}

type failingFeeds struct{}

func (failingFeeds) Take(context.Context) (engine.Session, error) {
	return &failingFeed{Session: &abi.Session{}}, nil
}
func (failingFeeds) Give(engine.Session, bool) {}

// What fails in a worker is told at once, even if the input goes on or waits.
func TestGatherRefused(t *testing.T) {
	some := strings.NewReader("[" + strings.Repeat(element+",", 30_000))
	more := make(chan struct{})
	for _, read := range []func(b []byte) (int, error){
		endless("["+element, ","+element),
		func(b []byte) (int, error) {
			if n, err := some.Read(b); err == nil {
				return n, nil
			}
			<-more
			return 0, io.EOF
		},
	} {
		s := &source{read: read, closed: make(chan struct{})}
		_, err := engine.New(failingFeeds{}).Gather(t.Context(), engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: 2, Inputs: []engine.Input{s.input()}})
		if !errors.Is(err, fault.Crashed) {
			t.Error(err)
		}
	}
	close(more)
}

// However many inputs are read at once, the long heads from which paths are learned are held by two of them at most.
func TestGatherHeads(t *testing.T) {
	text := []byte(strings.Repeat(request, (1<<20)/len(request)+500))
	var held, most atomic.Int64
	job := engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: 5}
	for range 5 {
		in := bytes.NewReader(text)
		s := &source{closed: make(chan struct{})}
		long := false
		s.read = func(b []byte) (int, error) {
			at := len(text) - in.Len()
			if at == 1<<20 && !long { // the first MiB was not enough
				long = true
				n := held.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				for range 100 {
					runtime.Gosched()
				}
			}
			n, err := in.Read(b)
			if err == io.EOF && long {
				held.Add(-1)
			}
			return n, err
		}
		job.Inputs = append(job.Inputs, s.input())
	}
	if got := gathered(t.Context(), engine.Native(nil), job); strings.HasPrefix(got, "error") {
		t.Fatal(got)
	}
	if n := most.Load(); n < 1 || n > 2 {
		t.Errorf("%d long heads at once", n)
	}
}

// What Await was given to wait for is either the caller's or late's, also where the context had ended before.
func TestAwaitHandsOn(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	end()
	late := false
	_, err := engine.Await(over, func() int { t.Error("begun"); return 1 }, func(v int) { late = v == 0 })
	if !late || !errors.Is(err, context.Canceled) {
		t.Errorf("late %v, error %v", late, err)
	}
	if v, err := engine.Await(context.Background(), func() int { return 2 }, nil); v != 2 || err != nil {
		t.Error(v, err)
	}
}
