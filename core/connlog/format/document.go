package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// role is the part that a field of a JSON record plays.
type role uint8

const (
	noRole       role = iota
	asTime            // the record's stamp: an event, or the end, as the format means it
	asStart           // when the request or the session began
	asEnd             // when it ended
	asClient          // the peer
	asForwarded       // the forwarded list
	asPort            // the client's port
	asEvent           // connect, disconnect, retry in a field of its own
	asMessage         // the same in words for people
	asDuration        // how long it took
	asInterval        // the wait before a retry, as the log itself states it
	asStatus          // of HTTP
	asCode            // of a WebSocket's close
	asCause           // the reason for an end
	asOutcome         // success, failure
	asAgent           // user agent
	asConn            // connection id
	asID              // request id
	asURL             // path or URL
	asRequest         // a whole request line
	asQuery           // the query apart
	asHost            // of the request
	asMethod          // of the request
	asProtocol        // HTTP/1.1
	asUpgrade         // the request's Upgrade header, or the :protocol of HTTP/2
	asAccepted        // the response's Upgrade header
	asRetryAfter      // what the server asked for
	asFlags           // Envoy
	asDetails         // Envoy
	asService         // Envoy's service time, or the service of a proxy
	asKind            // which of a stream's lines this is
	asCluster         // Envoy
	asUpstream        // the address behind the proxy
	asGroup           // --group-by field:NAME
	roles
)

// document is a JSON record with the fields that play a part: each value where it stands, strings with their quotes.
type document struct {
	rec  []byte
	val  [roles]struct{ from, to int32 }
	rank [roles]uint8
	unit int64 // of asDuration
	port bool  // asClient always ends with a port

	rough bool // strings have nginx's escapes
}

// at is where the value of a role stands.
func (d *document) at(r role) piece { return piece{int(d.val[r].from), int(d.val[r].to)} }

// read walks over the record once: along a path that an earlier record had, else key by key.
func (d *document) read(rec []byte, n *names) connlog.Reason {
	*d = document{rec: rec}
	if n.shapes.read(d) {
		return connlog.Used
	}
	*d = document{rec: rec}
	at := jsonscan.Space(rec, 0)
	f := jsonscan.Fields{Data: rec}
	if !f.Open(at, 0) {
		if jsonscan.Skip(rec, at, 0) < 0 {
			return connlog.BadJSON
		}
		return connlog.NotObject
	}
	past, ok := d.walk(f, n, 0)
	if !ok || jsonscan.Space(rec, past) != len(rec) {
		return connlog.BadJSON
	}
	n.shapes.learn(rec, n)
	return connlog.Used
}

func (d *document) walk(f jsonscan.Fields, n *names, depth int) (past int, ok bool) {
	for f.Find() {
		var m *name
		if f.Plain {
			m = n.find(f.Data[f.KeyAt:f.KeyEnd])
		} else {
			m = n.find(f.Key())
		}
		if m != nil && m.kids != nil && f.At < len(f.Data) && f.Data[f.At] == '{' {
			g := jsonscan.Fields{Data: f.Data}
			if !g.Open(f.At, depth+1) {
				return 0, false
			}
			past, ok := d.walk(g, m.kids, depth+1)
			if !ok {
				return 0, false
			}
			f.PassTo(past)
			continue
		}
		if !f.Pass() {
			return 0, false
		}
		if m == nil {
			continue
		}
		switch f.Data[f.At] {
		case '{':
			continue
		case '[': // of a list of header values the first counts
			i := jsonscan.Space(f.Data, f.At+1)
			if i < f.End && (f.Data[i] == '"' || f.Data[i]-'0' <= 9) {
				if end := jsonscan.Skip(f.Data, i, depth+2); end > 0 {
					d.take(m, piece{i, end})
				}
			}
			continue
		case 'n':
			continue
		}
		d.take(m, piece{f.At, f.End})
	}
	return f.Past, f.Bad < 0
}

func (d *document) take(m *name, p piece) {
	if m.role == noRole && !m.also || p.to-p.from == 2 && d.rec[p.from] == '"' {
		return
	}
	if m.also && (p.to-p.from != 3 || d.rec[p.from+1] != '-') {
		d.val[asGroup].from, d.val[asGroup].to, d.rank[asGroup] = int32(p.from), int32(p.to), 1
		if m.role == noRole {
			return
		}
	}
	if p.to-p.from == 3 && d.rec[p.from+1] == '-' && m.role != asFlags {
		return // "-" is nginx's, Envoy's and Traefik's word for nothing
	}
	rank := m.rank + 1
	if old := d.rank[m.role]; old != 0 && old < rank {
		return
	}
	d.val[m.role].from, d.val[m.role].to, d.rank[m.role] = int32(p.from), int32(p.to), rank
	switch m.role {
	case asDuration:
		d.unit = m.unit
	case asClient:
		d.port = m.unit == withPort
	}
}

func (d *document) has(r role) bool { return d.rank[r] != 0 }

// text is the value's text: a string without its quotes and escapes, else the bytes as they stand. It lives in buf or in
// the record.
func (d *document) text(r role, buf []byte) []byte {
	p := d.at(r)
	v := p.of(d.rec)
	if len(v) < 2 || v[0] != '"' {
		return v
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	var sound [128]byte
	return jsonscan.AppendText(buf[:0], d.sound(sound[:0], v))
}

// sound gives a string in JSON's escapes, in buf where it has others.
func (d *document) sound(buf, v []byte) []byte {
	if d.rough {
		return mend(buf, v)
	}
	return v
}

// span is the same as a span of the batch.
func (d *document) span(b *connlog.Batch, s connlog.Span, r role) connlog.Span {
	p := d.at(r)
	v := p.of(d.rec)
	switch {
	case len(v) == 0:
		return connlog.Span{}
	case v[0] != '"':
		return p.in(s)
	case bytes.IndexByte(v, '\\') < 0:
		return piece{p.from + 1, p.to - 1}.in(s)
	}
	var buf, sound [512]byte
	return b.Keep(jsonscan.AppendText(buf[:0], d.sound(sound[:0], v)))
}

// instant reads a stamp; ok is false if it cannot be read.
func (d *document) instant(r role, s *connlog.Setup) (at, resolution int64, ok bool) {
	var buf [64]byte
	t, ok := s.Clock.Any(d.text(r, buf[:]))
	if !ok {
		return 0, 0, false
	}
	if t.Resolution > 1e6 && t.Resolution < 1e9 {
		t.Resolution = 1e6 // libraries drop the zeros at the end of a fraction
	}
	return t.In(s.Zone), t.Resolution, true
}

// duration reads asDuration in its unit; a value with a suffix of its own says it itself.
func (d *document) duration() (ns int64, ok bool) {
	var buf [64]byte
	v := d.text(asDuration, buf[:])
	if d.unit > 0 {
		if ns, ok = decimal(v, d.unit); ok {
			return ns, true
		}
		if bytes.IndexAny(v, "eE") > 0 { // 9.2548e-05
			if f, ok := jsonscan.Float(v); ok && f >= 0 && f < 1e9 {
				return int64(float64(f * float64(d.unit))), true
			}
		}
	}
	return goDuration(v)
}

// status reads asStatus, a number or a string.
func (d *document) status() (uint16, bool) {
	var buf [8]byte
	return status(d.text(asStatus, buf[:]))
}

// request fills x from a request line, or from a URL, a method and a protocol apart.
func (d *document) request(b *connlog.Batch, s connlog.Span, x *exchange) bool {
	if d.has(asRequest) {
		line := d.span(b, s, asRequest)
		return request(b.Text(line), piece{0, int(line.Len)}, line, x)
	}
	if d.has(asMethod) {
		var buf [16]byte
		m := d.text(asMethod, buf[:])
		x.get = string(m) == "GET" || string(m) == "CONNECT"
	}
	if d.has(asProtocol) {
		var buf [16]byte
		if v := d.text(asProtocol, buf[:]); len(v) > 5 && (v[5] == '2' || v[5] == '3') {
			x.Transport = connlog.WebSocketH2
		}
	}
	if d.has(asHost) {
		x.Host = d.span(b, s, asHost)
	}
	if !d.has(asURL) {
		return false
	}
	t := d.span(b, s, asURL)
	if t.Len == 0 || !url(b.Text(t), piece{0, int(t.Len)}, t, x) {
		return false
	}
	if x.Query.Len == 0 && d.has(asQuery) {
		x.Query = d.span(b, s, asQuery)
	}
	return true
}

// upgrade reads the evidence of an Upgrade field.
func (d *document) upgrade(x *exchange) {
	if d.has(asUpgrade) {
		var buf [32]byte
		x.upgrade = plain
		if bytes.EqualFold(d.text(asUpgrade, buf[:]), []byte("websocket")) {
			x.upgrade = asked
		}
	}
}

// peer fills the client from asClient, which may carry a port: behind a bare IPv6 address only where it always does, as in
// EMQX's peername, 2001:db8::10:37058, which is an address by itself too.
func (d *document) peer(b *connlog.Batch, s connlog.Span, x *exchange) {
	if d.has(asClient) {
		t := d.span(b, s, asClient)
		x.Client, x.ClientSource = t, connlog.Peer
		v := b.Text(t)
		if n := bytes.LastIndexByte(v, ':'); n > 0 && (v[0] == '[' || d.port || bytes.IndexByte(v, ':') == n) {
			host, port := peer(v, piece{0, len(v)})
			x.Client, x.Port = host.in(t), port
		}
	}
	if d.has(asPort) {
		var buf [8]byte
		if v, ok := number(d.text(asPort, buf[:])); ok && v < 65536 {
			x.Port = uint16(v)
		}
	}
	if d.has(asForwarded) {
		x.Forwarded = d.span(b, s, asForwarded)
	}
}

// keys counts which of the given top-level keys a record has; 0 if it is no object. It serves Match.
func keys(rec []byte, want ...string) (mask uint32) {
	f := jsonscan.Fields{Data: rec}
	if len(rec) < 2 || rec[0] != '{' || !f.Open(0, 0) {
		return 0
	}
	for f.Next() {
		k := f.Data[f.KeyAt:f.KeyEnd]
		for i, w := range want {
			if string(k) == w {
				mask |= 1 << i
			}
		}
	}
	if f.Bad >= 0 {
		return 0
	}
	return mask
}

// hint reads a Retry-After of seconds.
func (d *document) hint(x *exchange) {
	if d.has(asRetryAfter) {
		var buf [32]byte
		if v, ok := decimal(d.text(asRetryAfter, buf[:]), 1e9); ok {
			x.RetryAfter = v
		}
	}
}
