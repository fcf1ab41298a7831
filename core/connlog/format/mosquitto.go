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
type Mosquitto struct {
	setup *connlog.Setup
	local bool // log_timestamp_format prints no zone
}

// Name is "mosquitto".
func (f Mosquitto) Name() string { return "mosquitto" }

// Traits: written at both ends, joined by the client id.
func (f Mosquitto) Traits() connlog.Traits {
	return connlog.Traits{Title: "Mosquitto log", Written: connlog.AtBoth, Stamped: connlog.StampEvent, Closes: true, Refusals: true, Client: true,
		Joined: true, Zone: !f.local, Resolution: 1e9, Blind: []string{"a failed handshake has no address."}}
}

// Configure keeps the setup.
func (f Mosquitto) Configure(s *connlog.Setup) (connlog.Format, error) {
	if s.Layout == localStamps {
		return Mosquitto{s, true}, nil
	}
	return Mosquitto{s, false}, noLayout(f, s)
}

// localStamps is the learned layout of a log whose stamps have no zone.
const localStamps = "local"

// Learn says "local" if the first stamp has no zone.
func (f Mosquitto) Learn(records [][]byte) string {
	for _, rec := range records {
		if t, n := f.stamp(rec); n > 0 && said(rec[n:]) {
			if !t.Zoned {
				return localStamps
			}
			break
		}
	}
	return ""
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
	switch {
	case n > 0 && said(rec[n:]):
		return 95
	case bytes.HasPrefix(rec, mqttConnected), bytes.HasPrefix(rec, []byte("New connection from ")) && bytes.Contains(rec, []byte(" on port ")):
		return 90 // the stamp is a wrapper's: log_timestamp false, or the journal
	}
	return 0
}

// stamp reads what stands before the colon: an epoch, or what the usual patterns of log_timestamp_format print.
func (f Mosquitto) stamp(rec []byte) (t stamp.Time, n int) {
	if t, n = stamp.Epoch(rec); n == 0 {
		if t, n = clock(f.setup).ISO(rec); n == 0 {
			if t, n = clock(f.setup).CLF(rec); n == 0 {
				year := 0
				if f.setup != nil {
					year = f.setup.Year
				}
				if t, n = stamp.Syslog(rec, year); n == 0 {
					return t, 0
				}
			}
		}
	}
	if n+2 > len(rec) || rec[n] != ':' || rec[n+1] != ' ' {
		return t, 0
	}
	return t, n + 2
}

// sentences are how the broker's lines begin.
var sentences = []string{"New connection from ", "New client connected from ", "Client ", "Received ", "Sending ", "mosquitto version", "Socket error on client ", "Opening ", "Config loaded", "No will", "Warning", "Error"}

func said(text []byte) bool {
	for _, s := range sentences {
		if len(text) >= len(s) && string(text[:len(s)]) == s {
			return true
		}
	}
	return false
}

// Read reads one line.
func (f Mosquitto) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	t, n := f.stamp(rec)
	if n == 0 {
		switch {
		case !said(rec):
			return connlog.BadLayout
		case r.Written == connlog.None:
			return connlog.NoTime
		}
		t = stamp.Time{Local: r.Written, Zoned: true, Resolution: r.Resolution}
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
		if end := lastIndex(id.of(rec), " (p", 1); end >= 0 {
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
	for k := range 2 * len(mqttEnds) { // at the end, as nearly all are, then anywhere
		m := &mqttEnds[k%len(mqttEnds)]
		n := len(rest) - len(m.text)
		if k >= len(mqttEnds) {
			n = bytes.LastIndex(rest, []byte(m.text))
		} else if n > 0 && string(rest[n:]) != m.text {
			n = 0
		}
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
