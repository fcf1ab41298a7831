package abi

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

// Status is what an export of the module returns.
type Status int32

// The three statuses.
const (
	Done   Status = iota // the result is the answer
	Failed               // the result is the error
	Again                // of Step: the result is a piece of the answer, which may be empty, and there is more to do
)

// LargestInput is the most that Reserve gives, in bytes.
const LargestInput = 256 << 20

// keptInput is the input buffer that survives a larger one: memory of a module never shrinks, but it can be used again.
const keptInput = 1 << 20

// Instance is the module's side of the seam in terms of numbers and two buffers: one for input, one for the result. The
// zero Instance is ready.
type Instance struct {
	session Session
	input   []byte
	result  []byte
	pieces  []byte // of a state that arrives in several merges
	target  Handle // whom the pieces are for
}

// Reserve gives the input buffer with room for n bytes (at least one, so that its address exists), or nil when n is
// negative or beyond LargestInput.
func (p *Instance) Reserve(n int32) []byte {
	if n < 0 || n > LargestInput {
		return nil
	}
	size := max(int(n), 1)
	if cap(p.input) < size || (cap(p.input) > keptInput && size <= keptInput) {
		p.input = make([]byte, max(size, 64<<10))
	}
	p.input = p.input[:cap(p.input)]
	return p.input
}

// Result is the last answer or error.
func (p *Instance) Result() []byte { return p.result }

// Call is the export call.
func (p *Instance) Call(op, n int32) Status {
	name, request, err := p.named(op, n)
	if err != nil {
		return p.end(nil, err)
	}
	return p.end(p.session.Call(name, request))
}

// Open is the export open.
func (p *Instance) Open(op, n int32) Handle {
	name, request, err := p.named(op, n)
	if err == nil {
		var h Handle
		if h, err = p.session.Open(name, request); err == nil {
			p.end(nil, nil)
			return h
		}
	}
	p.end(nil, err)
	return 0
}

// Feed is the export feed.
func (p *Instance) Feed(h Handle, n int32) Status {
	chunk, err := p.taken(n)
	if err != nil {
		return p.end(nil, err)
	}
	return p.end(p.session.Feed(h, chunk))
}

// State is the export state.
func (p *Instance) State(h Handle) Status { return p.end(p.session.State(h)) }

// Progress is the export progress.
func (p *Instance) Progress(h Handle) Status { return p.end(p.session.Progress(h)) }

// Merge is the export merge: pieces of one state follow each other without another handle's pieces between them.
func (p *Instance) Merge(h Handle, n int32, more bool) Status {
	chunk, err := p.taken(n)
	if err != nil {
		return p.end(nil, err)
	}
	if p.target != h {
		p.pieces, p.target = p.pieces[:0], h
	}
	if more || len(p.pieces) > 0 {
		if _, err := p.session.live(h); err != nil {
			p.pieces = nil
			return p.end(nil, err)
		}
		p.pieces = append(p.pieces, chunk...)
		if more {
			return p.end(nil, nil)
		}
		chunk = p.pieces
	}
	err = p.session.Merge(h, chunk)
	p.pieces, p.target = nil, 0
	return p.end(nil, err)
}

// Step is the export step.
func (p *Instance) Step(h Handle, budget int32) Status {
	answer, again, err := p.session.Step(h, int(budget))
	status := p.end(answer, err)
	if status == Done && again {
		return Again
	}
	return status
}

// Finish is the export finish.
func (p *Instance) Finish(h Handle) Status { return p.end(p.session.Finish(h)) }

// Ask is the exports page, series and client.
func (p *Instance) Ask(h Handle, q Question, n int32) Status {
	request, err := p.taken(n)
	if err != nil {
		return p.end(nil, err)
	}
	return p.end(p.session.Ask(h, q, request))
}

// Close is the export close.
func (p *Instance) Close(h Handle) Status {
	if p.target == h {
		p.pieces, p.target = nil, 0
	}
	return p.end(nil, p.session.Close(h))
}

func (p *Instance) end(answer []byte, err error) Status {
	if err != nil {
		p.result = AppendError(nil, err)
		return Failed
	}
	p.result = answer
	return Done
}

func (p *Instance) taken(n int32) ([]byte, error) {
	if n < 0 || int(n) > len(p.input) {
		return nil, &fault.Error{Code: fault.BadState, Package: "abi", Field: "length", Value: strconv.Itoa(int(n)),
			Expected: "0 to " + strconv.Itoa(len(p.input)) + ", the reserved input"}
	}
	return p.input[:n], nil
}

func (p *Instance) named(op, n int32) (name string, request []byte, err error) {
	all, err := p.taken(n)
	if err != nil {
		return "", nil, err
	}
	if op < 0 || op > n {
		return "", nil, &fault.Error{Code: fault.BadState, Package: "abi", Field: "length of the name", Value: strconv.Itoa(int(op)),
			Expected: "0 to the length of the input"}
	}
	return string(all[:op]), all[op:], nil
}
