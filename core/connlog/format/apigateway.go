package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// APIGateway reads the access log of an AWS API Gateway WebSocket API, in a format of $context variables that the operator
// chose, and the $disconnect event that an integration receives:
//
//	{"eventType":"CONNECT","routeKey":"$connect","status":"403","connectionId":"AAAB1234=","connectedAt":"1707502304100","ip":"192.0.2.2",…}
//
// A line for each event. CONNECT is the attempt, at connectedAt; its status tells whether the authorizer let it in.
// DISCONNECT is the close, at requestTimeEpoch, after requestTimeEpoch - connectedAt; it is sent on best effort, so that
// one that is missing does not mean an open socket. MESSAGE is of no interest. Sockets live two hours at most and ten
// minutes idle: regular reconnects at those ages are healthy. Numbers are usually quoted.
type APIGateway struct {
	setup *connlog.Setup
	names *names
}

// Name is "apigateway".
func (f APIGateway) Name() string { return "apigateway" }

// Traits: both ends have lines, joined by the connection's id.
func (f APIGateway) Traits() connlog.Traits {
	return connlog.Traits{Title: "AWS API Gateway WebSocket log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Joined: true, Resolution: 1e6,
		Blind: []string{"the disconnect event is sent on best effort: a missing one is not an open socket."}}
}

func gatewayNames() *names {
	return newNames(false).
		add(asTime, "requestTimeEpoch requestContext.requestTimeEpoch requestTime requestContext.requestTime").
		add(asStart, "connectedAt requestContext.connectedAt").
		add(asEvent, "eventType requestContext.eventType routeKey requestContext.routeKey").
		add(asStatus, "status statusCode").
		add(asConn, "connectionId requestContext.connectionId").
		add(asClient, "ip sourceIp identity.sourceIp requestContext.identity.sourceIp").
		add(asAgent, "userAgent identity.userAgent requestContext.identity.userAgent").
		add(asHost, "domainName requestContext.domainName").
		add(asCode, "disconnectStatusCode requestContext.disconnectStatusCode").
		add(asCause, "disconnectReason requestContext.disconnectReason")
}

// Match wants the route of an API of sockets.
func (f APIGateway) Match(rec []byte) int {
	if m := keys(rec, "connectionId", "eventType", "routeKey", "requestContext"); m&8 != 0 && bytes.Contains(rec, []byte(`"connectionId"`)) || m&7 == 7 || m&7 == 3 {
		return 95
	}
	return 0
}

// Configure prepares the names.
func (f APIGateway) Configure(s *connlog.Setup) (connlog.Format, error) {
	return APIGateway{s, withMap(gatewayNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f APIGateway) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var buf [64]byte
	kind := d.text(asEvent, buf[:])
	connect := string(kind) == "CONNECT" || string(kind) == "$connect"
	if !connect && string(kind) != "DISCONNECT" && string(kind) != "$disconnect" {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	var ok bool
	if !d.has(asTime) && !d.has(asStart) {
		return connlog.NoTime
	}
	if d.has(asTime) {
		if x.Time, x.Resolution, ok = d.instant(asTime, f.setup); !ok {
			return connlog.BadTime
		}
	}
	if d.has(asStart) {
		start, res, ok := d.instant(asStart, f.setup)
		if !ok {
			return connlog.BadTime
		}
		switch {
		case connect || x.Time == connlog.None:
			x.Time, x.Resolution = start, res
		case x.Time >= start:
			x.Duration = x.Time - start
		}
	}
	d.peer(b, r.Span, &x)
	x.UserAgent, x.Host, x.Conn = d.span(b, r.Span, asAgent), d.span(b, r.Span, asHost), d.span(b, r.Span, asConn)
	x.Group = d.span(b, r.Span, asGroup)
	x.Transport, x.TimeSource = connlog.WebSocket, connlog.PrintedStart
	if d.has(asStatus) {
		if x.Status, ok = d.status(); !ok {
			return connlog.BadStatus
		}
	}
	e := push(b, &x.Event)
	if connect {
		e.Outcome = connlog.OK
		if e.Status >= 300 {
			e.Outcome = outcome(e.Status, false)
		}
		return connlog.Used
	}
	e.Kind, e.TimeSource, e.Status = connlog.Close, connlog.PrintedEnd, 0
	e.CloseCode = d.code()
	e.Cause = d.cause(b, r.Span)
	return connlog.Used
}

// code reads a close code, 0 for none.
func (d *document) code() uint16 {
	var buf [16]byte
	if v, ok := number(d.text(asCode, buf[:])); ok && v >= 1000 && v <= 4999 {
		return uint16(v)
	}
	return 0
}

// cause keeps a reason only if it reads like a phrase: letters, blanks and a few signs, at most 64 bytes. What an
// application writes there may hold anything.
func (d *document) cause(b *connlog.Batch, s connlog.Span) connlog.Span {
	if !d.has(asCause) {
		return connlog.Span{}
	}
	t := d.span(b, s, asCause)
	if !phrase(b.Text(t)) {
		return connlog.Span{}
	}
	return t
}

func phrase(v []byte) bool {
	if len(v) == 0 || len(v) > 64 {
		return false
	}
	run := 0
	for _, c := range v {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if run++; run > 24 {
				return false
			}
		case c == ' ' || c == '-' || c == '_' || c == '/' || c == ':' || c == '.' || c == ',' || c == '\'':
			run = 0
		default:
			return false
		}
	}
	return true
}
