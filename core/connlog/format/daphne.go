package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Daphne reads the access log of Django's Daphne:
//
//	127.0.0.11:36835 - - [30/Nov/2026:13:05:36] "WSCONNECTING /ws" - -
//	127.0.0.11:36835 - - [30/Nov/2026:13:05:36] "WSCONNECT /ws" - -
//	127.0.0.11:36835 - - [30/Nov/2026:13:05:39] "WSDISCONNECT /ws" - -
//
// Written at both ends. The stamp has no zone and is in the zone of Django's TIME_ZONE (by default America/Chicago,
// whatever the host's). The lines of one connection are joined by ip:port. WSCONNECTING is the attempt, WSCONNECT or
// WSREJECT its outcome: they carry one id, so that they count once. WSDISCONNECT follows refusals too: it is a close only
// if its connection was accepted, which whoever joins them must see to.
type Daphne struct{ setup *connlog.Setup }

// Name is "daphne".
func (f Daphne) Name() string { return "daphne" }

// Traits: written at both ends, joined by the peer.
func (f Daphne) Traits() connlog.Traits {
	return connlog.Traits{Title: "daphne access log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true, Client: true,
		Joined: true, Resolution: 1e9, Blind: []string{"the stamp is in Django's TIME_ZONE: say it with --tz."}}
}

// Configure keeps the setup.
func (f Daphne) Configure(s *connlog.Setup) (connlog.Format, error) { return Daphne{s}, noLayout(f, s) }

// Match wants a stamp without a zone and a request without HTTP.
func (f Daphne) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) || c.time.to-c.time.from != 20 {
		return 0
	}
	if bytes.HasPrefix(c.request.of(rec), []byte("WS")) {
		return 98
	}
	if rec[c.time.from+11] == ':' && !bytes.Contains(c.request.of(rec), []byte(" HTTP/")) {
		return 80
	}
	return 0
}

// Read reads one line.
func (f Daphne) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var c clf
	if !c.cut(rec, 0, false) {
		return connlog.BadLayout
	}
	if q := c.request; q.to-q.from < 4 || rec[q.from] != 'W' || rec[q.from+1] != 'S' {
		return connlog.Ignored
	}
	w := word(rec, c.request.from)
	if w.to > c.request.to {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	if !c.when(rec, f.setup, &x) {
		return connlog.BadTime
	}
	if !url(rec, piece{w.to + 1, c.request.to}, r.Span, &x) {
		return connlog.BadLayout
	}
	host, port := peer(rec, c.host)
	e := push(b, &x.Event)
	e.Client, e.Port, e.ClientSource = host.in(r.Span), port, connlog.Peer
	e.Conn, e.Transport, e.TimeSource = c.host.in(r.Span), connlog.WebSocket, connlog.PrintedStart
	e.ID = hash(c.host.of(rec))
	switch string(w.of(rec)) {
	case "WSCONNECTING":
	case "WSCONNECT":
		e.Outcome = connlog.OK
	case "WSREJECT":
		e.Outcome = connlog.Refused
	case "WSDISCONNECT":
		e.Kind, e.TimeSource, e.ID = connlog.Close, connlog.PrintedEnd, 0
	default:
		b.Events = b.Events[:len(b.Events)-1]
		return connlog.BadKind
	}
	return connlog.Used
}
