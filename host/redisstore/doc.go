// Package redisstore shares a guard's limits between processes, by Redis (5 or later) or a server that speaks like it.
//
//	s, err := redisstore.New(redisstore.Options{URL: "redis://10.0.0.5:6379/0"})
//	g, err := guard.New(guard.Options{Store: s, Instances: 4, …})
//
// # How it counts
//
// One Lua script decides over the client's bucket and the fleet's together, charging both or neither, by the algorithm
// of package bucket: a key is one number, the instant at which the bucket is full again, in microseconds of Redis's own
// clock; it expires when it is full. Clocks of the processes do not matter. If Redis's clock steps back, a bucket owes at
// most what an empty one owes. The time of one token is rounded up to whole microseconds, so no limit is exceeded. In a
// cluster all keys lie in one slot (they share a hash tag): shared limits are one number, and that is on one node.
//
// # Leases
//
// Without a lease each decision is a round trip. With Options.Lease a process takes several of the fleet's tokens at once
// and spends them within that time; what it does not spend, it forgets. Tokens spent within t seconds were then granted
// within t + Lease, so with a burst that is smaller by Lease·rate in Redis, all processes together never admit more than
// burst + rate·t: the limit as stated, however many processes there are. When Redis has nothing to give, a process asks
// again after what Redis said, and refuses by itself until then. Clients' own limits are then kept in each process, as
// stated in every answer's scope. A lease longer than half the burst's time is shortened to it.
//
// # When Redis fails
//
//	what happens                        what a decision costs         who decides
//	connection refused                  the attempt, < 1 ms           local
//	frozen, slow beyond the timeout     the timeout, 20 ms            local (connecting counts too: two round trips)
//	three failures in a row             < 1 ms: nobody asks Redis     local; one probe a second in the background
//	back again                          as before                     Redis, and for one span of the limits local as well
//
// "Local" is a bucket in this process with limit/Instances, kept warm by charging it all along, so that an outage is no
// occasion for fresh bursts; agreeing with both after the return spares Redis's full buckets from being spent at once.
// Options.Down chooses otherwise: let everybody in, or nobody. A Redis that restarts empty has full buckets: at most one
// burst more, and the same agreement damps it. A Redis that is not there at the start is one that fails.
//
// Note: go-redis's defaults are dangerous here: measured, 1.7 s for a refused connection, 5 s for a frozen server
// with a context deadline of 25 ms ignored. Five options together mend it: short timeouts, MaxRetries −1,
// DialerRetries 1 (the one that is missed), ContextTimeoutEnabled.
package redisstore
