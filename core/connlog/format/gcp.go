package format

import "github.com/stormlint/stormlint/core/connlog"

// GCP reads the request log of Google Cloud's HTTP(S) load balancer, as Cloud Logging exports it:
//
//	{"timestamp":"2026-11-30T16:46:05.338Z","httpRequest":{"requestUrl":"https://ws.example.com/ws","status":101,"remoteIp":"192.0.2.1","latency":"30.003421s"},…}
//
// timestamp is taken as the START and latency as the whole life; neither was checked against a first-hand source, and the
// report says so. Logs may be sampled (sampleRate): counts are then lower bounds.
type GCP struct {
	setup *connlog.Setup
	names *names
}

// Name is "gcp".
func (f GCP) Name() string { return "gcp" }

// Traits: written at the close, stamped with the start.
func (f GCP) Traits() connlog.Traits {
	return connlog.Traits{Title: "Google Cloud load balancer log", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e6,
		Blind: []string{"that the stamp is the start of a WebSocket was not verified.", "the log may be sampled: counts are lower bounds."}}
}

func gcpNames() *names {
	return newNames(false).
		add(asStart, "timestamp").
		add(asURL, "httpRequest.requestUrl").
		add(asMethod, "httpRequest.requestMethod").
		add(asStatus, "httpRequest.status").
		add(asAgent, "httpRequest.userAgent").
		add(asClient, "httpRequest.remoteIp").
		add(asDuration, "httpRequest.latency").
		add(asProtocol, "httpRequest.protocol").
		add(asCause, "jsonPayload.statusDetails").
		add(asID, "insertId")
}

// Match wants an httpRequest.
func (f GCP) Match(rec []byte) int {
	if m := keys(rec, "httpRequest", "timestamp", "insertId"); m&3 == 3 {
		return 95
	}
	return 0
}

// Configure prepares the names.
func (f GCP) Configure(s *connlog.Setup) (connlog.Format, error) {
	return GCP{s, withMap(gcpNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f GCP) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	if !d.has(asStatus) {
		return connlog.Ignored
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
	x.established = x.Status == 101
	if !d.has(asStart) {
		return connlog.NoTime
	}
	if x.Time, x.Resolution, ok = d.instant(asStart, f.setup); !ok {
		return connlog.BadTime
	}
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			return connlog.BadDuration
		}
	}
	d.peer(b, r.Span, &x)
	x.UserAgent, x.Group, x.Cause = d.span(b, r.Span, asAgent), d.span(b, r.Span, asGroup), d.cause(b, r.Span)
	if d.has(asID) {
		x.ID = hash(b.Text(d.span(b, r.Span, asID)))
	}
	return startAtClose.settle(b, f.setup, r, &x)
}
