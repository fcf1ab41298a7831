package keeper

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// prepare makes this process the one that inherits orphans, and deaf to signals: only the lifeline ends it. A caller that
// is gone breaks the pipe of events as well, and that must not end it either.
func prepare() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE) // not ignored: that would be inherited
	const setChildSubreaper = 36
	syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	runtime.LockOSThread() // Pdeathsig is sent when the thread ends that started the program
}

// group starts a program in a group of its own, to be killed when the keeper is.
func group(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// sweep ends every descendant that is left: those that have put themselves into a group or session of their own.
func sweep() error {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
		list, err := descendants()
		if err != nil || len(list) == 0 {
			return err
		}
		for _, pid := range list {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return errors.New("keeper: descendants that cannot be ended")
}

// descendants lists this process's children and theirs, by the parents that /proc tells.
func descendants() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // gone meanwhile
		}
		// "12 (name) S 7 …": the name may hold anything, so what follows is found from its last parenthesis.
		if f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); len(f) > 1 {
			parent, _ := strconv.Atoi(string(f[1]))
			children[parent] = append(children[parent], pid)
		}
	}
	list := children[os.Getpid()]
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list, nil
}
