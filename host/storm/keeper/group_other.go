//go:build !unix

package keeper

import (
	"os"
	"os/exec"
)

// Apart does nothing here: there are no process groups.
func Apart(*exec.Cmd) {}

func ask(p *os.Process) { p.Kill() }

func finish(p *os.Process) { p.Kill() }
