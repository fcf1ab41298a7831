package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// Centrifugo reads Centrifugo's log at the level debug:
//
//	{"level":"debug","method":"GET","status":101,"path":"/connection/websocket","addr":"127.0.0.61:35719","duration":"92.468µs","time":"…","message":"http request"}
//	{"level":"debug","client":"433b98b3-…","duration":"3.304333313s","transport":"websocket","time":"…","message":"client connection completed"}
//
// "http request" is the attempt, and over HTTP/1 its duration is the handshake's. "client connection completed" is the
// close, with the whole life; it names the connection and no address, and the attempt has an address and no name, so that
// the two cannot be joined for certain. "established" repeats the attempt; of a refusal up to four lines are printed and
// "http request" is the one that counts. addr is the whole X-Forwarded-For when there is one, whoever sent it. A plain GET
// is answered 400.
type Centrifugo struct {
	setup *connlog.Setup
	names *names
}

// Name is "centrifugo".
func (f Centrifugo) Name() string { return "centrifugo" }

// Traits: both ends, not joined.
func (f Centrifugo) Traits() connlog.Traits {
	return connlog.Traits{Title: "Centrifugo log", Written: connlog.AtBoth, Stamped: connlog.StampEnd, Duration: true, Closes: true, Refusals: true,
		Client: true, Zone: true, Resolution: 1e9, Blind: []string{"a close does not name the client's address.", "at the level info accepted connections are not logged."}}
}

func centrifugoNames() *names {
	return newNames(false).
		add(asTime, "time").
		add(asMessage, "message").
		add(asMethod, "method").
		add(asStatus, "status").
		add(asURL, "path").
		add(asClient, "addr").
		add(asDuration, "duration").
		add(asConn, "client").
		add(asKind, "transport")
}

var (
	centrifugoRequest = []byte("http request")
	centrifugoClosed  = []byte("client connection completed")
	centrifugoWords   = [][]byte{centrifugoRequest, centrifugoClosed, []byte("client connection established"), []byte("client authenticated"),
		[]byte("websocket upgrade error"), []byte("request Origin is not authorized"), []byte("closing client connection"), []byte("error reading command")}
)

// Match wants one of its sentences.
func (f Centrifugo) Match(rec []byte) int {
	if m := keys(rec, "level", "time", "message"); m != 7 {
		return 0
	}
	for _, w := range centrifugoWords {
		if n := bytes.Index(rec, w); n > 0 && rec[n-1] == '"' {
			return 93
		}
	}
	return 0
}

// Configure prepares the names.
func (f Centrifugo) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Centrifugo{s, withMap(centrifugoNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f Centrifugo) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	if reason := d.read(b.Text(r.Span), f.names); reason != connlog.Used {
		return reason
	}
	var buf [64]byte
	msg := d.text(asMessage, buf[:])
	closed := bytes.Equal(msg, centrifugoClosed)
	if !closed && !bytes.Equal(msg, centrifugoRequest) {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	var ok bool
	if !d.has(asTime) {
		return connlog.NoTime
	}
	if x.Time, x.Resolution, ok = d.instant(asTime, f.setup); !ok {
		return connlog.BadTime
	}
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			return connlog.BadDuration
		}
	}
	if closed {
		var buf [32]byte
		if k := d.text(asKind, buf[:]); len(k) > 0 && string(k) != "websocket" {
			return connlog.Ignored
		}
		e := push(b, &x.Event)
		e.Kind, e.TimeSource, e.Transport, e.Conn = connlog.Close, connlog.PrintedEnd, connlog.WebSocket, d.span(b, r.Span, asConn)
		better(e, r)
		return connlog.Used
	}
	if x.Status, ok = d.status(); !ok {
		return connlog.BadStatus
	}
	if boring(x.Status) || !d.request(b, r.Span, &x) {
		return connlog.Ignored
	}
	x.established = x.Status == 101
	d.peer(b, r.Span, &x)
	x.Group = d.span(b, r.Span, asGroup)
	if v := b.Text(x.Client); bytes.IndexByte(v, ',') >= 0 {
		n := bytes.LastIndexByte(v, ',')
		x.Forwarded = x.Client.Sub(0, n)
		for n++; n < len(v) && v[n] == ' '; n++ {
		}
		x.Client = x.Client.Sub(n, len(v)-n)
		x.ClientSource = connlog.Forwarded
	}
	x.Duration = connlog.None // of the handshake, and finer than the stamp
	t := endAtHandshake
	t.plainGET = 400
	return t.settle(b, f.setup, r, &x)
}
