package format

import "github.com/stormlint/stormlint/core/connlog"

// Ingress reads the default log of Kubernetes ingress-nginx (its upstreaminfo layout): nginx's combined, then
//
//	195 1.531 [default-ws-80] [] 198.51.100.20:9001 0 1.530 101 3441f31719366bfccff397af34df32c4
//
// request length, request time, the service, the alternative service, the upstream's address, response length, time and
// status, and the request id. All of nginx's rules hold; "- - - -" says that no upstream was asked, so that the refusal is
// the ingress's own. After a reload old workers keep their sockets for up to four minutes and then drop all at once.
type Ingress struct{ setup *connlog.Setup }

// Name is "ingress-nginx".
func (f Ingress) Name() string { return "ingress-nginx" }

// Traits are nginx's, with a duration in every line.
func (f Ingress) Traits() connlog.Traits {
	t := Nginx{}.Traits()
	t.Title = "ingress-nginx access log"
	return t
}

// Configure keeps the setup.
func (f Ingress) Configure(s *connlog.Setup) (connlog.Format, error) {
	return Ingress{s}, noLayout(f, s)
}

// Match wants the length, the time and two brackets after the user agent.
func (f Ingress) Match(rec []byte) int {
	var c clf
	if !c.cut(rec, 0, false) {
		return 0
	}
	var t fields
	t.columns(rec, c.rest)
	if t.n < 6 || !t.isQuoted(0) || !t.isQuoted(1) || t.at[4].from == 0 || rec[t.at[4].from-1] != '[' || rec[max(t.at[5].from-1, 0)] != '[' {
		return 0
	}
	if _, ok := number(t.at[2].of(rec)); !ok || !timed(rec, t.at[3]) {
		return 0
	}
	return 95
}

// Telltale is the status of a handshake that succeeded, behind the request's quote.
func (f Ingress) Telltale() []byte { return switched }

// Read reads one line.
func (f Ingress) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var c clf
	if c.quick(b.Text(r.Span)); c.ordinary() {
		return connlog.Ignored
	}
	return f.line(b, r, &c)
}

// line reads a line that is no ordinary request's.
func (f Ingress) line(b *connlog.Batch, r connlog.Record, c *clf) connlog.Reason {
	var l common
	if reason, done := l.read(b, r, f.setup, false, c); done {
		return reason
	}
	rec, x, t := l.rec, &l.exchange, &l.fields
	if t.n < 6 {
		return connlog.BadLayout
	}
	x.UserAgent = unescape(b, rec, t.at[1], r.Span)
	if d, ok := decimal(t.at[3].of(rec), 1e9); ok {
		x.Duration = d
	}
	if t.n >= 11 {
		x.limiter = x.Status == 503 && t.at[6].absent(rec)
		if last := t.at[10]; !last.absent(rec) {
			x.ID = hash(last.of(rec))
		}
	}
	return endAtClose.settle(b, f.setup, r, x)
}
