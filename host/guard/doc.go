// Package guard limits WebSocket handshakes at the door, before the upgrade.
//
// Two truths first:
//
//   - A browser cannot see 429, 503 or Retry-After: to its script a refused handshake is an error and a close 1006, and
//     it comes back by its own schedule. Only a close frame carries a word to it: Mode Close accepts, says 1013 (Try
//     Again Later) with "retry-after-ms=…" in the reason, and costs an upgrade for each refusal.
//   - A limit for each client does not stop a herd in which every client tries once. The fleet's limit does: Options.Fleet.
//
// A guard wraps a handler:
//
//	g, err := guard.New(guard.Options{
//		Mode:           guard.Enforce,
//		Key:            "ip",
//		TrustedProxies: []string{"10.0.0.0/8"},
//		Client:         bucket.Limit{Rate: 2, Burst: 5},  // for each client: this is also the default
//		Fleet:          bucket.Limit{Rate: 225},          // for all together
//	})
//	http.Handle("/ws", g.Wrap(handler))
//	prometheus.MustRegister(g)
//
// # What it answers
//
//	client over its own limit   429 Too Many Requests    RateLimit: "client";r=0;t=1
//	fleet's limit reached       503 Service Unavailable  RateLimit: "fleet";r=0;t=1
//
// both with Retry-After in whole seconds and Retry-After-Ms, and a JSON body that says the same. The waits differ from
// client to client on purpose: a constant Retry-After is a herd with an appointment. After the fleet's refusal each
// client gets a moment of its own over the window that the overload needs (bucket.Queue); after its own limit's, its
// wait and up to as much again. Because Retry-After counts whole seconds, those who were refused together come back
// together within their second; Options.Hold lets such a bunch in one by one instead of refusing most of it again.
//
// # Shadow is the default
//
// A new guard lets everybody in, and counts and logs whom it would have refused. Enforcing needs a Key that somebody
// chose: behind a load balancer that was not declared, all clients have one address, and a limit for "each client"
// would be a limit for all. As a net under that mistake: while one address carries more than a fifth of the handshakes
// and shows twenty different forwarded addresses, its refusals by the client's limit are suspended and said in the log
// and in metrics. (A single client could forge that too; the fleet's limit holds in any case.) Not so with a key from a
// header, or with an address declared "direct".
//
// A fleet's rate C is what no second exceeds, its burst counted in (bucket.AtMost): of 225, at most 22 come in at once and
// 204 a second grow back, so N clients take 1.1 N/C at the least. Some burst is needed, or on a busy machine the line
// cannot catch up; with Burst 1 all of C is sustained where it can. That holds for the moments at which handshakes are let
// go. A handler that passes them on, as package proxy does, needs more for them to arrive so: see Most.
//
// # Scope
//
// A limit in this process's memory is a limit of this process: three of them admit three times as much. Answers, logs
// and metrics say "scope": process or cluster. Package redisstore shares limits between processes.
//
// # What it does not do
//
// It sees handshakes that reach the process. SYN floods and TLS floods are the kernel's and the balancer's. Cover every
// door: a second listener without a guard is a hole.
package guard
