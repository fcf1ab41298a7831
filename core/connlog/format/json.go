package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// JSON reads what applications log as JSON objects, by the names of their fields: pino, winston, bunyan, zap, slog,
// Serilog, the Elastic Common Schema and OpenTelemetry (nested or with dots in the keys), and whatever --map names.
//
//	{"time":1796057324979,"event":"connect","id":"52aP…","ip":"192.0.2.10","msg":"client connected"}
//	{"@timestamp":"…","event":{"action":"connect","duration":1531000000,"start":"…","end":"…"},"source":{"ip":"192.0.2.10"},…}
//
// Names are compared without regard to case and with _ for dots, dashes and blanks; of several that play one part the
// first in the table below counts. A record with an event word (connect, disconnect, retry and their kin) is that event.
// Without one, words such as "ws open" in the message count if the record also names a client, a connection or a close
// code. Without these, a status and a path make it an HTTP request, stamped with its END if it has a duration.
//
// A duration's unit comes from its name (_ms, _s, _ns, Ms), from the standard that owns the name, or from a suffix of the
// value; it is never guessed from its size: 60000 is a minute in ms and 17 hours in s. A number whose unit nothing tells
// is left out.
type JSON struct {
	setup *connlog.Setup
	names *names
}

// Name is "json".
func (f JSON) Name() string { return "json" }

// Traits: as the application wrote it.
func (f JSON) Traits() connlog.Traits {
	return connlog.Traits{Title: "application log (JSON)", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Joined: true, Resolution: 1e6,
		Blind: []string{"only what the application logs can be seen; HTTP middleware does not see WebSocket upgrades."}}
}

func jsonNames() *names {
	return newNames(true).
		add(asTime, "timestamp @timestamp time ts t datetime date time_iso8601 msec eventTime event_time logged_at created_at timeUnixNano observedTimeUnixNano @t __REALTIME_TIMESTAMP time_local requestTimeEpoch").
		add(asStart, "start_time startTime event.start StartUTC connectedAt connected_at StartLocal EdgeStartTimestamp request_creation_time").
		add(asEnd, "end_time endTime event.end EdgeEndTimestamp").
		add(asClient, "client_ip clientIp client.address client.ip source.ip source.address remote_ip remote_addr remoteAddress network.peer.address net.peer.ip net.sock.peer.addr req.remoteAddress request.remote_ip ip ip_address sourceIp src_ip peer peername@port addr c-ip client device ClientHost remoteAddr remote_address remoteIp").
		add(asPort, "client.port source.port remote_port remotePort req.remotePort network.peer.port port").
		add(asForwarded, "x_forwarded_for http_x_forwarded_for xff forwarded_for network.forwarded_ip req.headers.x-forwarded-for headers.x-forwarded-for x-real-ip http_x_real_ip cf-connecting-ip true-client-ip request_X-Forwarded-For").
		add(asEvent, "event_type eventType event event.action event.name action type kind routeKey").
		add(asMessage, "msg message body.stringValue @mt body").
		add(asDuration, "durationMs@ms duration_ms@ms elapsed_ms@ms event.duration@ns request_time@s http.server.request.duration@s ElapsedMilliseconds@ms responseTime@ms response_time_ms@ms duration_s@s duration_ns@ns duration_us@us latency_ms@ms session_duration_ms@ms Elapsed@ms duration elapsed latency time_taken took session_duration").
		add(asInterval, "retry_interval_ms@ms retryIntervalMs@ms backoff_ms@ms delay_ms@ms retry_interval retry_delay").
		add(asStatus, "http.response.status_code http.status_code status_code statusCode http_status response_code sc-status res.statusCode status DownstreamStatus elb_status_code EdgeResponseStatus").
		add(asCode, "close_code closeCode ws_close_code disconnectStatusCode code").
		add(asCause, "disconnect_reason disconnectReason close_reason event.reason reason error.type ConnectionCloseReason").
		add(asOutcome, "event.outcome outcome result").
		add(asAgent, "user_agent userAgent user_agent.original http_user_agent http.user_agent req.headers.user-agent headers.user-agent agent ua request_User-Agent cs(User-Agent) ClientRequestUserAgent").
		add(asConn, "connection_id connectionId conn_id socket_id socketId sid session_id client_id clientid session user id").
		add(asID, "request_id requestId").
		add(asURL, "url.path url.original path req.url request_uri uri url http.target http.route RequestPath").
		add(asRequest, "request").
		add(asHost, "host.name url.domain req.headers.host headers.host server.address vhost").
		add(asMethod, "http.request.method http.method method req.method request_method").
		add(asProtocol, "network.protocol.version protocol").
		add(asUpgrade, "req.headers.upgrade headers.upgrade http.request.header.upgrade upgrade http_upgrade").
		add(asRetryAfter, "retry_after retryAfter res.headers.retry-after")
}

// Prepare builds the table of names.
func (f JSON) Prepare() connlog.Format { return JSON{f.setup, jsonNames().ready()} }

// Match wants a stamp and a client, a connection or an event under names of the table.
func (f JSON) Match(rec []byte) int {
	if len(rec) < 2 || rec[0] != '{' {
		return 0
	}
	n := f.names
	if n == nil {
		n = jsonNames()
	}
	var d document
	if d.read(rec, n) != connlog.Used {
		return 0
	}
	score := 5
	for _, r := range [...]role{asClient, asConn, asEvent, asStatus} {
		if d.has(r) {
			score += 8
		}
	}
	if d.has(asTime) || d.has(asStart) || d.has(asEnd) {
		score += 10
	}
	return score
}

// Configure prepares the names.
func (f JSON) Configure(s *connlog.Setup) (connlog.Format, error) {
	if err := noLayout(f, s); err != nil {
		return nil, err
	}
	return JSON{s, withMap(jsonNames(), s)}, nil
}

// Read reads one record.
func (f JSON) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	what := f.event(&d)
	if what == another {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	var ok bool
	if d.has(asStatus) {
		if x.Status, ok = d.status(); !ok {
			x.Status = 0 // "status":"ok"
		}
	}
	if what == untoldEvent && (x.Status == 0 || boring(x.Status)) {
		return connlog.Ignored
	}
	named := d.request(b, r.Span, &x)
	d.upgrade(&x)
	if what == untoldEvent && (!named || x.Status != 101 && x.upgrade != asked && x.endpoint(b, f.setup) == connlog.NotKnown) {
		return connlog.Ignored
	}
	if reason := f.times(&d, r, &x); reason != connlog.Used {
		return reason
	}
	if d.has(asInterval) {
		if v, ok := d.decimalOf(asInterval, 1e6); ok {
			x.Interval = v
		} else {
			return connlog.BadInterval
		}
	}
	d.peer(b, r.Span, &x)
	d.hint(&x)
	x.UserAgent, x.Conn, x.Group = d.span(b, r.Span, asAgent), d.span(b, r.Span, asConn), d.span(b, r.Span, asGroup)
	x.CloseCode, x.Cause = d.code(), d.cause(b, r.Span)
	if d.has(asID) {
		x.ID = hash(b.Text(d.span(b, r.Span, asID)))
	}
	return f.tell(b, r, &d, what, &x)
}

// times fills Time and Duration; a start and an end give both.
func (f JSON) times(d *document, r connlog.Record, x *exchange) connlog.Reason {
	var ok bool
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			x.Duration = connlog.None // a number without a unit
		}
	}
	switch {
	case d.has(asTime):
		x.Time, x.Resolution, ok = d.instant(asTime, f.setup)
	case d.has(asEnd):
		x.Time, x.Resolution, ok = d.instant(asEnd, f.setup)
	case d.has(asStart):
		x.Time, x.Resolution, ok = d.instant(asStart, f.setup)
		if ok && x.Duration != connlog.None {
			x.Time += x.Duration
		}
	case r.Written != connlog.None:
		x.Time, x.Resolution, ok = r.Written, r.Resolution, true
	default:
		return connlog.NoTime
	}
	if !ok {
		return connlog.BadTime
	}
	if d.has(asStart) {
		if start, _, ok := d.instant(asStart, f.setup); ok && x.Duration == connlog.None && x.Time > start {
			x.Duration = x.Time - start
		}
	}
	return connlog.Used
}

// tell appends the events.
func (f JSON) tell(b *connlog.Batch, r connlog.Record, d *document, what happening, x *exchange) connlog.Reason {
	if x.Transport == connlog.TransportUnknown {
		x.Transport = connlog.WebSocket
	}
	switch what {
	case untoldEvent:
		x.established = x.Status == 101
		if x.Duration != connlog.None {
			return endAtClose.settle(b, f.setup, r, x)
		}
		return startAtHandshake.settle(b, f.setup, r, x)
	case closed:
		e := push(b, &x.Event)
		e.Kind, e.TimeSource, e.Status = connlog.Close, connlog.PrintedEnd, 0
		e.ClosedBy = blame(b.Text(e.Cause))
		return connlog.Used
	case retried:
		e := push(b, &x.Event)
		e.TimeSource, e.Outcome = connlog.PrintedStart, f.outcome(d, x, connlog.OutcomeUnknown)
		return connlog.Used
	}
	e := push(b, &x.Event)
	e.TimeSource, e.Outcome = connlog.PrintedStart, f.outcome(d, x, connlog.OK)
	e.Cause, e.CloseCode = connlog.Span{}, 0
	if x.Duration == connlog.None || e.Outcome != connlog.OK {
		return connlog.Used
	}
	e.Duration = connlog.None
	if !d.has(asEnd) { // the handshake's own duration, for all that is known
		return connlog.Used
	}
	// One record that tells both ends, as the Elastic Common Schema does.
	e.Time, e.TimeSource = x.Time-x.Duration, connlog.EndMinusDuration
	if start, _, ok := d.instant(asStart, f.setup); ok {
		e.Time, e.TimeSource = start, connlog.PrintedStart
	}
	c := push(b, &x.Event)
	c.Kind, c.TimeSource = connlog.Close, connlog.PrintedEnd
	return connlog.Used
}

// outcome reads success and failure, else the status, else says what is usual.
func (f JSON) outcome(d *document, x *exchange, usual connlog.Outcome) connlog.Outcome {
	var buf [32]byte
	switch w := d.text(asOutcome, buf[:]); {
	case bytes.EqualFold(w, []byte("success")), bytes.EqualFold(w, []byte("ok")):
		return connlog.OK
	case bytes.EqualFold(w, []byte("failure")), bytes.EqualFold(w, []byte("failed")), bytes.EqualFold(w, []byte("error")):
		if x.Status < 300 {
			return connlog.Refused
		}
	}
	switch {
	case x.Status == 101 || x.Status >= 200 && x.Status < 300:
		return connlog.OK
	case x.Status >= 300:
		return outcome(x.Status, false)
	}
	return usual
}

// decimalOf reads a number of units.
func (d *document) decimalOf(r role, unit int64) (int64, bool) {
	var buf [64]byte
	v := d.text(r, buf[:])
	if ns, ok := decimal(v, unit); ok {
		return ns, true
	}
	return goDuration(v)
}
