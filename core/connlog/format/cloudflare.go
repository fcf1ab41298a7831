package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Cloudflare reads two data sets of Cloudflare's Logpush:
//
//	websocket_analytics  {"ClientIP":…,"EdgeStartTimestamp":…,"EdgeEndTimestamp":…,"ConnectionID":…,"ConnectionCloseSource":"downstream",…}
//	http_requests        {"ClientIP":…,"EdgeStartTimestamp":…,"EdgeEndTimestamp":…,"EdgeResponseStatus":101,"ClientRequestURI":"/ws",…}
//
// Both have start and end. Every record of the first is a WebSocket that was established and says who ended it; the second
// has the refusals too. Stamps are RFC 3339, seconds or nanoseconds, as the job was set; the digits tell.
type Cloudflare struct {
	setup *connlog.Setup
	names *names
}

// Name is "cloudflare".
func (f Cloudflare) Name() string { return "cloudflare" }

// Traits: both ends are in the line.
func (f Cloudflare) Traits() connlog.Traits {
	return connlog.Traits{Title: "Cloudflare Logpush", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: true, Closes: true, Unordered: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e9,
		Blind: []string{"websocket_analytics alone has no refused handshakes."}}
}

func cloudflareNames() *names {
	return newNames(false).
		add(asStart, "EdgeStartTimestamp").
		add(asEnd, "EdgeEndTimestamp").
		add(asClient, "ClientIP").
		add(asPort, "ClientSrcPort").
		add(asHost, "ClientRequestHost").
		add(asURL, "ClientRequestURI ClientRequestPath").
		add(asMethod, "ClientRequestMethod").
		add(asStatus, "EdgeResponseStatus").
		add(asAgent, "ClientRequestUserAgent").
		add(asID, "RayID").
		add(asKind, "ConnectionID").
		add(asCause, "ConnectionCloseReason").
		add(asOutcome, "ConnectionCloseSource").
		add(asCode, "ConnectionTransportCloseCode")
}

// Match wants the edge's stamps.
func (f Cloudflare) Match(rec []byte) int {
	if m := keys(rec, "EdgeStartTimestamp", "ClientIP"); m == 3 {
		return 97
	}
	return 0
}

// Configure prepares the names.
func (f Cloudflare) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Cloudflare{s, withMap(cloudflareNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f Cloudflare) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var x exchange
	x.fresh()
	var ok bool
	x.established = d.has(asKind)
	if d.has(asStatus) {
		if x.Status, ok = d.status(); !ok {
			return connlog.BadStatus
		}
		x.established = x.established || x.Status == 101
		if !x.established && boring(x.Status) {
			return connlog.Ignored
		}
	} else if !x.established {
		return connlog.Ignored
	}
	if !d.request(b, r.Span, &x) && !x.established {
		return connlog.Ignored
	}
	if !d.has(asStart) {
		return connlog.NoTime
	}
	if x.Time, x.Resolution, ok = d.instant(asStart, f.setup); !ok {
		return connlog.BadTime
	}
	if d.has(asEnd) {
		end, _, ok := d.instant(asEnd, f.setup)
		if !ok {
			return connlog.BadTime
		}
		if end >= x.Time {
			x.Duration = end - x.Time
		}
	}
	d.peer(b, r.Span, &x)
	x.UserAgent, x.Group = d.span(b, r.Span, asAgent), d.span(b, r.Span, asGroup)
	if d.has(asID) {
		x.ID = hash(b.Text(d.span(b, r.Span, asID)))
	}
	x.Cause, x.CloseCode = d.cause(b, r.Span), d.code()
	var buf [32]byte
	switch src := d.text(asOutcome, buf[:]); {
	case string(b.Text(x.Cause)) == "timedOut":
		x.ClosedBy = connlog.ByProxyTimeout
	case bytes.EqualFold(src, []byte("downstream")):
		x.ClosedBy = connlog.ByClient
	case bytes.EqualFold(src, []byte("upstream")):
		x.ClosedBy = connlog.ByServer
	case bytes.EqualFold(src, []byte("me")):
		x.ClosedBy = connlog.ByProxy
	}
	return startAtClose.settle(b, f.setup, r, &x)
}
