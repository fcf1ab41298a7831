package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// NginxError knows nginx's error log and reads nothing of it:
//
//	2026/11/30 16:46:06 [error] 12#12: *5 upstream timed out (110: …) while …, client: 192.0.2.1, …, request: "GET /ws HTTP/1.1", …
//
// It tells why attempts failed and sockets ended, of which the access log has a line each: evidence, never attempts, which
// would be counted twice.
type NginxError struct{}

// Name is "nginx-error".
func (NginxError) Name() string { return "nginx-error" }

// Traits: nothing can be known.
func (NginxError) Traits() connlog.Traits {
	return connlog.Traits{Title: "nginx error log", Refusals: true, Closes: true, Client: true, UserAgent: true,
		Blind: []string{"it repeats attempts that the access log tells, so nothing of it is counted: give the access log too."}}
}

// Configure takes no layout.
func (f NginxError) Configure(s *connlog.Setup) (connlog.Format, error) { return f, noLayout(f, s) }

// Match wants the date with slashes, a level and the process.
func (NginxError) Match(rec []byte) int {
	if len(rec) < 26 || rec[4] != '/' || rec[19] != ' ' || rec[20] != '[' {
		return 0
	}
	if _, n := stamp.ISO(rec); n != 19 {
		return 0
	}
	end := bytes.IndexByte(rec[21:min(len(rec), 30)], ']')
	if end < 0 {
		return 0
	}
	p := word(rec, 21+end+2)
	if b := p.of(rec); len(b) < 4 || b[len(b)-1] != ':' || bytes.IndexByte(b, '#') < 1 {
		return 0
	}
	return 95
}

// Telltale is the access log's, beside which this one may stand: it teaches no path.
func (NginxError) Telltale() []byte { return switched }

// Read passes every line over.
func (f NginxError) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	if f.Match(b.Text(r.Span)) == 0 {
		return connlog.BadLayout
	}
	return connlog.Ignored
}
