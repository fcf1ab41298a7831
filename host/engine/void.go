package engine

import (
	"errors"

	"github.com/stormlint/stormlint/core/fault"
)

// Void is the error of an input that holds nothing: no byte, or blanks alone.
type Void struct{ fault *fault.Error }

// Nothing makes a Void of an input's name and of what is expected in it.
func Nothing(name, expected string) error {
	return Void{&fault.Error{Code: fault.Unreadable, Source: name, Message: "the input is empty", Expected: expected}}
}

// Error gives the fault's text.
func (v Void) Error() string { return v.fault.Error() }

// Unwrap gives the fault.
func (v Void) Unwrap() error { return v.fault }

// spared reports that an input failed only because it holds nothing, where others may hold something: it becomes a part
// without records.
func (g *gathering) spared(source int, err error) bool {
	if v := (Void{}); g.Void == nil || len(g.Inputs) == 1 || !errors.As(err, &v) {
		return false
	}
	g.results[source].void = Named(err, g.Inputs[source].Name)
	t := task{source: source, apart: true, feed: func(s *Stream) error { return s.Feed(g.ctx, nil) }}
	t.done = func(own *Stream) {
		if own != nil {
			g.results[source].extra = append(g.results[source].extra, own)
		}
	}
	g.tasks <- t
	return true
}
