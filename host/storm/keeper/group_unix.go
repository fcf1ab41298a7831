//go:build unix

package keeper

import (
	"os"
	"os/exec"
	"syscall"
)

// Apart starts a command in a process group of its own, so that an interrupt at the terminal does not reach it.
func Apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks the program and its group to end.
func ask(p *os.Process) { send(p, syscall.SIGTERM) }

// finish ends the program and its group.
func finish(p *os.Process) { send(p, syscall.SIGKILL) }

// send reaches the program even if it has moved to another group. Of one that was waited for nothing is signalled: its number
// may be another's by now, and what it has left behind is swept up where orphans are inherited.
func send(p *os.Process, s syscall.Signal) {
	if p.Signal(s) == nil {
		syscall.Kill(-p.Pid, s)
	}
}
