// Package engine runs the core for a host: natively or in the sandbox, by one interface, with the host's deadline.
//
// What the two ways differ in is a Session: the numbers-and-bytes seam of wasm/abi, once as a Go value and once as a
// module's instance. Everything a host wants beside it is written here once: input in pieces of at most 1 MiB with the
// context looked at between them, unfinished work done in steps, one stream a session.
//
//	e := engine.Native(nil)                 // or engine.New(sandbox)
//	s, err := e.Open(ctx, "analyze", request)
//	defer s.Close()
//	_, err = io.Copy(s.Writer(ctx), file)
//	err = s.FinishTo(ctx, os.Stdout)
//
// Gather reads many inputs by several workers into one stream: byte ranges of files, pieces of pipes and of decompressed
// data, an array's ranges by guesses that are confirmed. The report is the same to the last byte.
//
// A deadline is looked at between pieces and steps, never inside one: a piece takes milliseconds. (The exception is the
// head from which WebSocket paths are learned: up to 64 MiB in one call.) Reading that waits, for an idle pipe, does not
// delay the end either: it is left behind. A stream whose context ended is dead; the next one works.
package engine

import (
	"context"
	"fmt"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

// Session is one caller's view of the core: what *abi.Session has, and a module's instance too.
type Session interface {
	Call(op string, request []byte) ([]byte, error)
	Open(kind string, request []byte) (abi.Handle, error)
	Feed(h abi.Handle, chunk []byte) ([]byte, error)
	State(h abi.Handle) ([]byte, error)
	Merge(h abi.Handle, state []byte) error
	Progress(h abi.Handle) ([]byte, error)
	Step(h abi.Handle, budget int) (answer []byte, again bool, err error)
	Finish(h abi.Handle) ([]byte, error)
	Ask(h abi.Handle, q abi.Question, request []byte) ([]byte, error)
	Close(h abi.Handle) error
}

// Sessions hands sessions out and takes them back; reusable says that nothing went wrong in one. It is safe for
// concurrent use.
type Sessions interface {
	Take(ctx context.Context) (Session, error)
	Give(s Session, reusable bool)
}

// Engine is the core, ready to be asked; it is safe for concurrent use.
type Engine struct{ sessions Sessions }

// New makes an engine of a source of sessions.
func New(s Sessions) *Engine { return &Engine{s} }

// Native runs the core as the Go code it is. decoder, if it is not nil, is each session's Decoder.
func Native(decoder func(connlog.Format) connlog.Format) *Engine { return New(native{decoder}) }

type native struct {
	decoder func(connlog.Format) connlog.Format
}

var _ Session = (*abi.Session)(nil)

func (n native) Take(context.Context) (Session, error) { return &abi.Session{Decoder: n.decoder}, nil }
func (native) Give(Session, bool)                      {}

// Call answers one request (see package abi for its form). The answer is the caller's to keep.
func (e *Engine) Call(ctx context.Context, op string, request []byte) ([]byte, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	s, err := e.sessions.Take(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := s.Call(op, request)
	e.sessions.Give(s, true)
	return answer, err
}

// alive is the error of a context that ended, with its cause: which signal it was, for one.
func alive(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", &fault.Error{Code: fault.Deadline, Package: "engine", Message: "stopped before the end"}, context.Cause(ctx))
	}
	return nil
}
