package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Envoy reads Envoy's default text, the same with response code details, and Istio's:
//
//	[2026-11-30T19:14:56.812Z] "GET /ws HTTP/1.1" 101 UC 34 26 450 - "192.0.2.10" "agent" "request-id" "example.com" "198.51.100.20:9000"
//
// The stamp is the START of the request, the third number after the flags the stream's life in ms. Nothing is escaped: the
// user agent is what lies between the forwarded list, read from the left, and the request id, read from the right.
//
// Who is the client? The default text has no peer. With use_remote_address Envoy appends the peer to the forwarded list,
// so its LAST entry is Envoy's own word; without, there may be none and the client is unknown. Istio prints the peer.
//
// What the flags mean for a 101 (measured on 1.40): DC the client closed TCP first, or Envoy stopped (details tell); UC
// the backend closed TCP first, clean closes included; SI an idle timeout; UMSDR the cluster's limit; "-" the stream's
// limit, or a clean end over HTTP/2. Code 0 with DC or DR: the client left before the answer. Code 0 with "-" is no
// end: a start, or a stream still pending (access_log_options), of which later lines repeat the same id and start.
//
// The client may be late: whenever Envoy has to close an HTTP/1 connection (every end but DC and DR), it holds the socket
// for delayed_close_timeout, 1 s by default. The line's end is true; the client learns of it up to 1 s later, unless it
// acts on a close frame. LateBy carries that second; a gap of 1.2 s after such a line may be a wait of 0.2 s.
type Envoy struct {
	setup      *connlog.Setup
	flush      bool // several lines a stream: "101 -" is no end
	mesh       bool // both hops of a mesh are in this log: the inner one repeats
	suppressed bool // x-envoy-upstream-service-time is not printed: its absence says nothing
}

// Name is "envoy".
func (f Envoy) Name() string { return "envoy" }

// Traits: written at the end of a stream, stamped with its start.
func (f Envoy) Traits() connlog.Traits {
	return connlog.Traits{Title: "Envoy access log", Written: connlog.AtClose, Stamped: connlog.StampStart, Duration: true, Closes: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e6, LateBy: 1e9}
}

// Learn looks for lines that repeat a stream, for two hops of one mesh, and for a missing service time.
func (f Envoy) Learn(records [][]byte) string {
	var l learned
	for _, rec := range records {
		var e envoyLine
		if e.text(rec) {
			l.see(&e)
		}
	}
	return l.words()
}

// Configure takes the words that Learn found.
func (f Envoy) Configure(s *connlog.Setup) (connlog.Format, error) {
	for _, w := range bytes.Fields([]byte(s.Layout)) {
		if !flag([]byte("flush,mesh,suppressed"), string(w)) {
			return nil, noLayout(f, s)
		}
	}
	return Envoy{s, has(s.Layout, "flush"), has(s.Layout, "mesh"), has(s.Layout, "suppressed")}, nil
}

func has(words, w string) bool { return bytes.Contains([]byte(words), []byte(w)) }

// Match wants a bracketed ISO stamp in UTC and a quote.
func (f Envoy) Match(rec []byte) int {
	if len(rec) < 40 || rec[0] != '[' {
		return 0
	}
	if t, n := clock(f.setup).ISO(rec[1:]); n == 0 || !t.Zoned || n+4 > len(rec) || rec[n+1] != ']' || rec[n+3] != '"' {
		return 0
	}
	return 96
}

// Read reads one line.
func (f Envoy) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var e envoyLine
	if !e.text(rec) {
		return connlog.BadLayout
	}
	var x exchange
	x.fresh()
	if rec[e.req.from] == '-' || !request(rec, e.req, r.Span, &x) {
		return connlog.Ignored // not HTTP: a TCP line, a codec error
	}
	x.UserAgent = e.agent.span(rec, r.Span)
	return f.settle(b, r, rec, &e, &x)
}

// envoyLine is what a text line and a JSON line have in common; pieces that are absent are empty or "-".
type envoyLine struct {
	rec                             []byte
	start, req, flags, details, svc piece
	code                            uint16
	ms                              piece
	xff, agent, id, host, upstream  piece
	cluster, remote                 piece
	kind                            piece // which of a stream's lines this is, in JSON
	service                         bool  // a service time is printed
}

// text cuts a text line.
func (e *envoyLine) text(rec []byte) bool {
	e.rec = rec
	end := bytes.IndexByte(rec, ']')
	if end < 20 || end > 40 || rec[0] != '[' || end+3 > len(rec) || rec[end+2] != '"' {
		return false
	}
	e.start = piece{1, end}
	var ok bool
	if e.req, ok = loose(rec, end+2); !ok {
		return false
	}
	w := word(rec, e.req.to+2)
	e.code, _ = status(w.of(rec))
	e.flags = word(rec, w.to+1)
	w = word(rec, e.flags.to+1)
	if _, ok := number(w.of(rec)); !ok { // response code details
		e.details = w
		w = word(rec, w.to+1)
		if _, ok := number(w.of(rec)); !ok { // Istio: termination details and the quoted transport failure
			q, ok := quoted(rec, w.to+1)
			if !ok {
				return false
			}
			w = word(rec, q.to+2)
		}
	}
	w = word(rec, w.to+1) // bytes sent
	e.ms = word(rec, w.to+1)
	e.svc = word(rec, e.ms.to+1)
	e.service = !e.svc.absent(rec)
	if _, ok := number(e.ms.of(rec)); !ok {
		return false
	}
	x := e.svc.to + 1
	if x+1 >= len(rec) || rec[x] != '"' {
		return !e.svc.empty() // the first line of a truncated record, or a TCP line without headers
	}
	n := bytes.Index(rec[x+1:], []byte(`" "`))
	last := bytes.LastIndexByte(rec, '"')
	if n < 0 || last <= x+1+n {
		return false
	}
	e.xff = piece{x + 1, x + 1 + n}
	// From the right: the upstream, the authority, the request id.
	var p [3]piece
	to := last
	for i := range p {
		from := bytes.LastIndexByte(rec[:to], '"')
		if from < e.xff.to+2 {
			return false
		}
		p[i] = piece{from + 1, to}
		to = from - 2
		if to < e.xff.to+2 {
			return false
		}
	}
	e.upstream, e.host, e.id = p[0], p[1], p[2]
	e.agent = piece{e.xff.to + 3, to}
	if e.agent.to < e.agent.from {
		return false
	}
	if tail := last + 2; tail < len(rec) { // Istio
		e.cluster = word(rec, tail)
		up := word(rec, e.cluster.to+1)
		local := word(rec, up.to+1)
		e.remote = word(rec, local.to+1)
	}
	return true
}

// settle turns a line into events; x holds the request and the user agent.
func (f Envoy) settle(b *connlog.Batch, r connlog.Record, rec []byte, e *envoyLine, x *exchange) connlog.Reason {
	flags, details := e.flags.of(rec), e.details.of(rec)
	none := e.flags.absent(rec)
	if e.code == 0 && none {
		return connlog.Ignored // the start of a stream, or one still pending
	}
	if f.mesh && bytes.HasPrefix(e.cluster.of(rec), []byte("inbound|")) {
		return connlog.Ignored // the outer hop tells it
	}
	x.Status, x.established = e.code, e.code == 101
	if !x.established {
		switch {
		case bytes.HasPrefix(details, []byte("websocket_handshake_unsuccessful")), bytes.HasPrefix(details, []byte("upgrade_failed")):
			x.upgrade, x.Outcome = asked, connlog.Refused
		case e.service && !flag(flags, "UAEX"):
			return connlog.Ignored // the backend answered an ordinary request
		case !f.suppressed && !e.service && none && !e.upstream.absent(rec) && e.code >= 300:
			x.upgrade = asked // only for upgrades is the service time left out
		case boring(e.code):
			return connlog.Ignored
		}
		switch {
		case x.Outcome != connlog.OutcomeUnknown:
		case flag(flags, "RL"):
			x.Outcome = connlog.Limited
		case e.code == 408 || flag(flags, "RLSE"):
			x.Outcome = connlog.Upstream
		}
		if x.upgrade != asked && x.endpoint(b, f.setup) == connlog.NotKnown {
			return connlog.Ignored
		}
		if x.upgrade == untold && e.code == 0 {
			x.Outcome = connlog.Aborted
		}
	}
	t, n := clock(f.setup).ISO(e.start.of(rec))
	if n == 0 {
		return connlog.BadTime
	}
	x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	ms, ok := decimal(e.ms.of(rec), 1e6)
	if !ok {
		return connlog.BadDuration
	}
	x.Duration = ms
	f.client(rec, e, r.Span, x)
	x.Host = e.host.span(rec, r.Span)
	if !e.id.absent(rec) {
		x.ID = hash(e.id.of(rec)) ^ hash(e.start.of(rec))
	}
	if !none {
		x.Cause = e.flags.in(r.Span)
	}
	if !x.established {
		return startAtClose.settle(b, f.setup, r, x)
	}
	f.end(flags, details, none, x)
	if kind := e.kind.of(rec); f.flush && none && len(details) == 0 || len(kind) > 0 && string(kind) != "DownstreamEnd" ||
		f.flush && none && string(details) == "via_upstream" {
		x.Duration = connlog.None // established or alive; the end comes in a later line
	}
	return startAtClose.settle(b, f.setup, r, x)
}

// client takes the printed peer, else the last entry of the forwarded list, which Envoy wrote.
func (f Envoy) client(rec []byte, e *envoyLine, s connlog.Span, x *exchange) {
	if !e.remote.absent(rec) {
		host, port := peer(rec, e.remote)
		x.Client, x.Port, x.ClientSource = host.in(s), port, connlog.Peer
		if port == 0 {
			x.ClientSource = connlog.Forwarded // Envoy chose it by its own configuration
			return
		}
		x.Forwarded = e.xff.span(rec, s)
		return
	}
	if e.xff.absent(rec) {
		return
	}
	list := e.xff
	if n := bytes.LastIndexByte(list.of(rec), ','); n >= 0 {
		x.Forwarded = piece{list.from, list.from + n}.in(s)
		list.from += n + 1
		for list.from < list.to && rec[list.from] == ' ' {
			list.from++
		}
	}
	x.Client, x.ClientSource = list.in(s), connlog.Peer
}

// end says who ended a session and whether the client may be late.
func (f Envoy) end(flags, details []byte, none bool, x *exchange) {
	late := x.Transport != connlog.WebSocketH2
	switch {
	case bytes.HasPrefix(details, []byte("downstream_local_disconnect")):
		x.ClosedBy, late = connlog.ByProxy, false
	case flag(flags, "DR"), bytes.HasPrefix(details, []byte("downstream_remote_disconnect")):
		x.ClosedBy, late = connlog.ByClient, false
	case flag(flags, "DC"):
		late = false // the client, or Envoy's own stop
	case flag(flags, "SI"), flag(flags, "UMSDR"), flag(flags, "DT"), bytes.HasPrefix(details, []byte("max_duration_timeout")):
		x.ClosedBy = connlog.ByProxyTimeout
	case flag(flags, "UR"):
		x.ClosedBy = connlog.ByServer
	}
	if late {
		x.LateBy = 1e9
	}
}

// flag reports whether a list such as URX,UF holds the flag.
func flag(list []byte, f string) bool {
	for len(list) > 0 {
		n := bytes.IndexByte(list, ',')
		if n < 0 {
			n = len(list)
		}
		if string(list[:n]) == f {
			return true
		}
		list = list[min(n+1, len(list)):]
	}
	return false
}

// learned is what many lines of an Envoy say together.
type learned struct {
	flush, mesh, suppressed, service bool
	outbound, inbound                map[uint64]bool
}

func (l *learned) see(e *envoyLine) {
	if l.outbound == nil {
		l.outbound, l.inbound = map[uint64]bool{}, map[uint64]bool{}
	}
	rec := e.rec
	if e.code == 0 && e.flags.absent(rec) && !e.id.absent(rec) {
		l.flush = true
	}
	if e.code >= 200 && e.code < 300 && !e.upstream.absent(rec) {
		if e.service {
			l.service = true
		} else {
			l.suppressed = true
		}
	}
	if e.id.absent(rec) {
		return
	}
	id, cluster := hash(e.id.of(rec)), e.cluster.of(rec)
	switch {
	case bytes.HasPrefix(cluster, []byte("outbound|")):
		l.outbound[id] = true
		l.mesh = l.mesh || l.inbound[id]
	case bytes.HasPrefix(cluster, []byte("inbound|")):
		l.inbound[id] = true
		l.mesh = l.mesh || l.outbound[id]
	}
}

func (l *learned) words() string {
	s := ""
	if l.flush {
		s += "flush "
	}
	if l.mesh {
		s += "mesh "
	}
	if l.suppressed && !l.service {
		s += "suppressed "
	}
	if s != "" {
		s = s[:len(s)-1]
	}
	return s
}
