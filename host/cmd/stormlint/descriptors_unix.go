//go:build unix

package main

import "syscall"

// descriptors is how many files a process may open; Go has raised the soft limit to the hard one.
func descriptors() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 1024
	}
	return int(min(uint64(l.Cur), 1<<20))
}
