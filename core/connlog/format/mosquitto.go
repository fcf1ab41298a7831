package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Mosquitto reads the log of the Mosquitto MQTT broker, with epoch stamps or ISO ones:
//
//	1796057230: New client connected from 192.0.2.10:37058 as dev-1 (p2, c1, k60).
//	1796057231: Client dev-1 closed its connection.
//
// An attempt is "New client connected"; the "New connection" before it is only the TCP accept. The end names the client
// id and no address, so that the two are joined by the id. "already connected, closing old connection" is a TAKEOVER: two
// machines with one id push each other out for ever. What happens to a client that was never accepted is printed of
// <unknown>, without an address: a failed attempt of nobody. The user name (u'name') is not kept.
type Mosquitto struct{ setup *connlog.Setup }

// Name is "mosquitto".
func (f Mosquitto) Name() string { return "mosquitto" }

// Traits: written at both ends, joined by the client id.
func (f Mosquitto) Traits() connlog.Traits {
	return connlog.Traits{Title: "Mosquitto log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true, Client: true,
		Joined: true, Zone: true, Resolution: 1e9, Blind: []string{"a failed handshake has no address."}}
}

// Configure keeps the setup.
func (f Mosquitto) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Mosquitto{s}, noLayout(f, s)
}

var (
	mqttConnected = []byte("New client connected from ")
	mqttClient    = []byte("Client ")
	mqttSocket    = []byte("Socket error on client ")
	mqttRefused   = []byte("Client connection from ")
)

// mqttEnds are the ways a session ends, longest first where one begins another.
var mqttEnds = []struct {
	text string
	by   connlog.Party
}{
	{" already connected, closing old connection.", connlog.ByTakeover},
	{" has exceeded timeout, disconnecting.", connlog.ByProxyTimeout},
	{" closed its connection.", connlog.ByClient},
	{" disconnected, not authorised.", connlog.ByServer},
	{" disconnected due to ", connlog.ByServer},
	{" been disconnected by administrative action.", connlog.ByServer},
	{" disconnected: ", connlog.PartyUnknown},
	{" disconnected.", connlog.ByClient},
	{", disconnecting.", connlog.PartyUnknown},
}

// Match wants a stamp, a colon and one of the broker's sentences.
func (f Mosquitto) Match(rec []byte) int {
	_, n := f.stamp(rec)
	if n == 0 {
		return 0
	}
	rest := rec[n:]
	for _, s := range []string{"New connection from ", "New client connected from ", "Client ", "Received ", "Sending ", "mosquitto version", "Socket error on client ", "Opening ", "Config loaded", "No will", "Warning", "Error"} {
		if bytes.HasPrefix(rest, []byte(s)) {
			return 95
		}
	}
	return 0
}

func (f Mosquitto) stamp(rec []byte) (t stamp.Time, n int) {
	if t, n = stamp.Epoch(rec); n == 0 {
		if t, n = stamp.ISO(rec); n == 0 {
			return t, 0
		}
	}
	if n+2 > len(rec) || rec[n] != ':' || rec[n+1] != ' ' {
		return t, 0
	}
	return t, n + 2
}

// Read reads one line.
func (f Mosquitto) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, n := f.stamp(rec)
	if n == 0 {
		return connlog.BadTime
	}
	rest := rec[n:]
	switch {
	case bytes.HasPrefix(rest, mqttConnected):
		from := n + len(mqttConnected)
		host := word(rec, from)
		as := bytes.Index(rec[host.to:], []byte(" as "))
		if as < 0 {
			return connlog.BadLayout
		}
		id := piece{host.to + as + 4, len(rec)}
		if end := bytes.LastIndex(id.of(rec), []byte(" (p")); end >= 0 {
			id.to = id.from + end
		} else {
			id.to = word(rec, id.from).to
		}
		h, port := peer(rec, host)
		e := f.event(b, t)
		e.Kind, e.Outcome, e.TimeSource = connlog.Attempt, connlog.OK, connlog.PrintedEnd
		e.Client, e.Port, e.ClientSource, e.Conn = h.in(r.Span), port, connlog.Peer, id.in(r.Span)
		return connlog.Used
	case bytes.HasPrefix(rest, mqttRefused): // Client connection from 192.0.2.1 failed: error:1408F10B:SSL …
		host := word(rec, n+len(mqttRefused))
		h, port := peer(rec, host)
		e := f.event(b, t)
		e.Kind, e.Outcome, e.TimeSource = connlog.Attempt, connlog.Refused, connlog.PrintedEnd
		if bytes.Contains(rest, []byte("SSL")) || bytes.Contains(rest, []byte("TLS")) {
			e.Outcome = connlog.TLS
		}
		e.Client, e.Port, e.ClientSource = h.in(r.Span), port, connlog.Peer
		return connlog.Used
	case bytes.HasPrefix(rest, mqttSocket):
		return f.end(b, rec, t, r.Span, n+len(mqttSocket))
	case bytes.HasPrefix(rest, mqttClient):
		return f.end(b, rec, t, r.Span, n+len(mqttClient))
	}
	return connlog.Ignored
}

func (f Mosquitto) event(b *connlog.Batch, t stamp.Time) *connlog.Event {
	e := b.Add()
	e.Time, e.Resolution, e.Transport = t.In(f.setup.Zone), t.Resolution, connlog.MQTT
	return e
}

// end reads "ID words." from byte i on.
func (f Mosquitto) end(b *connlog.Batch, rec []byte, t stamp.Time, s connlog.Span, i int) connlog.Reason {
	rest := rec[i:]
	for _, m := range mqttEnds {
		n := bytes.LastIndex(rest, []byte(m.text))
		if n <= 0 {
			continue
		}
		id := piece{i, i + n}
		if w := bytes.IndexByte(id.of(rec), ' '); w > 0 && bytes.HasSuffix(id.of(rec), []byte(" has")) {
			id.to = i + w
		}
		if w := bytes.Index(id.of(rec), []byte(" [")); w > 0 { // 2.1: Client dev-1 [192.0.2.1:4711] disconnected.
			id.to = i + w
		}
		e := f.event(b, t)
		if string(id.of(rec)) == "<unknown>" {
			e.Kind, e.Outcome, e.TimeSource = connlog.Attempt, connlog.Refused, connlog.PrintedEnd
			return connlog.Used
		}
		e.Kind, e.TimeSource, e.ClosedBy, e.Conn = connlog.Close, connlog.PrintedEnd, m.by, id.in(s)
		cause := piece{i + n + 1, i + len(bytes.TrimRight(rest, "."))}
		if m.by == connlog.ByTakeover || m.by == connlog.ByProxyTimeout || cause.to-cause.from <= 48 {
			e.Cause = cause.in(s)
		}
		return connlog.Used
	}
	return connlog.Ignored
}
