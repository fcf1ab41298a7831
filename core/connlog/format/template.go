package format

import (
	"bytes"
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/fault"
)

// Template reads a layout that the operator gives as a string, in one of three languages:
//
//	--log-format '$remote_addr - [$time_local] "$request" $status $request_time "$http_user_agent"'     nginx
//	--log-format '%h %l %u %t "%r" %>s %b %D'                                                           Apache, Tomcat, Undertow
//	--log-format '{time} {client} {event} {*}'                                                          neither
//
// nginx's layouts stamp the END and count seconds, Apache's stamp the START and count microseconds, and so they are read;
// with --format tomcat, jetty, undertow, aiohttp or hypercorn beside it, as those servers stamp. In the third language
// {NAME} is a role of --map and {*} anything; {time} is any stamp known; {start} and {end} say which end it is. Text between
// variables must be in the line as it stands; a blank stands for one and more blanks.
type Template struct {
	setup  *connlog.Setup
	parts  []part
	clf    dialect
	server string // whose name it carries, "" for template
	words  bool   // the third language
}

// part is a literal and the variable after it.
type part struct {
	before string
	role   role
	unit   int64
	kind   stampKind
}

type stampKind uint8

const (
	stampAny stampKind = iota
	stampBracketed
)

// Name is "template", or the server's whose layout it is.
func (f Template) Name() string {
	if f.server != "" {
		return f.server
	}
	return "template"
}

// Traits follow from the layout's language and variables.
func (f Template) Traits() connlog.Traits {
	t := connlog.Traits{Title: "log in a layout of its own", Written: f.clf.written, Stamped: f.clf.stamped, Refusals: true, Zone: true, Resolution: 1e9}
	t.Closes = f.clf.written != connlog.AtHandshake
	for _, p := range f.parts {
		switch p.role {
		case asDuration:
			t.Duration = true
		case asClient:
			t.Client = true
		case asAgent:
			t.UserAgent = true
		}
	}
	return t
}

// Match wants the line to fit; a template that is not configured fits nothing.
func (f Template) Match(rec []byte) int {
	var d [roles]piece
	if len(f.parts) == 0 || !f.cut(rec, &d) {
		return 0
	}
	return 99
}

// Configure compiles the layout.
func (f Template) Configure(s *connlog.Setup) (connlog.Format, error) {
	return f.compile(s, f.server, f.clf)
}

// compile reads the layout in whichever language it is written; d says how a named server stamps.
func (f Template) compile(s *connlog.Setup, server string, d dialect) (connlog.Format, error) {
	t := Template{setup: s, server: server, clf: d}
	bad := func(what string) error {
		return fault.Value("connlog", "log-format", "`"+s.Layout+"`", what)
	}
	var err string
	switch {
	case strings.Contains(s.Layout, "$"):
		err = t.nginx(s.Layout)
		if server == "" {
			t.clf = endAtClose
		}
	case strings.Contains(s.Layout, "%"):
		err = t.apache(s.Layout, server)
		if server == "" {
			t.clf = startAtClose
		}
	case strings.Contains(s.Layout, "{"):
		t.words = true
		err = t.plain(s.Layout)
		if server == "" {
			t.clf = dialect{written: connlog.AtBoth, stamped: connlog.StampEvent}
		}
	default:
		err = "nginx's $variables, Apache's %-directives or {roles}"
	}
	if err != "" {
		return nil, bad(err)
	}
	has := [roles]bool{}
	for _, p := range t.parts {
		has[p.role] = true
		if p.role == asStart {
			t.clf.stamped = connlog.StampStart
		}
		if p.role == asEnd {
			t.clf.stamped = connlog.StampEnd
		}
	}
	if !t.words && !has[asStatus] {
		return nil, bad("a layout with the status")
	}
	if !t.words && !has[asRequest] && !has[asURL] {
		return nil, bad("a layout with the request or the path")
	}
	return t, nil
}

// cut lays the layout over a line.
func (f Template) cut(rec []byte, d *[roles]piece) bool {
	end := len(rec)
	for end > 0 && (rec[end-1] == ' ' || rec[end-1] == '\r') {
		end--
	}
	at := 0
	for i := range f.parts {
		p := &f.parts[i]
		n, ok := literal(rec[:end], at, p.before)
		if !ok {
			return false
		}
		at = n
		if i == len(f.parts)-1 {
			return at == end || p.before == "" && f.parts[i-1].role == noRole || p.before == "" && at == end
		}
		var v piece
		next := f.parts[i+1].before
		switch {
		case p.kind == stampBracketed:
			if at >= end || rec[at] != '[' {
				return false
			}
			n := bytes.IndexByte(rec[at:end], ']')
			if n < 0 {
				return false
			}
			v = piece{at + 1, at + n}
			at += n + 1
		case p.role == asTime || p.role == asStart || p.role == asEnd:
			_, n := anyStamp(rec[at:end])
			if n == 0 {
				return false
			}
			v = piece{at, at + n}
			at += n
		case next == "":
			v = piece{at, end}
			if i+2 < len(f.parts) { // two variables side by side: a word each
				v = word(rec[:end], at)
			}
			at = v.to
		case p.role == asRequest && next[0] == '"':
			q, ok := quoted(rec[:end], at-1)
			if !ok {
				return false
			}
			v, at = q, q.to
		case next[0] == '"':
			q, ok := quoted(rec[:end], at-1)
			if !ok || at == 0 {
				return false
			}
			v, at = q, q.to
		default:
			n := bytes.Index(rec[at:end], []byte(next[:1]))
			if len(next) > 1 && next[0] != ' ' {
				n = bytes.Index(rec[at:end], []byte(next))
			}
			if n < 0 {
				if i+2 == len(f.parts) && strings.TrimSpace(next) == "" {
					n = end - at
				} else {
					return false
				}
			}
			v = piece{at, at + n}
			at += n
		}
		if p.role != noRole && !(v.absent(rec) && !d[p.role].empty()) {
			d[p.role] = v
		}
	}
	return true
}

// anyStamp reads whatever stamp begins here.
func anyStamp(b []byte) (t stamp.Time, n int) {
	if t, n = stamp.ISO(b); n > 0 {
		return t, n
	}
	if t, n = stamp.CLF(b); n > 0 {
		return t, n
	}
	return stamp.Epoch(b)
}

// literal passes the text of the layout; a blank passes one and more.
func literal(rec []byte, at int, s string) (int, bool) {
	for i := 0; i < len(s); i++ {
		if at >= len(rec) || rec[at] != s[i] {
			return at, at == len(rec) && strings.TrimSpace(s[i:]) == ""
		}
		at++
		if s[i] == ' ' {
			for at < len(rec) && rec[at] == ' ' {
				at++
			}
		}
	}
	return at, true
}

// Read reads one line.
func (f Template) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var d [roles]piece
	if !f.cut(rec, &d) {
		return aside(rec)
	}
	var x exchange
	x.fresh()
	what := untoldEvent
	if p := d[asEvent]; !p.absent(rec) {
		what = another
		if h, ok := events[strings.ToLower(string(p.of(rec)))]; ok {
			what = h
		}
		if what == another {
			return connlog.Ignored
		}
	}
	if p := d[asStatus]; !p.empty() {
		st, ok := status(p.of(rec))
		if !ok {
			return connlog.BadStatus
		}
		x.Status, x.established = st, st == 101
		if what == untoldEvent && boring(st) {
			return connlog.Ignored
		}
	}
	named := false
	if p := d[asRequest]; !p.absent(rec) {
		named = request(rec, p, r.Span, &x)
	} else if p := d[asURL]; !p.absent(rec) {
		named = url(rec, p, r.Span, &x)
		if m := d[asMethod]; !m.absent(rec) {
			x.get = string(m.of(rec)) == "GET" || string(m.of(rec)) == "CONNECT"
		}
		if q := d[asQuery]; !q.absent(rec) {
			x.Query = q.in(r.Span)
		}
	}
	if p := d[asUpgrade]; !p.empty() {
		x.upgrade = plain
		if bytes.EqualFold(p.of(rec), []byte("websocket")) {
			x.upgrade = asked
		}
	}
	if what == untoldEvent && (!named || !x.established && x.upgrade != asked && x.endpoint(b, f.setup) == connlog.NotKnown) {
		return connlog.Ignored
	}
	if reason := f.fill(b, rec, r, &d, &x); reason != connlog.Used {
		return reason
	}
	switch what {
	case opened, retried:
		e := push(b, &x.Event)
		e.TimeSource, e.Outcome, e.Transport = connlog.PrintedStart, connlog.OutcomeUnknown, connlog.WebSocket
		if what == opened {
			e.Outcome = connlog.OK
		}
		if x.Status >= 300 {
			e.Outcome = outcome(x.Status, false)
		}
		return connlog.Used
	case closed:
		e := push(b, &x.Event)
		e.Kind, e.TimeSource, e.Transport = connlog.Close, connlog.PrintedEnd, connlog.WebSocket
		return connlog.Used
	}
	d2 := f.clf
	if f.words {
		d2 = startAtHandshake
		if x.Duration != connlog.None {
			d2 = endAtClose
			if f.clf.stamped == connlog.StampStart {
				d2 = startAtClose
			}
		}
	}
	return d2.settle(b, f.setup, r, &x)
}

// fill reads the other variables.
func (f Template) fill(b *connlog.Batch, rec []byte, r connlog.Record, d *[roles]piece, x *exchange) connlog.Reason {
	at := d[asTime]
	if at.empty() {
		at = d[asStart]
	}
	if at.empty() {
		at = d[asEnd]
	}
	switch {
	case !at.empty():
		t, n := anyStamp(at.of(rec))
		if n != at.to-at.from {
			return connlog.BadTime
		}
		x.Time, x.Resolution = t.In(f.setup.Zone), t.Resolution
	case r.Written != connlog.None:
		x.Time, x.Resolution = r.Written, r.Resolution
	default:
		return connlog.NoTime
	}
	if p := d[asDuration]; !p.absent(rec) {
		var unit int64
		for _, q := range f.parts {
			if q.role == asDuration {
				unit = q.unit
			}
		}
		v, ok := int64(0), false
		if unit > 0 {
			v, ok = decimal(p.of(rec), unit)
		}
		if !ok {
			v, ok = goDuration(p.of(rec))
		}
		if ok {
			x.Duration = v
		}
	}
	if p := d[asInterval]; !p.absent(rec) {
		if v, ok := decimal(p.of(rec), 1e6); ok {
			x.Interval = v
		} else if v, ok := goDuration(p.of(rec)); ok {
			x.Interval = v
		} else {
			return connlog.BadInterval
		}
	}
	if p := d[asClient]; !p.absent(rec) {
		x.Client, x.ClientSource = p.in(r.Span), connlog.Peer
	}
	if v, ok := number(d[asPort].of(rec)); ok && v < 65536 {
		x.Port = uint16(v)
	}
	if v, ok := number(d[asCode].of(rec)); ok && v >= 1000 && v <= 4999 {
		x.CloseCode = uint16(v)
	}
	x.Forwarded, x.Conn = d[asForwarded].span(rec, r.Span), d[asConn].span(rec, r.Span)
	if x.Host.Len == 0 {
		x.Host = d[asHost].span(rec, r.Span)
	}
	x.Group = d[asGroup].span(rec, r.Span)
	x.UserAgent = unescape(b, rec, d[asAgent], r.Span)
	if p := d[asCause]; phrase(p.of(rec)) {
		x.Cause = p.in(r.Span)
	}
	if p := d[asID]; !p.absent(rec) {
		x.ID = hash(p.of(rec))
	}
	if p := d[asUpstream]; !p.empty() && p.absent(rec) && x.Status == 503 {
		x.limiter = true
	}
	return connlog.Used
}

// layout compiles a server's own layout, which is written with $ or with %.
func layout(s *connlog.Setup, sign byte, server string, d dialect) (connlog.Format, error) {
	if strings.IndexByte(s.Layout, sign) < 0 || sign == '%' && strings.IndexByte(s.Layout, '$') >= 0 {
		return nil, fault.Value("connlog", "log-format", "`"+s.Layout+"`", server+"'s own variables, written with "+string(sign))
	}
	return Template{}.compile(s, server, d)
}

// noLayout refuses a layout for a format that has one of its own.
func noLayout(f connlog.Format, s *connlog.Setup) error {
	if s.Layout == "" {
		return nil
	}
	return &fault.Error{Code: fault.BadUsage, Package: "connlog", Field: "log-format", Message: f.Name() + " has a layout of its own", Expected: "no --log-format, or --format template"}
}
