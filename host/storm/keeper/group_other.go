//go:build !unix

package keeper

import "os/exec"

// Apart does nothing here: there are no process groups.
func Apart(*exec.Cmd) {}

func (r *running) ask() { r.process.Kill() }

func (r *running) finish() { r.process.Kill() }
