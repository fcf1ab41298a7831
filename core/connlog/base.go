package connlog

import (
	"github.com/stormlint/stormlint/core/jsonscan"
)

// Base reads the base form, one JSON object a record, and our own richer form, which only adds keys:
//
//	{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}
//
//	timestamp          ISO 8601 or a count of s, ms, µs or ns since 1970; required
//	client_ip          any string; required
//	event_type         connect (an attempt that succeeded), retry (an attempt), disconnect (a close); required
//	retry_interval_ms  the wait before the attempt; a number, a numeric string, or null
//	outcome            of an attempt: ok, refused, limited, upstream, aborted, tls
//	status, close_code, client_port, count      whole numbers
//	closed_by          client, server, proxy_timeout, proxy, takeover
//	duration_ms, resolution_ms, late_by_ms      numbers
//	user_agent, path, host, conn, cause, forwarded_for, group    strings
//	transport          ws, h2ws, polling, sse, mqtt
//	time_source, client_source                  where the instant and the client were got from
//	id                 a string that equal events share: the request's id; request_id, req_id and x_request_id say the same,
//	                   in any case, with _, - or nothing between the words
//
// Other keys are passed over. Append writes this form.
type Base struct{ setup *Setup }

var _ Format = Base{}

// Name is "base".
func (Base) Name() string { return "base" }

// Match looks for the three required keys.
func (Base) Match(record []byte) int {
	f := jsonscan.Fields{Data: record}
	if !f.Open(jsonscan.Space(record, 0), 0) {
		return 0
	}
	found := 0
	for f.Next() {
		switch string(record[f.KeyAt:f.KeyEnd]) {
		case "timestamp":
			found |= 1
		case "client_ip":
			found |= 2
		case "event_type":
			found |= 4
		}
	}
	switch found {
	case 7:
		return 100
	case 6:
		return 60
	}
	return 0
}

// Traits says that the base form tells attempts and closes, with the wait before an attempt where the producer knew it.
func (Base) Traits() Traits {
	return Traits{Title: "stormlint's base form", Written: AtBoth, Stamped: StampEvent, Duration: true, Closes: true, Refusals: true, Client: true, UserAgent: true, Zone: true}
}

// Configure keeps the setup.
func (Base) Configure(s *Setup) (Format, error) { return Base{s}, nil }

// stretch is a value's place in a record; the zero stretch is an absent value.
type stretch struct{ at, end int }

func (s stretch) of(rec []byte) []byte { return rec[s.at:s.end] }

// Read gives one event a record.
func (f Base) Read(b *Batch, r Record) Reason {
	rec := b.Text(r.Span)
	var time, client, kind, interval, outcome, status, code, by, duration stretch
	var agent, path, host, conn, id, request, cause, forwarded, group, transport, resolution, late, count, port, timeSource, clientSource stretch
	scan := jsonscan.Fields{Data: rec}
	at := jsonscan.Space(rec, 0)
	if !scan.Open(at, 0) {
		if at < len(rec) && jsonscan.Check(rec) == nil {
			return NotObject
		}
		return BadJSON
	}
	rich, field := false, f.setup.field()
	for scan.Next() {
		v := stretch{scan.At, scan.End}
		key := rec[scan.KeyAt:scan.KeyEnd]
		if !scan.Plain {
			key = scan.Key()
		}
		if field != "" && string(key) == field {
			group, rich = v, true
		}
		switch string(key) {
		case "timestamp":
			time = v
		case "client_ip":
			client = v
		case "event_type":
			kind = v
		case "retry_interval_ms":
			interval = v
		default:
			rich = true
			switch string(key) {
			case "outcome":
				outcome = v
			case "status":
				status = v
			case "close_code":
				code = v
			case "closed_by":
				by = v
			case "duration_ms":
				duration = v
			case "resolution_ms":
				resolution = v
			case "late_by_ms":
				late = v
			case "user_agent":
				agent = v
			case "path":
				path = v
			case "host":
				host = v
			case "conn":
				conn = v
			case "id":
				id = v
			case "cause":
				cause = v
			case "forwarded_for":
				forwarded = v
			case "group":
				if field == "" {
					group = v
				}
			case "transport":
				transport = v
			case "count":
				count = v
			case "client_port":
				port = v
			case "time_source":
				timeSource = v
			case "client_source":
				clientSource = v
			default:
				if requestKey(key) {
					request = v
				}
			}
		}
	}
	if scan.Bad >= 0 || jsonscan.Space(rec, scan.Past) < len(rec) {
		return BadJSON
	}
	if time.at == time.end {
		return NoTime
	}
	ns, width, ok := instant(time.of(rec), f.setup)
	if !ok {
		return BadTime
	}
	if jsonscan.KindOf(client.of(rec)) != jsonscan.String {
		return BadClient
	}
	wait, ok := millis(interval.of(rec))
	if !ok || wait < 0 && wait != None {
		return BadInterval
	}
	var what Kind
	var how Outcome
	switch string(kind.of(rec)) {
	case `"retry"`:
	case `"connect"`:
		how = OK
	case `"disconnect"`:
		what = Close
	default:
		switch word, _ := jsonscan.Text(kind.of(rec)); word {
		case "retry":
		case "connect":
			how = OK
		case "disconnect":
			what = Close
		default:
			return BadKind
		}
	}
	e := b.Add()
	e.Time, e.Resolution, e.Interval, e.Kind, e.Outcome, e.TimeSource, e.ClientSource = ns, width, wait, what, how, PrintedStart, Peer
	e.Client = b.value(r.Span, rec, client)
	if !rich {
		return Used
	}
	if what == Attempt {
		if o := Outcome(b.word(rec, outcome, outcomeNames[:])); o != OutcomeUnknown {
			e.Outcome = o
		}
	}
	if e.Duration, ok = millis(duration.of(rec)); !ok || e.Duration < 0 && e.Duration != None {
		b.Events = b.Events[:len(b.Events)-1]
		return BadDuration
	}
	st, ok := number(status.of(rec))
	if !ok || st > 999 {
		b.Events = b.Events[:len(b.Events)-1]
		return BadStatus
	}
	e.Status = uint16(st)
	if n, ok := number(code.of(rec)); ok && n < 1<<16 {
		e.CloseCode = uint16(n)
	}
	if n, ok := number(port.of(rec)); ok && n < 1<<16 {
		e.Port = uint16(n)
	}
	if n, ok := number(count.of(rec)); ok && n < 1<<32 {
		e.Count = uint32(n)
	}
	if n, ok := millis(resolution.of(rec)); ok && n >= 0 {
		e.Resolution = n
	}
	if n, ok := millis(late.of(rec)); ok && n > 0 {
		e.LateBy = n
	}
	if what == Close {
		e.ClosedBy = Party(b.word(rec, by, partyNames[:]))
	}
	e.Transport = Transport(b.word(rec, transport, transportNames[:]))
	if timeSource.end > 0 {
		e.TimeSource = TimeSource(b.word(rec, timeSource, timeNames[:]))
	}
	if clientSource.end > 0 {
		e.ClientSource = ClientSource(b.word(rec, clientSource, clientNames[:]))
	}
	e.UserAgent = b.value(r.Span, rec, agent)
	e.Path = b.value(r.Span, rec, path)
	e.Host = b.value(r.Span, rec, host)
	e.Conn = b.value(r.Span, rec, conn)
	e.Cause = b.value(r.Span, rec, cause)
	e.Forwarded = b.value(r.Span, rec, forwarded)
	e.Group = b.value(r.Span, rec, group)
	if id.end == 0 {
		id = request
	}
	e.ID = identity(b.Text(b.value(r.Span, rec, id)))
	return Used
}

// requestKey knows the names under which servers and applications print a request's id, as the formats' table of names
// does: request_id, requestId, X-Request-ID.
func requestKey(key []byte) bool {
	const longest = len("x-request-id")
	if len(key) < len("reqid") || len(key) > longest || key[len(key)-1]|0x20 != 'd' {
		return false
	}
	var buf [longest]byte
	word := buf[:0]
	for _, c := range key {
		switch {
		case c == '_', c == '-', c == '.':
			continue
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		word = append(word, c)
	}
	switch string(word) {
	case "requestid", "reqid", "xrequestid":
		return true
	}
	return false
}

// field is the key that --group-by field:NAME asks for.
func (s *Setup) field() string {
	const prefix = "field:"
	if s != nil && len(s.Group) > len(prefix) && s.Group[:len(prefix)] == prefix {
		return s.Group[len(prefix):]
	}
	return ""
}

// value names the text of a string value: in the record where it is plain, else in the arena; other kinds give the empty
// span, numbers their digits.
func (b *Batch) value(r Span, rec []byte, v stretch) Span {
	raw := v.of(rec)
	switch jsonscan.KindOf(raw) {
	case jsonscan.Number:
		return r.Sub(v.at, v.end-v.at)
	case jsonscan.String:
		if jsonscan.Plain(raw) {
			return r.Sub(v.at+1, v.end-v.at-2)
		}
		off := len(b.Arena)
		b.Arena = jsonscan.AppendText(b.Arena, raw)
		return Span{uint32(off) | arena, uint32(len(b.Arena) - off)}
	}
	return Span{}
}

func (b *Batch) word(rec []byte, v stretch, names []string) uint8 {
	raw := v.of(rec)
	if jsonscan.KindOf(raw) != jsonscan.String {
		return 0
	}
	return index(names, raw[1:len(raw)-1])
}

// identity is an id's 64 bits: sixteen lower-case hexadecimal digits stand for themselves, other text for its hash.
func identity(text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	if len(text) == 16 {
		var v uint64
		for i, c := range text {
			switch {
			case c-'0' <= 9:
				v = v<<4 | uint64(c-'0')
			case c-'a' <= 5:
				v = v<<4 | uint64(c-'a'+10)
			default:
				return Hash(0, text)
			}
			if i == 15 {
				return v
			}
		}
	}
	return Hash(0, text)
}
