//go:build unix

package main

import "syscall"

// spent is CPU time in seconds, of user code and of the kernel.
type spent struct{ user, kernel float64 }

// cpu is the time of this process and of those that it has waited for.
func cpu() (own, others spent) {
	return usage(syscall.RUSAGE_SELF), usage(syscall.RUSAGE_CHILDREN)
}

func usage(who int) spent {
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		return spent{}
	}
	return spent{float64(r.Utime.Sec) + float64(r.Utime.Usec)/1e6, float64(r.Stime.Sec) + float64(r.Stime.Usec)/1e6}
}
