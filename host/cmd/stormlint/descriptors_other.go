//go:build !unix

package main

// descriptors is how many sockets a process may open where nothing limits them but memory.
func descriptors() int { return 1 << 16 }
