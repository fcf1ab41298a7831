// Package proxy is a small reverse proxy with a guard before the handshakes: for a WebSocket server that cannot be
// changed, or to try limits before they move into the balancer.
//
//	client ──► guard ──► backend
//	              refused: 429, 503 or close 1013
//
// # What the backend sees
//
// With a fleet's limit of C, no second sees more than C handshakes arrive at the backend, also when either machine stalls:
// a handshake holds one of C places from when it is sent until a second after its answer (window). A backend that answers
// too few is sent fewer, and those who have waited 1.5 s are answered 503. What cannot be known is when a backend sees a
// handshake that it has not answered within a minute.
//
// # For what size
//
// One process, HTTP/1.1, plain or behind something that ends TLS. A tunnel takes two descriptors, three goroutines and
// some 50 KiB on this side (measured at 9,000); with the usual limit of 20,000 descriptors that is some 9,500 clients. It
// balances over nothing and caches nothing. Beyond that size put the limits into the balancer one has (package guard in a
// Go gateway, the proxy-wasm filter in Envoy).
//
// # Stopping
//
// Drain ends the tunnels one by one, evenly over a time, each with a close frame (1012, Service Restart) between two
// frames of the backend, so that the clients do not come back together. Meanwhile new handshakes are answered 503 with a
// wait, and Ready says no. A tunnel whose client does not answer its close within a second is cut.
package proxy
