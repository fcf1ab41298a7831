// Package bench holds core/bucket against the limiters that Go programs use. It is a module of its own, so that the main
// module does not require them.
//
//	cd host/guard/bench && go test -v
//
// Times are CPU time of the process, taken in turns within one run, so that a busy machine disturbs all alike; they are
// worth as ratios.
package bench
