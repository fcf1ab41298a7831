package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// NginxJSON reads nginx's access log written as JSON (log_format … escape=json) under nginx's own variable names:
//
//	{"msec":1796057166.869,"remote_addr":"192.0.2.10","request":"GET /ws HTTP/1.1","status":101,"request_time":1.531,"upgrade":"websocket",…}
//
// nginx's rules hold: the stamp is the END. msec has milliseconds and is preferred to time_iso8601 and time_local, which
// have seconds. Numbers may be quoted. $http_upgrade, if the template has it, proves what asked for a WebSocket; it is
// empty for plain requests. $request_completion is OK whatever ended the socket. An empty upstream status on a 503 means
// that nginx itself refused.
//
// Templates written without escape=json, or by hand, give text that is not JSON: \x22 in strings, a value left out as in
// "status":, or "upstream_response_time":-. Such a record is mended and read once more.
type NginxJSON struct {
	setup *connlog.Setup
	names *names
}

// Name is "nginx-json".
func (f NginxJSON) Name() string { return "nginx-json" }

// Traits are nginx's, at the resolution of msec.
func (f NginxJSON) Traits() connlog.Traits {
	t := Nginx{}.Traits()
	t.Title, t.Resolution = "nginx access log (JSON)", 1e6
	return t
}

func nginxNames() *names {
	return newNames(true).
		add(asTime, "msec time_iso8601 @timestamp timestamp time_local time ts").
		add(asClient, "remote_addr remote_ip client_ip client realip_remote_addr").
		add(asPort, "remote_port").
		add(asForwarded, "http_x_forwarded_for x_forwarded_for xff proxy_add_x_forwarded_for").
		add(asRequest, "request").
		add(asURL, "request_uri uri path url").
		add(asQuery, "args query_string").
		add(asMethod, "request_method method").
		add(asProtocol, "server_protocol protocol").
		add(asStatus, "status status_code").
		add(asDuration, "request_time@s duration@s").
		add(asUpgrade, "http_upgrade upgrade").
		add(asAgent, "http_user_agent user_agent agent").
		add(asHost, "host http_host server_name").
		add(asID, "request_id req_id").
		add(asUpstream, "upstream_status upstream_addr upstream_response_time")
}

// Match wants nginx's names.
func (f NginxJSON) Match(rec []byte) int {
	if len(rec) > 2 && rec[0] == '{' && jsonscan.Skip(rec, 0, 0) < 0 && bytes.Contains(rec, []byte(`"remote_addr"`)) && bytes.Contains(rec, []byte(`"status"`)) {
		return 60
	}
	m := keys(rec, "remote_addr", "request_time", "msec", "time_iso8601", "time_local", "http_user_agent", "upstream_response_time", "request_uri", "body_bytes_sent", "status")
	n := 0
	for i := range 9 {
		n += int(m >> i & 1)
	}
	switch {
	case m>>9&1 == 0 || n < 2:
		return 0
	case n >= 3:
		return 92
	}
	return 70
}

// Configure prepares the names.
func (f NginxJSON) Configure(s *connlog.Setup) (connlog.Format, error) {
	return NginxJSON{s, withMap(nginxNames(), s)}, noLayout(f, s)
}

// Read reads one record.
func (f NginxJSON) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	var d document
	reason := connlog.BadJSON
	if !f.names.broken {
		reason = d.read(b.Text(r.Span), f.names)
	} else if d.readRough(b.Text(r.Span), f.names) {
		reason = connlog.Used
	}
	if reason == connlog.BadJSON {
		var buf [1024]byte
		f.names.broken = true // so is the next, as a rule; what needs no mending is not changed by it
		raw := b.Text(r.Span)
		r.Span = b.Keep(mend(buf[:0], raw))
		if reason = d.read(b.Text(r.Span), f.names); reason == connlog.Used {
			f.names.rough.learnRough(raw, f.names)
		}
	}
	if reason != connlog.Used {
		return reason
	}
	var x exchange
	x.fresh()
	var ok bool
	if x.Status, ok = d.status(); !ok {
		return connlog.BadStatus
	}
	if boring(x.Status) {
		return connlog.Ignored
	}
	if !d.request(b, r.Span, &x) {
		return connlog.Ignored
	}
	d.upgrade(&x)
	x.established = x.Status == 101
	if !d.has(asTime) && r.Written == connlog.None {
		return connlog.NoTime
	}
	if d.has(asTime) {
		if x.Time, x.Resolution, ok = d.instant(asTime, f.setup); !ok {
			return connlog.BadTime
		}
	} else {
		x.Time, x.Resolution = r.Written, r.Resolution
	}
	if d.has(asDuration) {
		if x.Duration, ok = d.duration(); !ok {
			return connlog.BadDuration
		}
	}
	x.limiter = x.Status == 503 && !d.has(asUpstream) && f.names.exact["upstream_status"] != nil && x.Duration == 0
	d.peer(b, r.Span, &x)
	x.UserAgent = d.span(b, r.Span, asAgent)
	x.Group = d.span(b, r.Span, asGroup)
	if d.has(asID) {
		x.ID = hash(b.Text(d.span(b, r.Span, asID)))
	}
	return endAtClose.settle(b, f.setup, r, &x)
}

// mend copies a record with nginx's escapes turned into JSON's, and null where a value is missing.
func mend(out, in []byte) []byte { return mendNoting(out, in, nil) }

// mendNoting is mend, and tells of each change where it was in the record and where what took its place is in the copy.
func mendNoting(out, in []byte, note func(old, new piece)) []byte {
	last, text := 0, false // in[:last] is copied
	change := func(from, to int, by ...byte) {
		out = append(out, in[last:from]...)
		at := len(out)
		out = append(out, by...)
		last = to
		if note != nil {
			note(piece{from, to}, piece{at, len(out)})
		}
	}
	for i := 0; i < len(in); {
		if text {
			n := bytes.IndexByte(in[i:], '"')
			if n < 0 {
				n = len(in) - i
			}
			m := bytes.IndexByte(in[i:i+n], '\\')
			if m < 0 { // the text's end
				i, text = i+n+1, false
				continue
			}
			i += m
			v, ok := 0, false
			if i+3 < len(in) && in[i+1] == 'x' {
				v, ok = hex(in, i+2, 2)
			}
			switch {
			case !ok:
				i += 2
				continue
			case v < 0x80:
				change(i, i+4, '\\', 'u', '0', '0', in[i+2], in[i+3])
			default:
				change(i, i+4, byte(v)) // of UTF-8
			}
			i += 4
			continue
		}
		c := in[i]
		i++
		if c == '"' {
			text = true
		}
		if c != ':' {
			continue
		}
		at := jsonscan.Space(in, i)
		if at+1 < len(in) && in[at] == '-' && in[at+1]-'0' > 9 {
			change(i, at+1, 'n', 'u', 'l', 'l')
			i = at + 1
		} else if at < len(in) && (in[at] == ',' || in[at] == '}') {
			change(i, i, 'n', 'u', 'l', 'l')
		}
	}
	return append(out, in[last:]...)
}
