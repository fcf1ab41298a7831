package engine

import (
	"bytes"
	"context"
	"io"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

// Piece is the most bytes that cross to the core at once; the context is looked at between pieces.
const Piece = 1 << 20

// stepBudget is the budget of one step: every kind of stream counts so that this much takes some milliseconds.
const stepBudget = 1 << 16

// Stream is one open stream with a session of its own. It is not safe for concurrent use.
type Stream struct {
	// Out takes what the stream answers while it is fed; nil drops it.
	Out io.Writer

	engine  *Engine
	session Session
	handle  abi.Handle
	dead    bool
}

// Open begins a stream of a kind, "analyze" for one.
func (e *Engine) Open(ctx context.Context, kind string, request []byte) (*Stream, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	s, err := e.sessions.Take(ctx)
	if err != nil {
		return nil, err
	}
	h, err := s.Open(kind, request)
	if err != nil {
		e.sessions.Give(s, true)
		return nil, err
	}
	return &Stream{engine: e, session: s, handle: h}, nil
}

// check refuses a closed stream and kills one whose context ended.
func (s *Stream) check(ctx context.Context) error {
	if s.session == nil || s.dead {
		return &fault.Error{Code: fault.Closed, Package: "engine", Message: "the stream was closed or stopped before"}
	}
	err := alive(ctx)
	s.dead = err != nil
	return err
}

// Feed gives the stream input, in pieces.
func (s *Stream) Feed(ctx context.Context, input []byte) error {
	for first := true; first || len(input) > 0; first = false {
		if err := s.check(ctx); err != nil {
			return err
		}
		n := min(len(input), Piece)
		answer, err := s.session.Feed(s.handle, input[:n])
		if err == nil && s.Out != nil && len(answer) > 0 {
			_, err = s.Out.Write(answer)
		}
		if err != nil {
			return err
		}
		input = input[n:]
	}
	return nil
}

// Writer is Feed as an io.Writer, for io.Copy.
func (s *Stream) Writer(ctx context.Context) io.Writer { return feeder{s, ctx} }

type feeder struct {
	stream *Stream
	ctx    context.Context
}

func (f feeder) Write(b []byte) (int, error) {
	if err := f.stream.Feed(f.ctx, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// State gives what the stream knows, for another's Merge.
func (s *Stream) State(ctx context.Context) ([]byte, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.session.State(s.handle)
}

// Merge adds the state of another part.
func (s *Stream) Merge(ctx context.Context, state []byte) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	return s.session.Merge(s.handle, state)
}

// Step does some milliseconds of the work that is left before Finish, and writes what pieces of the answer there are by
// then; again says that there is more to do.
func (s *Stream) Step(ctx context.Context, w io.Writer) (again bool, err error) {
	if err := s.check(ctx); err != nil {
		return false, err
	}
	piece, again, err := s.session.Step(s.handle, stepBudget)
	if err == nil && len(piece) > 0 {
		_, err = w.Write(piece)
	}
	return again, err
}

// FinishTo does what work is left, in steps, and writes the answer, a long one in pieces.
func (s *Stream) FinishTo(ctx context.Context, w io.Writer) error {
	for again := true; again; {
		var err error
		if again, err = s.Step(ctx, w); err != nil {
			return err
		}
	}
	last, err := s.session.Finish(s.handle)
	if err == nil {
		_, err = w.Write(last)
	}
	return err
}

// Finish is FinishTo for an answer that is wanted as a whole.
func (s *Stream) Finish(ctx context.Context) ([]byte, error) {
	var whole bytes.Buffer
	err := s.FinishTo(ctx, &whole)
	return whole.Bytes(), err
}

// Ask puts a question to the finished stream.
func (s *Stream) Ask(ctx context.Context, q abi.Question, request []byte) ([]byte, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.session.Ask(s.handle, q, request)
}

// Close ends the stream; a second Close does nothing.
func (s *Stream) Close() {
	if s.session == nil {
		return
	}
	err := s.session.Close(s.handle)
	s.engine.sessions.Give(s.session, err == nil && !s.dead)
	s.session = nil
}
