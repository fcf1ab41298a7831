//go:build !stormlint_module

package lapse

import "time"

// Duration is a length of time in nanoseconds.
type Duration = time.Duration

// The units.
const (
	Nanosecond  = time.Nanosecond
	Microsecond = time.Microsecond
	Millisecond = time.Millisecond
	Second      = time.Second
	Minute      = time.Minute
	Hour        = time.Hour
)
