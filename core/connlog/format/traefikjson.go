package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// TraefikJSON reads Traefik's JSON access log:
//
//	{"ClientHost":"192.0.2.10","DownstreamStatus":0,"OriginStatus":0,"Duration":1503344820,"ServiceAddr":"198.51.100.20:9001",
//	 "StartUTC":"2026-11-30T16:56:10.060495735Z","RequestMethod":"GET","RequestPath":"/ws",…}
//
// Written at the close; StartUTC is the START with nanoseconds, Duration counts NANOSECONDS, "time" is the time of writing
// cut to seconds. A WebSocket's status is 0, since the response was hijacked, in some builds 101; 0 without a ServiceAddr
// is Traefik's own answer. request_Upgrade is there only if headers are kept. ClientHost may be a whole forwarded list.
type TraefikJSON struct {
	setup *connlog.Setup
	names *names
}

// Name is "traefik-json".
func (f TraefikJSON) Name() string { return "traefik-json" }

// Traits are those of the CLF form, to the nanosecond.
func (f TraefikJSON) Traits() connlog.Traits {
	t := Traefik{}.Traits()
	t.Title, t.Resolution = "Traefik access log (JSON)", 1
	return t
}

func traefikNames() *names {
	return newNames(false).
		add(asStart, "StartUTC StartLocal").
		add(asEnd, "time").
		add(asClient, "ClientHost ClientAddr").
		add(asPort, "ClientPort").
		add(asForwarded, "request_X-Forwarded-For").
		add(asStatus, "DownstreamStatus").
		add(asDuration, "Duration@ns").
		add(asMethod, "RequestMethod").
		add(asURL, "RequestPath").
		add(asHost, "RequestHost RequestAddr").
		add(asProtocol, "RequestProtocol").
		add(asUpgrade, "request_Upgrade").
		add(asAccepted, "downstream_Upgrade origin_Upgrade").
		add(asService, "ServiceAddr ServiceURL").
		add(asUpstream, "OriginStatus").
		add(asRetryAfter, "downstream_Retry-After origin_Retry-After").
		add(asAgent, "request_User-Agent").
		add(asID, "request_X-Request-Id TraceId")
}

// Match wants Traefik's names.
func (f TraefikJSON) Match(rec []byte) int {
	if m := keys(rec, "ClientHost", "DownstreamStatus", "Duration"); m == 7 {
		return 98
	}
	return 0
}

// Configure prepares the names.
func (f TraefikJSON) Configure(s *connlog.Setup) (connlog.Format, error) {
	return TraefikJSON{s, withMap(traefikNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f TraefikJSON) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var x exchange
	x.fresh()
	var ok bool
	if x.Status, ok = d.status(); !ok {
		return connlog.BadStatus
	}
	if boring(x.Status) || !d.request(b, r.Span, &x) {
		return connlog.Ignored
	}
	d.upgrade(&x)
	known := x.endpoint(b, f.setup) != connlog.NotKnown
	hijacked := x.Status == 0 && (x.upgrade == asked || d.has(asAccepted) || d.has(asService) || x.upgrade == untold && known)
	x.established = x.Status == 101 || hijacked
	if !x.established && x.upgrade == untold && !known {
		return connlog.Ignored
	}
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			return connlog.BadDuration
		}
	}
	switch {
	case d.has(asStart):
		if x.Time, x.Resolution, ok = d.instant(asStart, f.setup); !ok {
			return connlog.BadTime
		}
		x.Resolution = 1 // trailing zeros are not printed
	case d.has(asEnd) && x.Duration != connlog.None:
		if x.Time, x.Resolution, ok = d.instant(asEnd, f.setup); !ok {
			return connlog.BadTime
		}
		x.Time -= x.Duration
	case r.Written != connlog.None && x.Duration != connlog.None:
		x.Time, x.Resolution = r.Written-x.Duration, r.Resolution
	default:
		return connlog.NoTime
	}
	d.peer(b, r.Span, &x)
	if v := b.Text(x.Client); bytes.IndexByte(v, ',') >= 0 { // a whole list: the last entry is the nearest
		n := bytes.LastIndexByte(v, ',')
		x.Forwarded = x.Client.Sub(0, n)
		for n++; n < len(v) && v[n] == ' '; n++ {
		}
		x.Client = x.Client.Sub(n, len(v)-n)
	}
	d.hint(&x)
	x.UserAgent = d.span(b, r.Span, asAgent)
	x.Group = d.span(b, r.Span, asGroup)
	return startAtClose.settle(b, f.setup, r, &x)
}
