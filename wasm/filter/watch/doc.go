// Package watch is the analyser at the door: a line for each handshake, and one a minute with the state of the storm.
//
//	minute {"from":"2026-12-01T10:05:00Z","scope":"process","workers":4,"attempts":5210,"admitted":1210,"refused":4000,
//	        "clients":1187,"peak_100ms":311,"together":{"p":0,"factor":84.1},"followed":128,"judged":97,"without_jitter":0.92}
//
//	clients         different clients, estimated (HyperLogLog, Flajolet et al. 2007; 1,024 registers: ± 3 %)
//	peak_100ms      most attempts within any 100 ms, on a grid of 25 ms
//	together        are the attempts clumped? p is the chance of such clumping without a herd, factor how much (core/fleet)
//	followed        clients whose attempts are remembered, of those that came in this minute; at most 128
//	judged          of them, those whose waits tell what schedule they follow (core/timeline, core/jitter)
//	without_jitter  share of those judged that come back in step; null where nobody could be judged
//
// A client's next attempt lands on any worker. So what is counted and who is followed lies in the host's shared data: each
// worker hands in what it has counted once a second, and one of them, whoever is first to claim the minute, writes the
// line some seconds after its end. Without shared data each worker writes its own, with "scope":"worker", and follows
// nobody.
//
// While a handshake waits nothing of this is asked of the host: the moments of followed clients are kept until the next tick too,
// at most 1,024 of them.
//
// All memory is fixed: 24 KB in a worker, four minutes of 6 KB and 128 trails of at most 32 moments in the shared data.
package watch
