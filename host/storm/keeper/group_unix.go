//go:build unix

package keeper

import (
	"os"
	"os/exec"
	"syscall"
)

// Apart starts a command in a process group of its own, so that an interrupt at the terminal does not reach it.
func Apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks the program's group to end.
func ask(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

// finish ends the program's group.
func finish(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
