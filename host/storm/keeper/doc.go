// Package keeper starts programs and ends them for certain.
//
// A program under test may ignore SIGTERM, start programs of its own or put itself into the background; and who started it
// may be interrupted, panic, or be killed. So it is not the caller that starts it, but a process between:
//
//	caller ──pipe──> keeper ──> program, program, …    each in a process group of its own
//
// The pipe is the lifeline. When it ends, for whatever reason, the keeper asks every group to end (SIGTERM), and after
// Grace ends it (SIGKILL). On Linux it is also who inherits the orphans, so that descendants which have left their group,
// or whose program has ended, are found and ended as well, and a keeper that is itself killed takes the programs with it.
// On other Unix systems the groups of the programs that still run are ended, elsewhere the programs.
//
// The keeper is the same executable, started again: Start runs Self, and the process that is started so calls Keep.
package keeper
