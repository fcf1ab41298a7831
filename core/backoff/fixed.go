package backoff

// Constant waits the base, always: c = base.
//
//	fixed:5s         5, 5, 5, 5 s
//	immediate:10ms   10, 10, 10, 10 ms: the same rule with a base of 20 ms or less, which is no wait at all
//
// Clients that fall together come back together, every 5 s, for ever. The oldest policy; the EventSource standard
// (WHATWG, 2009) has it with about 3 s and lets the server set it, for all clients alike.
const Constant Growth = "fixed"
