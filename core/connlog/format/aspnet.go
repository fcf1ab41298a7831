package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// ASPNet reads the hosting lines of ASP.NET Core, under SignalR too:
//
//	2026-11-30T16:46:05.123Z info: Microsoft.AspNetCore.Hosting.Diagnostics[2] Request finished HTTP/1.1 GET https://host/hub?id=x - 101 - - 12345.6789ms
//
// "Request finished" is written at the END with the whole life in ms; "Request starting" says the same once more and is
// not counted. No address unless the application adds one. A POST to /negotiate precedes each connection; the GET counts.
// The stamp is the one before the text, or the wrapper's.
type ASPNet struct{ setup *connlog.Setup }

// Name is "aspnet".
func (f ASPNet) Name() string { return "aspnet" }

// Traits: written at the close, stamped with the end.
func (f ASPNet) Traits() connlog.Traits {
	return connlog.Traits{Title: "ASP.NET Core log", Written: connlog.AtClose, Stamped: connlog.StampEnd, Duration: true, Closes: true,
		Refusals: true, Resolution: 1e6}
}

// Configure keeps the setup.
func (f ASPNet) Configure(s *connlog.Setup) (connlog.Format, error) { return ASPNet{s}, noLayout(f, s) }

var (
	aspFinished = []byte("Request finished HTTP/")
	aspStarting = []byte("Request starting HTTP/")
)

// Match wants one of the two sentences.
func (f ASPNet) Match(rec []byte) int {
	switch {
	case bytes.Contains(rec, aspFinished), bytes.Contains(rec, aspStarting):
		return 96
	case bytes.HasPrefix(rec, []byte("info: Microsoft.AspNetCore.")), bytes.HasPrefix(rec, []byte("dbug: Microsoft.AspNetCore.")):
		return 70
	}
	return 0
}

// Read reads one line.
func (f ASPNet) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	n := bytes.Index(rec, aspFinished)
	if n < 0 {
		return connlog.Ignored
	}
	proto := word(rec, n+len("Request finished "))
	method := word(rec, proto.to+1)
	target := word(rec, method.to+1)
	var x exchange
	x.fresh()
	x.get = string(method.of(rec)) == "GET" || string(method.of(rec)) == "CONNECT"
	if v := proto.of(rec); len(v) > 5 && v[5] != '1' {
		x.Transport = connlog.WebSocketH2
	}
	if !url(rec, target, r.Span, &x) {
		return connlog.BadLayout
	}
	// The rest: request type and length (left out or "- -"), "- STATUS LENGTH TYPE NNms".
	dash := bytes.Index(rec[target.to:], []byte(" - "))
	if dash < 0 {
		return connlog.BadLayout
	}
	code := word(rec, target.to+dash+3)
	for string(code.of(rec)) == "-" {
		code = word(rec, code.to+1)
	}
	var ok bool
	if x.Status, ok = status(code.of(rec)); !ok {
		return connlog.BadStatus
	}
	tail := bytes.TrimRight(rec, " \r")
	if sp := bytes.LastIndexByte(tail, ' '); sp > 0 && bytes.HasSuffix(tail, []byte("ms")) {
		if d, ok := decimal(tail[sp+1:len(tail)-2], 1e6); ok {
			x.Duration = d
		}
	}
	x.established = x.Status == 101 || x.Status == 200 && string(method.of(rec)) == "CONNECT"
	if t, k := clock(f.setup).ISO(bytes.TrimPrefix(rec, []byte("["))); k > 0 {
		x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	} else if r.Written != connlog.None {
		x.Time, x.Resolution = r.Written, r.Resolution
	} else {
		return connlog.NoTime
	}
	return endAtClose.settle(b, f.setup, r, &x)
}
