package abi

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/analyze/compat"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Handle names an open stream: the low byte is a place in the session's table, the rest a generation, so that a handle
// is never given out twice. The zero Handle names nothing.
type Handle uint32

// slots is the number of streams a session can hold at once; a caller that wants more takes more sessions.
const slots = 64

// Session holds the streams of one caller. The zero Session is ready; it is not safe for concurrent use.
type Session struct {
	// Decoder, where a host sets it, wraps every log format: a second opinion on its JSON. nil reads with core/jsonscan.
	Decoder func(connlog.Format) connlog.Format

	tasks      [slots]task
	finished   [slots]bool
	generation [slots]uint32
}

// Call answers one request.
func (s *Session) Call(op string, request []byte) ([]byte, error) {
	for _, o := range operations() {
		if o.name == op {
			return o.answer(s, request)
		}
	}
	return nil, unknown("operation", op, Operations())
}

// Open begins a stream.
func (s *Session) Open(kind string, request []byte) (Handle, error) {
	for _, k := range streams() {
		if k.name == kind {
			t, err := k.open(s, request)
			if err != nil {
				return 0, err
			}
			return s.add(t)
		}
	}
	return 0, unknown("stream", kind, Streams())
}

func (s *Session) add(t task) (Handle, error) {
	for i := range s.tasks {
		if s.tasks[i] == nil {
			s.tasks[i], s.finished[i] = t, false
			if s.generation[i]++; s.generation[i] == 1<<24 {
				s.generation[i] = 1
			}
			return Handle(s.generation[i]<<8 | uint32(i)), nil
		}
	}
	return 0, &fault.Error{Code: fault.TooLarge, Package: "abi", Message: "too many open streams", Expected: "at most " + strconv.Itoa(slots)}
}

// Feed gives a stream some of its input, and gives what the stream answers at once, mostly nothing.
func (s *Session) Feed(h Handle, chunk []byte) ([]byte, error) {
	i, err := s.live(h)
	if err != nil {
		return nil, err
	}
	return s.tasks[i].feed(chunk)
}

// State gives what a stream knows, for another's Merge. Some streams take nothing more after it.
func (s *Session) State(h Handle) ([]byte, error) {
	i, err := s.live(h)
	if err != nil {
		return nil, err
	}
	return s.tasks[i].state()
}

// Merge adds the state of another part.
func (s *Session) Merge(h Handle, state []byte) error {
	i, err := s.live(h)
	if err != nil {
		return err
	}
	return s.tasks[i].merge(state)
}

// Progress answers {"records","between"}: how many records a stream has had, and whether its part of the input could end
// here, between two records.
func (s *Session) Progress(h Handle) ([]byte, error) {
	i, err := s.live(h)
	if err != nil {
		return nil, err
	}
	records, between := s.tasks[i].progress()
	b := jsonwrite.Int(jsonwrite.Key(jsonwrite.Object(nil), "records"), records)
	return jsonwrite.End(jsonwrite.Bool(jsonwrite.Key(b, "between"), between), '}'), nil
}

// Begin ends the part that a stream reads and begins another, given as Open's request; one stream reads many parts that way
// without a merge. It is for hosts that run the core natively: the module does not export it.
func (s *Session) Begin(h Handle, request []byte) error {
	i, err := s.live(h)
	if err != nil {
		return err
	}
	return s.tasks[i].beginPart(request)
}

// Absorb adds all that another session's stream knows, as Merge does with its State, and ends that stream. each runs its
// argument for every number below n, at once if it can. Natively only, as Begin.
func (s *Session) Absorb(h Handle, other *Session, from Handle, n int, each func(n int, do func(k int))) error {
	i, err := s.live(h)
	if err != nil {
		return err
	}
	j, err := other.live(from)
	if err != nil {
		return err
	}
	if a, ok := s.tasks[i].(*analyzing); ok {
		if b, same := other.tasks[j].(*analyzing); same {
			return a.absorb(b)
		}
	}
	a, ok := s.tasks[i].(*compatible)
	b, same := other.tasks[j].(*compatible)
	if !ok || !same {
		state, err := other.tasks[j].state()
		if err == nil {
			err = s.tasks[i].merge(state)
		}
		return err
	}
	a.accumulator.End()
	b.accumulator.End()
	each(n, func(k int) { a.accumulator.Share(b.accumulator, k, n) })
	return a.accumulator.Absorb(b.accumulator)
}

// Share lets the work that is left before Finish be done by n at a time, where a stream can; each is as with Absorb.
// Natively only, as Begin.
func (s *Session) Share(h Handle, n int, each func(n int, do func(k int))) error {
	i, err := s.live(h)
	if err != nil {
		return err
	}
	switch a := s.tasks[i].(type) {
	case *analyzing:
		if a.analyzer != nil {
			a.analyzer.Share(n, each)
		}
	case *compatible:
		a.workers, a.each = n, each
		a.accumulator.Workers(n, each)
	}
	return nil
}

// Join lets a compat stream, of which others of a job have more, count very many clients in what they have in common; other
// streams are as they are. Natively only, as Begin.
func (s *Session) Join(h Handle, c *compat.Crowd) error {
	i, err := s.live(h)
	if err != nil {
		return err
	}
	if a, ok := s.tasks[i].(*compatible); ok {
		a.accumulator.Join(c)
	}
	return nil
}

// Step does some of the work that is left before Finish; again says that there is more. An answer too long to be held at
// once comes in pieces, one with a step and the last with Finish.
func (s *Session) Step(h Handle, budget int) (answer []byte, again bool, err error) {
	i, err := s.live(h)
	if err != nil {
		return nil, false, err
	}
	return s.tasks[i].step(max(budget, 1))
}

// Finish gives the answer, or its last piece. After it the stream can only be asked and closed.
func (s *Session) Finish(h Handle) ([]byte, error) {
	i, err := s.live(h)
	if err != nil {
		return nil, err
	}
	answer, err := s.tasks[i].finish()
	if err == nil {
		s.finished[i] = true
	}
	return answer, err
}

// Ask puts a question to a finished stream.
func (s *Session) Ask(h Handle, q Question, request []byte) ([]byte, error) {
	i, err := s.find(h)
	if err != nil {
		return nil, err
	}
	if !s.finished[i] {
		return nil, &fault.Error{Code: fault.BadUsage, Package: "abi", Message: string(q) + " is asked after finish"}
	}
	return s.tasks[i].ask(q, request)
}

// Close ends a stream and frees what it held.
func (s *Session) Close(h Handle) error {
	i, err := s.find(h)
	if err != nil {
		return err
	}
	s.tasks[i] = nil
	return nil
}

func (s *Session) find(h Handle) (int, error) {
	i := int(h & 0xff)
	if h == 0 || i >= slots || s.tasks[i] == nil || s.generation[i] != uint32(h>>8) {
		return 0, &fault.Error{Code: fault.Closed, Package: "abi", Message: "no open stream has this handle", Value: strconv.Itoa(int(h))}
	}
	return i, nil
}

func (s *Session) live(h Handle) (int, error) {
	i, err := s.find(h)
	if err == nil && s.finished[i] {
		return 0, &fault.Error{Code: fault.Closed, Package: "abi", Message: "the stream is finished: it can only be asked and closed"}
	}
	return i, err
}

func unknown(what, name string, known []string) error {
	if len(name) > 40 {
		name = name[:40]
	}
	return &fault.Error{Code: fault.NotFound, Package: "abi", Field: what, Value: strconv.Quote(name), Expected: "one of " + strings.Join(known, ", ")}
}
