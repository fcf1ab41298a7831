// Package gateway is a WebSocket server made to be stormed: real sockets, and the limits that decide a recovery.
//
// What would this client do to my server? The gateway answers on loopback with the server of the simulator (core/herd),
// in the same words:
//
//	capacity C       handshakes a second; each takes 1/C of the one server, in the order of arrival
//	backlog B        handshakes that may wait for their turn; the next one is rejected
//	reject cost r    what a rejection takes of the server, in handshakes
//	connect delay    what a handshake takes besides, without taking the server's time
//	fd limit F       sockets at once, waiting or open; the next one is closed without an answer
//	outage T+D       from T on, for D, the port refuses, or it accepts and does not answer until the end (hang)
//	drop at T        every session ends at once;  drain W: they end evenly over W, with 1001
//
// A handshake whose client has left still takes its turn, as on a real server that finds out too late. An open session
// echoes: "ACK: " and the text it got. Rejections are 503 or 429 with Retry-After, or an accepted connection closed with
// 1013 and a reason that carries the same hint, because a browser sees nothing else.
//
// The access log can be written as nginx, Envoy or stormlint's own JSON would; `stormlint analyze` reads all three.
//
// It is no production server: no TLS, no compression, one address. The queue is kept by arithmetic, not by a thread that
// works, so a capacity is exact to about a millisecond whatever the machine does, as long as the machine keeps up:
// beyond some 10,000 handshakes a second on two cores it is the machine that is measured. On Linux one poller watches all sockets;
// elsewhere each has a goroutine.
package gateway
