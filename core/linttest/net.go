package linttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"time"
)

// Net is the network that a client under test dials through: a script, on the bubble's fake clock. It is safe for
// concurrent use.
type Net struct {
	fate   func(int) fate
	enough int
	random *rand.Rand

	mu    sync.Mutex
	dials []*attempt
	late  int           // attempts after the end
	moved chan struct{} // closed and replaced when something happened

	done context.Context
	stop context.CancelFunc
}

// attempt is one connection's life.
type attempt struct {
	begin, end time.Time
	open       bool // a session was opened
	ended      bool
	byClient   bool // the client ended it, by its context or by Close
	parallel   int  // connections that lived when it began, itself included
}

// ErrRefused is how a refused attempt fails; it unwraps from what Dial and Connect return.
var ErrRefused = errors.New("connection refused")

func newNet(s *scenario, waits int, seed, client uint64) *Net {
	n := &Net{fate: s.fate, enough: waits + 1, random: rand.New(&guarded{source: rand.NewPCG(seed, client)}), moved: make(chan struct{})}
	n.done, n.stop = context.WithCancel(context.Background())
	return n
}

// Context ends with the scenario: a client that lives until its context ends is well served by it.
func (n *Net) Context() context.Context { return n.done }

// Rand is randomness from Options.Seed, different for each client, for code that takes a source. Several goroutines of a
// client may draw from it; which of them gets which number is then the scheduler's affair.
func (n *Net) Rand() *rand.Rand { return n.random }

// guarded is a source for several goroutines; a rand.Rand has no other state.
type guarded struct {
	mu     sync.Mutex
	source rand.Source
}

func (g *guarded) Uint64() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.source.Uint64()
}

// Session is an open connection, for clients that are tested above the level of sockets.
type Session struct {
	n       *Net
	a       *attempt
	over    chan struct{}
	closing sync.Once
}

// Done is closed when the session has ended, by the server or by Close.
func (s *Session) Done() <-chan struct{} { return s.over }

// Close ends the session from the client's side.
func (s *Session) Close() error {
	s.end(true)
	return nil
}

func (s *Session) end(byClient bool) {
	s.closing.Do(func() {
		s.n.end(s.a, byClient)
		close(s.over)
	})
}

// Connect is one attempt: it fails with ErrRefused, waits as long as ctx lets it, or opens a session.
//
// When the scenario is over it fails with context.Canceled. A client that goes on trying a hundred times after that is
// ended by force: Connect does not return and its goroutine ends (runtime.Goexit).
func (n *Net) Connect(ctx context.Context) (*Session, error) {
	a, f, err := n.begin()
	if err == nil {
		err = n.answer(ctx, a, f)
	}
	if err != nil {
		return nil, err
	}
	s := &Session{n: n, a: a, over: make(chan struct{})}
	go n.live(f, func() { s.end(false) }, s.over)
	return s, nil
}

// begin notes an attempt.
func (n *Net) begin() (*attempt, fate, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.done.Err(); err != nil {
		if n.late++; n.late > 100 {
			runtime.Goexit()
		}
		return nil, refuse, err
	}
	a := &attempt{begin: time.Now(), parallel: 1}
	for _, other := range n.dials {
		if !other.ended {
			a.parallel++
		}
	}
	f := n.fate(len(n.dials))
	n.dials = append(n.dials, a)
	n.stir()
	return a, f, nil
}

// stir tells the observer that something happened; n.mu is held.
func (n *Net) stir() {
	close(n.moved)
	n.moved = make(chan struct{})
}

// answer waits for what becomes of an attempt.
func (n *Net) answer(ctx context.Context, a *attempt, f fate) error {
	var answered <-chan time.Time
	if f != hang {
		timer := time.NewTimer(roundTrip)
		defer timer.Stop()
		answered = timer.C
	}
	select {
	case <-ctx.Done():
		n.end(a, true)
		return ctx.Err()
	case <-n.done.Done():
		n.end(a, false)
		return n.done.Err()
	case <-answered:
	}
	if f == refuse {
		n.end(a, false)
		return &net.OpError{Op: "dial", Net: "tcp", Err: ErrRefused}
	}
	n.mu.Lock()
	a.open = true
	n.mu.Unlock()
	return nil
}

// live ends a session when its time has come.
func (n *Net) live(f fate, end func(), over <-chan struct{}) {
	length := longSession
	if f == flap {
		length = 0
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-over:
		return
	case <-n.done.Done():
	case <-timer.C:
	}
	end()
}

func (n *Net) end(a *attempt, byClient bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !a.ended {
		a.end, a.ended, a.byClient = time.Now(), true, byClient
		n.stir()
	}
}
