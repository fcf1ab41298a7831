//go:build !unix

package main

import "time"

var began = time.Now()

// cpu is the wall clock, where the process's own time is not to be had.
func cpu() float64 { return time.Since(began).Seconds() }
