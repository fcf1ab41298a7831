package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/fault"
)

// W3C reads logs with a #Fields line: CloudFront's (tabs) and those of IIS (blanks).
//
//	#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status …
//
// Columns are known by NAME. date and time are UTC and the END of the request; time-taken is in seconds with decimals in
// CloudFront and in milliseconds in IIS. cs-protocol ws or wss proves a WebSocket, in IIS the status 101 does. Values are
// %-encoded in CloudFront and have + for blanks in IIS. c-ip is the viewer's side, x-forwarded-for what stands behind it.
// A #Fields line that comes later in a file is honoured only if it says the same; another one is a fault of that line.
type W3C struct {
	setup *connlog.Setup
	col   [w3cRoles]int8 // the column of each role plus one, 0 for none
	tabs  bool
	line  string // the #Fields line
}

const (
	w3cDate = iota
	w3cTime
	w3cClient
	w3cForwarded
	w3cMethod
	w3cStem
	w3cQuery
	w3cStatus
	w3cAgent
	w3cProtocol
	w3cTaken
	w3cHost
	w3cID
	w3cPort
	w3cRoles
)

var w3cNames = map[string]int{
	"date": w3cDate, "time": w3cTime, "c-ip": w3cClient, "x-forwarded-for": w3cForwarded, "X-Forwarded-For": w3cForwarded, "cs-method": w3cMethod,
	"cs-uri-stem": w3cStem, "cs-uri-query": w3cQuery, "sc-status": w3cStatus, "cs(User-Agent)": w3cAgent, "cs-protocol": w3cProtocol,
	"time-taken": w3cTaken, "x-host-header": w3cHost, "cs-host": w3cHost, "x-edge-request-id": w3cID, "c-port": w3cPort,
}

// Name is "w3c".
func (f W3C) Name() string { return "w3c" }

// Traits: written at the close, stamped with the end.
func (f W3C) Traits() connlog.Traits {
	return connlog.Traits{Title: "W3C extended log (CloudFront, IIS)", Written: connlog.AtClose, Stamped: connlog.StampEnd, Duration: true, Closes: true, Unordered: true,
		Refusals: true, Client: true, UserAgent: true, Zone: true, Resolution: 1e9,
		Blind: []string{"delivery is late and unordered."}}
}

// Learn finds the #Fields line.
func (f W3C) Learn(records [][]byte) string {
	for _, rec := range records {
		if bytes.HasPrefix(rec, []byte("#Fields:")) {
			return string(bytes.TrimRight(rec, "\r"))
		}
	}
	return ""
}

// Configure reads the #Fields line in the setup's layout.
func (f W3C) Configure(s *connlog.Setup) (connlog.Format, error) {
	f.setup, f.col, f.line = s, [w3cRoles]int8{}, s.Layout
	rest, ok := bytes.CutPrefix([]byte(s.Layout), []byte("#Fields:"))
	if !ok {
		return f, nil // a file without the line: every record is a fault
	}
	f.tabs = bytes.Contains(rest, []byte("x-edge-"))
	for i, name := range bytes.Fields(rest) {
		if role, ok := w3cNames[string(name)]; ok && i < 120 {
			f.col[role] = int8(i + 1)
		}
	}
	if f.col[w3cTime] == 0 || f.col[w3cStatus] == 0 || f.col[w3cStem] == 0 {
		return nil, fault.Value("connlog", "layout", "without time, sc-status and cs-uri-stem", "a #Fields line that has them")
	}
	return f, nil
}

// Match knows the headers; rows are known only with their #Fields line.
func (f W3C) Match(rec []byte) int {
	switch {
	case bytes.HasPrefix(rec, []byte("#Fields: ")):
		return 100
	case bytes.HasPrefix(rec, []byte("#Version: ")), bytes.HasPrefix(rec, []byte("#Software: ")), bytes.HasPrefix(rec, []byte("#Date: ")):
		return 90
	}
	if len(rec) > 20 && rec[4] == '-' && rec[7] == '-' && (rec[10] == '\t' || rec[10] == ' ') && rec[13] == ':' && (rec[19] == '\t' || rec[19] == ' ') && bytes.Count(rec, []byte{rec[10]}) >= 8 {
		return 50
	}
	return 0
}

// Read reads one line.
func (f W3C) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	if len(rec) > 0 && rec[0] == '#' {
		if bytes.HasPrefix(rec, []byte("#Fields:")) && string(bytes.TrimRight(rec, "\r")) != f.line {
			return "other columns than at the head of the file"
		}
		return connlog.Ignored
	}
	if f.line == "" {
		return connlog.BadLayout
	}
	var at [w3cRoles]piece
	sep := byte(' ')
	if f.tabs {
		sep = '\t'
	}
	var cols [128]piece
	n := 0
	for i := 0; n < len(cols); n++ {
		end := bytes.IndexByte(rec[i:], sep)
		if end < 0 {
			cols[n] = piece{i, len(bytes.TrimRight(rec, "\r"))}
			n++
			break
		}
		cols[n] = piece{i, i + end}
		i += end + 1
	}
	for role, c := range f.col {
		if c > 0 && int(c) <= n {
			at[role] = cols[c-1]
		}
	}
	st, ok := status(at[w3cStatus].of(rec))
	if !ok {
		return connlog.BadStatus
	}
	if boring(st) {
		return connlog.Ignored
	}
	var x exchange
	x.fresh()
	proto := at[w3cProtocol].of(rec)
	if string(proto) == "ws" || string(proto) == "wss" {
		x.upgrade = asked
	}
	x.Status, x.established = st, st == 101
	if m := at[w3cMethod]; !m.empty() {
		x.get = string(m.of(rec)) == "GET"
	}
	x.Path, x.Query = at[w3cStem].span(rec, r.Span), at[w3cQuery].span(rec, r.Span)
	if !x.established && x.upgrade != asked && x.endpoint(b, f.setup) == connlog.NotKnown {
		return connlog.Ignored
	}
	d, t := at[w3cDate].of(rec), at[w3cTime].of(rec)
	var buf [32]byte
	when, k := stamp.ISO(append(append(append(buf[:0], d...), ' '), t...))
	if k == 0 {
		return connlog.BadTime
	}
	x.Time, x.Resolution = when.Local, when.Resolution // always UTC
	unit := int64(1e6)
	if f.tabs {
		unit = 1e9
	}
	if v, ok := decimal(at[w3cTaken].of(rec), unit); ok {
		x.Duration = v
	}
	x.Client, x.ClientSource = at[w3cClient].span(rec, r.Span), connlog.Peer
	x.Forwarded = at[w3cForwarded].span(rec, r.Span)
	x.UserAgent = f.decode(b, rec, at[w3cAgent], r.Span)
	x.Host = at[w3cHost].span(rec, r.Span)
	if v, ok := number(at[w3cPort].of(rec)); ok && v < 65536 {
		x.Port = uint16(v)
	}
	if !at[w3cID].absent(rec) {
		x.ID = hash(at[w3cID].of(rec))
	}
	return endAtClose.settle(b, f.setup, r, &x)
}

// decode undoes %NN, or + for a blank.
func (f W3C) decode(b *connlog.Batch, rec []byte, p piece, s connlog.Span) connlog.Span {
	in := p.of(rec)
	if p.absent(rec) || bytes.IndexAny(in, "%+") < 0 {
		return p.span(rec, s)
	}
	var buf [256]byte
	out := buf[:0]
	for i := 0; i < len(in); i++ {
		if in[i] == '%' {
			if v, ok := hex(in, i+1, 2); ok {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		if in[i] == '+' && !f.tabs {
			out = append(out, ' ')
			continue
		}
		out = append(out, in[i])
	}
	return b.Keep(out)
}
