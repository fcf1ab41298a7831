package proxy

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/host/guard"
)

// patience is how long a handshake may wait for its place in a window: a place that is due comes within a second.
const patience = 1500 * time.Millisecond

// errFull: the backend has answered too few of those before.
var errFull = errors.New("the backend is behind: too few handshakes answered within the last second")

// window keeps what arrives at a backend at the fleet's limit in any second, whatever lies between. The guard lets
// handshakes go at the right moments, but on the way they wait for processors, sockets and an accept loop, and come in
// bunches. When one arrives nobody here can see; it is after it was sent and before it was answered. So a handshake holds
// a place from when it is sent until one second after its answer, and there are as many places as the limit admits: of
// all that arrive within one second, the one sent last found the others still in their places.
//
// Places that come free together, because the backend stalled and then answered all, are given out over the better part of
// the next second: else a bunch would come back as a bunch a second later, for ever.
//
// Note: pacing alone was tried. A backend of 225 a second, on the same two busy cores, saw 247 in its busiest second.
type window struct {
	now   func() int64                // ns, monotonic
	later func(time.Duration, func()) // time.AfterFunc
	full  atomic.Uint64               // handshakes turned away
	mu    sync.Mutex
	most  int
	out   int             // sent and not answered
	ends  []int64         // instants of the answers of the last second, in order
	line  []chan struct{} // who waits for a place; closed when it is there
	pace  bucket.Bucket   // half as fast again as the limit
	next  int64           // when somebody will look again; 0: nobody
}

func newWindow() *window {
	start := time.Now()
	return &window{
		now:   func() int64 { return int64(time.Since(start)) },
		later: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
}

// enter waits for one of the places; nil means that leave must follow.
func (w *window) enter(ctx context.Context, most int) error {
	w.mu.Lock()
	if most != w.most {
		w.most = most
		w.pace.Rule, _ = bucket.Limit{Rate: 1.5 * float64(most), Burst: max(1, int64(most/20))}.Compile() // a number from 1 to 1e15
	}
	turn := make(chan struct{})
	w.line = append(w.line, turn)
	w.advance()
	w.mu.Unlock()
	select {
	case <-turn:
		return nil
	default:
	}
	tired := time.NewTimer(patience)
	defer tired.Stop()
	err := errFull
	select {
	case <-turn:
		return nil
	case <-tired.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.line {
		if c == turn {
			w.line = append(w.line[:i], w.line[i+1:]...)
			if err == errFull {
				w.full.Add(1)
			}
			return err
		}
	}
	return nil // both at once: the place is taken
}

// leave tells that a handshake was answered, or failed.
func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out--
	w.ends = append(w.ends, w.now())
	w.advance()
}

// advance gives places to those who wait. The caller holds the lock.
func (w *window) advance() {
	now := w.now()
	for len(w.ends) > 0 && w.ends[0] <= now-int64(time.Second) {
		w.ends = w.ends[1:]
	}
	for len(w.line) > 0 && w.out+len(w.ends) < w.most {
		d := w.pace.Take(now, 1)
		if !d.Allowed {
			w.wake(now, now+int64(d.RetryAfter))
			return
		}
		close(w.line[0])
		w.line = w.line[1:]
		w.out++
	}
	switch {
	case len(w.line) == 0:
		w.line = nil
	case len(w.ends) > 0: // else the next answer looks
		w.wake(now, w.ends[0]+int64(time.Second))
	}
}

// wake has somebody look again at an instant, or before it.
func (w *window) wake(now, at int64) {
	if w.next == 0 || at < w.next {
		w.next = at
		w.later(time.Duration(at-now), w.look)
	}
}

func (w *window) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now() >= w.next {
		w.next = 0
	}
	w.advance()
}

// throttle sends what a guard admitted through a window.
type throttle struct {
	next   http.RoundTripper
	window *window
}

// RoundTrip implements http.RoundTripper. A handshake that was sent is waited for although its client has gone: the
// backend sees it all the same.
func (t throttle) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	most := guard.Most(ctx)
	if most == 0 {
		return t.next.RoundTrip(r)
	}
	if err := t.window.enter(ctx, int(most)); err != nil {
		return nil, err
	}
	defer t.window.leave()
	resp, err := t.next.RoundTrip(r.WithContext(context.WithoutCancel(ctx)))
	if err == nil && ctx.Err() != nil {
		resp.Body.Close()
		return nil, ctx.Err()
	}
	return resp, err
}
