//go:build !linux

package keeper

import (
	"os"
	"os/exec"
	"os/signal"
)

// prepare makes this process deaf to interrupts: only the lifeline ends it.
func prepare() { signal.Notify(make(chan os.Signal, 1), os.Interrupt) }

func group(c *exec.Cmd) { Apart(c) }

// sweep finds no orphans here.
func sweep() error { return nil }
