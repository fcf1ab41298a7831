package engine

import "context"

// Await gives what do gives, unless the context ends first: then do is left to itself, and late, which may be nil, gets what
// it gives in the end; where the context had ended before, do is not begun and late gets the zero value at once. So either
// the caller has the value or late, never neither. It is for what can wait for ever, such as reading from a pipe into which
// nobody writes.
func Await[T any](ctx context.Context, do func() T, late func(T)) (v T, err error) {
	if err := alive(ctx); err != nil {
		if late != nil {
			late(v)
		}
		return v, err
	}
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case v = <-done:
		return v, nil
	case <-ctx.Done():
	}
	if late != nil {
		go func() { late(<-done) }()
	}
	return v, alive(ctx)
}
