package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// HAProxyTCP reads HAProxy's `option tcplog`, which HAProxy writes where it passes TLS or raw TCP on:
//
//	192.0.2.10:51363 [01/Dec/2026:04:51:49.199] fe be/s1 1/0/401 2 -- 2/2/0/0/0 0/0
//
// Such a line cannot tell a WebSocket from any other connection, so it is only read so when the operator says so, by --format
// haproxy-tcp: then every connection counts as a socket. The stamp is the START of the TCP connection, in the host's zone; the
// third timer is the whole life in ms. Tc = -1 or a state whose second letter is no data phase: no server was reached, which
// is the attempt's failure. A handshake that the server itself refused looks like a short session.
type HAProxyTCP struct{ setup *connlog.Setup }

// Name is "haproxy-tcp".
func (f HAProxyTCP) Name() string { return "haproxy-tcp" }

// Traits are HAProxy's without what only HTTP shows.
func (f HAProxyTCP) Traits() connlog.Traits {
	t := HAProxy{}.Traits()
	t.Title, t.UserAgent = "HAProxy tcplog", false
	t.Blind = []string{"every connection counts as a WebSocket, and a handshake that the server refused as a short session."}
	return t
}

// Configure keeps the setup.
func (f HAProxyTCP) Configure(s *connlog.Setup) (connlog.Format, error) {
	return HAProxyTCP{s}, noLayout(f, s)
}

// Match knows none: that the connections are WebSockets is the operator's to say.
func (f HAProxyTCP) Match([]byte) int { return 0 }

// tcplog reports a line of option tcplog.
func tcplog(rec []byte) bool {
	front := bytes.Index(rec, []byte("] "))
	if (HAProxy{}).Match(rec) == 0 || front < 0 {
		return false
	}
	back := word(rec, word(rec, front+2).to+1)
	return bytes.Count(word(rec, back.to+1).of(rec), []byte{'/'}) == 2
}

// Read reads one line.
func (f HAProxyTCP) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	host := word(rec, 0)
	if host.to+28 > len(rec) || rec[host.to+1] != '[' {
		return connlog.BadLayout
	}
	t, n := clock(f.setup).CLF(rec[host.to+2:])
	at := host.to + 2 + n
	if n == 0 || at >= len(rec) || rec[at] != ']' {
		return connlog.BadTime
	}
	back := word(rec, word(rec, at+2).to+1)
	timers := word(rec, back.to+1)
	state := word(rec, word(rec, timers.to+1).to+1)
	_, times, _ := bytes.Cut(timers.of(rec), []byte{'/'})
	reached, life, found := bytes.Cut(times, []byte{'/'})
	if !found || len(reached) == 0 || bytes.IndexByte(life, '/') >= 0 || state.to-state.from != 2 {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	h, port := peer(rec, host)
	x.Client, x.Port, x.ClientSource, x.Cause = h.in(r.Span), port, connlog.Peer, state.in(r.Span)
	phase := rec[state.from+1]
	x.upgrade, x.established = asked, reached[0] != '-' && (phase == '-' || phase == 'D' || phase == 'L')
	early := len(life) > 0 && life[0] == '+' // logasap
	if d, ok := decimal(bytes.TrimPrefix(life, []byte{'+'}), 1e6); ok && !(early && x.established) {
		x.Duration = d
	}
	if !x.established {
		switch rec[state.from] {
		case 'P', 'R', 'L', 'I':
			x.Outcome = connlog.Refused
		default:
			x.Outcome = connlog.Upstream
		}
	}
	HAProxy{}.state(state.of(rec), &x)
	return startAtClose.settle(b, f.setup, r, &x)
}
