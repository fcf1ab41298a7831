// Package storm makes a reconnect storm with real sockets: many clients under one policy lose their connections together
// and come back as the policy says.
//
// What would these clients do to a server? Run connects them, drops them in bursts, and reports each burst:
//
//	arrivals    attempts per 100 ms since the drop; the peak is the largest bin
//	recovery    of one client: from the drop to the beginning of its next session; p50, p99 and the last of all
//	waste       failed attempts per client: what the server had to bear for nothing
//	errors      failed attempts by kind: refused, timeout, 429, 503, 1013, reset, descriptors, …
//
// Every client is one small struct. All waits are timers of one wheel (host/wheel), and on Linux all connections are watched by one
// poller, with no goroutine, buffer or timer of their own: some 0.3 KiB of this process's memory a connection, so that it holds as
// many as it has descriptors. Elsewhere, over TLS, and to hosts by name, an attempt and a session have a goroutine each. Each client
// dials from a loopback address of its own, 127.x.y.z, so that the server's log tells them apart and no address runs out of ports.
//
// More clients than a process has descriptors are spread over worker processes, whose counts are added up. RunPrograms
// storms with somebody's own client instead: processes that a keeper starts and ends for certain, watched by the gateway.
//
// Waits are the policy's quantiles at stat.Draw(seed, client, attempt): the same as in the simulator, core/herd.
//
// What it is not: a load tester for other people's servers. Targets outside loopback are refused unless the caller names
// the host, and rate and duration are bounded. Beyond what the machine can connect (some 10,000 handshakes a second on
// two cores) attempts are held back, counted, and the report says that it is the machine that was measured.
package storm
