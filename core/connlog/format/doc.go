// Package format reads the logs that servers and load balancers write, a file for each kind of log.
//
// # When is the line written, and what does its stamp mean?
//
// Nothing in a line says it, and everything depends on it. The same 101 means "has just opened" in Tomcat's log and "has
// just closed" in nginx's:
//
//	written at the close, stamped with the END      nginx, ingress-nginx, Caddy, ALB, CloudFront, Werkzeug
//	written at the close, stamped with the START    Apache, HAProxy, Envoy, Istio, Traefik, aiohttp, Cloudflare
//	written at the handshake                        Tomcat, Jetty, Undertow, uvicorn, hypercorn, granian, tornado, Phoenix
//	a line for each end                             Mosquitto, NATS, Daphne, Sanic, API Gateway, Centrifugo, applications
//
// From an END and a duration: attempt = stamp - duration, close = stamp. From a START: attempt = stamp, close = stamp +
// duration. Without a duration one of the two is unknown and is not invented. Stamps of whole seconds stay whole: what is
// derived from them is known to a second, and the event says so (Resolution).
//
// # Is it a WebSocket handshake?
//
// In order of strength: a type or scheme of ws or wss; an Upgrade field (or :protocol over HTTP/2); status 101; status 0
// where the server hijacks the response (Traefik, Caddy to 2.6) or 200 to CONNECT; an event's own word. For a handshake that
// FAILED most logs show a request like any other: then only its path can tell, because a handshake succeeded there earlier
// in the input, because the operator named it, or because its name is used for nothing else (connlog.Paths). 2xx, 304 and
// 426 without other evidence are no attempts. Of socket.io's polls only one without a session id begins anything.
//
//	ok         101 (0, 200 as above)            limited    429, 503 with a limiter's mark
//	refused    3xx, 4xx                         aborted    408, 444, 460, 499, 0 with a flag: the client left
//	upstream   5xx                              tls        the handshake below the handshake
//
// # What is never kept
//
// Queries (tokens travel there) live only until --group-by has taken its key. User names, cookies, headers beside the few
// that are named, and reasons that are not a plain phrase are not read at all.
//
// # How fast
//
// README.md has the table, which a test measures: every format over its recording, four and a half to more than twenty
// times as fast as Go's regexp splits lines of nginx's combined log. Nothing is allocated. What makes it so: blanks and quotes are
// looked for eight bytes at a time, JSON records are taken apart along the path of an earlier one (shapes), a stamp's minute
// is read once (stamp.Clock), an ordinary request is known by its status before anything else is looked at.
//
// Note: there is no learned lane for text, as there is for JSON. What one could give was measured with a format that gives
// the events of nginx, Apache, HAProxy, Envoy, ALB and uvicorn lines at no cost at all: the reader is then 1.8 to 3 times
// as fast on recordings of nothing but WebSockets. But of a whole analyze of 110 MB on one worker, the format takes 13 % where
// one line in ten is about a WebSocket and 27 % where every line is and has a duration; the rest is framing, the search for
// a second line, the clients' table and the report. A lane that halved the format's part would make that 1.07 and 1.16 times
// as fast, which is not worth a second reader of each layout that must agree with the first. Inside a format no step has
// more than a fifth of the samples: columns, quotes and the request's line share them.
package format
