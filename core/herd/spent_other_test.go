//go:build !unix

package herd

import "time"

var began = time.Now()

// spent is the time that has passed: a module has no clock of its own CPU.
func spent() time.Duration { return time.Since(began) }
