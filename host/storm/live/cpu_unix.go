//go:build unix

package main

import "syscall"

// cpu is the user and system time, in seconds, of this process and of those that it has waited for.
func cpu() (sum float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err == nil {
			sum += float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
		}
	}
	return sum
}
