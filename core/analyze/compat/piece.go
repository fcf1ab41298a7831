package compat

import (
	"cmp"
	"slices"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/timeline"
)

// token is what stands at an end of a part, as far as an array's commas are concerned.
type token uint8

const (
	nothing token = iota // the part has no token
	opening              // [
	element
	comma
	closing // ]
)

// piece is what one part says about itself, beside its clients.
type piece struct {
	part    timeline.Part
	framing connlog.Framing
	records int64 // sound records, up to the bad one
	lines   int64 // line ends passed, up to the bad one
	first   token // of the part
	last    token
	hollow  bool         // the bad element is {} on a line, and no record follows it in the part
	bad     *fault.Error // the first bad element; Record and Line count from 1 in the part
}

func (p *piece) order() uint64 { return uint64(p.part.Source)<<16 | uint64(p.part.Index) }

// step takes the next token; it is a fault if that must not stand after the last one.
func (p *piece) step(next token) *fault.Error {
	last := p.last
	if p.first == nothing {
		p.first = next
	}
	p.last = next
	if follows(last, next) {
		return nil
	}
	return outOfPlace(last, next)
}

func follows(last, next token) bool {
	switch last {
	case opening:
		return next != comma && next != opening
	case element:
		return next == comma || next == closing
	case comma:
		return next == element
	case closing:
		return false
	}
	return true
}

// resolve looks for the earliest fault in the parts of all sources.
func resolve(pieces []piece) error {
	order.By(pieces, func(a, b piece) int { return cmp.Compare(a.order(), b.order()) })
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].part.Source == pieces[0].part.Source {
			n++
		}
		if err := resolveSource(pieces[:n]); err != nil {
			return err
		}
		pieces = pieces[n:]
	}
	return nil
}

func resolveSource(pieces []piece) error {
	var records, lines int64
	last := nothing
	array := pieces[0].framing == connlog.Array
	for i := range pieces {
		p := &pieces[i]
		if int(p.part.Index) != i {
			return &fault.Error{Code: fault.BadState, Package: "compat", Message: "a part of the input is missing or was merged twice"}
		}
		at := func(e *fault.Error) *fault.Error {
			moved := *e
			if moved.Record > 0 {
				moved.Record += records
			}
			if moved.Line > 0 {
				moved.Line += lines
			}
			return &moved
		}
		if array && i > 0 && p.first != nothing && !follows(last, p.first) {
			return at(outOfPlace(last, p.first))
		}
		if p.hollow && records+p.records == 0 && !slices.ContainsFunc(pieces[i+1:], func(p piece) bool { return p.records > 0 || p.bad != nil }) {
			return nil // {} alone is an empty report
		}
		if p.bad != nil {
			return at(p.bad)
		}
		records += p.records
		lines += p.lines
		if p.last != nothing {
			last = p.last
		}
	}
	switch {
	case array && last != closing:
		return &fault.Error{Code: fault.BadSyntax, Package: "compat", Message: "the input ends before its array does", Expected: "]"}
	case !array && records == 0:
		return &fault.Error{Code: fault.Unreadable, Package: "compat", Message: "the input holds no record", Expected: expectedInput}
	case !array && records == 1:
		return &fault.Error{Code: fault.BadSyntax, Package: "compat", Record: 1, Message: "one object alone", Expected: expectedInput}
	}
	return nil
}

// outOfPlace is the fault of a token that must not stand after the last one.
func outOfPlace(last, next token) *fault.Error {
	e := &fault.Error{Code: fault.BadSyntax, Package: "compat", Record: 1, Line: 1, Expected: "elements with one comma between them"}
	switch {
	case last == closing:
		e.Message, e.Expected = "text after the array's end", "nothing"
	case next == closing:
		e.Message = "a comma before the array's end"
	case next == comma:
		e.Message = "a comma without an element before it"
	default:
		e.Message = "two elements without a comma between them"
	}
	return e
}
