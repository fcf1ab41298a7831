package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// Syslog peels the headers of RFC 3164 and RFC 5424, of rsyslog's file format and of `journalctl` (short, short-iso):
//
//	<190>Nov 30 16:46:06 gw-1 nginx: 192.0.2.10 - - […]
//	<190>1 2026-11-30T16:46:06.869412Z gw-1 nginx 812 - - 192.0.2.10 - - […]
//	2026-11-30T16:46:06.869412+00:00 gw-1 nginx[812]: 192.0.2.10 - - […]
//
// The priority may be missing, octet counts before it are passed. RFC 3164 prints no year and no zone: the year is the
// setup's, or the last in which the date is not after the setup's day; without either the header's time is not used. Folded
// repeats are unfolded, so that such a file cannot be split.
type Syslog struct{ setup *connlog.Setup }

// Name is "syslog".
func (Syslog) Name() string { return "syslog" }

// Joins is true: folded repeats.
func (Syslog) Joins() bool { return true }

// Configure tells the zone and the year.
func (Syslog) Configure(s *connlog.Setup) connlog.Wrapper { return Syslog{s} }

// Match wants one of the headers.
func (w Syslog) Match(text []byte) int {
	if _, _, at := w.cut(text); at > 0 {
		return 85
	}
	return 0
}

// Peel takes the header off.
func (w Syslog) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	t, known, at := w.cut(text)
	if at == 0 {
		return out, connlog.BadLayout
	}
	if known {
		var z *stamp.Zone
		if w.setup != nil {
			z = w.setup.Zone
		}
		written(&r, t, z)
	}
	if one, ok := unfold(r, text, at); ok {
		return append(out, one), connlog.Used
	}
	return append(out, rest(r, text, at)), connlog.Used
}

// cut finds where the message begins; known says that the time is a whole date.
func (w Syslog) cut(text []byte) (t stamp.Time, known bool, at int) {
	i := 0
	if n := digits(text); n > 0 && n < 7 && n+1 < len(text) && text[n] == ' ' && text[n+1] == '<' { // octet count
		i = n + 1
	}
	pri := false
	if i < len(text) && text[i] == '<' {
		n := digits(text[i+1:])
		if n == 0 || n > 3 || i+n+1 >= len(text) || text[i+n+1] != '>' {
			return t, false, 0
		}
		i += n + 2
		pri = true
		if i+2 < len(text) && text[i] == '1' && text[i+1] == ' ' {
			t, at = fields5424(text, i+2)
			return t, at > 0, at
		}
	}
	if t, n := stamp.ISO(text[i:]); n > 0 && t.Zoned {
		at := tag(text, i+n)
		return t, at > 0, at
	}
	t, n := w.dated(text[i:])
	if n == 0 {
		return t, false, 0
	}
	at = tag(text, i+n)
	if at == 0 && pri && i+n < len(text) && text[i+n] == ' ' {
		at = i + n + 1 // a priority and a time, and then the message
	}
	return t, at > 0 && w.setup != nil && (w.setup.Year != 0 || w.setup.Day != 0), at
}

// dated reads the stamp without a year.
func (w Syslog) dated(text []byte) (t stamp.Time, n int) {
	year, day := 0, int64(0)
	if w.setup != nil {
		year, day = w.setup.Year, w.setup.Day
	}
	guess := year == 0 && day != 0
	if guess {
		year, _, _ = civil.Date(day)
	}
	t, n = stamp.Syslog(text, year)
	if guess && (n == 0 || t.Local > (day+2)*civil.Day) {
		t, n = stamp.Syslog(text, year-1) // 29 February, or December read in January
	}
	if n == 0 {
		t, n = stamp.Syslog(text, 1972)
	}
	return t, n
}

// tag passes " host tag[pid]: ".
func tag(text []byte, i int) (at int) {
	if i >= len(text) || text[i] != ' ' {
		return 0
	}
	s := text[i+1:]
	host := bytes.IndexByte(s, ' ')
	if host < 1 || host > 255 || s[0] == '[' || s[host-1] == ':' {
		return 0
	}
	colon := bytes.Index(s[host:min(len(s), host+80)], []byte(": "))
	if colon < 0 || bytes.IndexByte(s[host+1:host+colon], ' ') >= 0 {
		// journalctl and rsyslog fold without a tag
		if bytes.HasPrefix(s[host+1:], repeatedLast) || bytes.HasPrefix(s[host+1:], repeatedThis) {
			return i + 1 + host + 1
		}
		return 0
	}
	return i + 1 + host + colon + 2
}

// fields5424 passes time, host, app, pid, message id and structured data.
func fields5424(text []byte, i int) (t stamp.Time, at int) {
	t, n := stamp.ISO(text[i:])
	if n == 0 {
		if i >= len(text) || text[i] != '-' {
			return t, 0
		}
		n = 1
	}
	i += n
	for range 4 {
		if i >= len(text) || text[i] != ' ' {
			return t, 0
		}
		n := bytes.IndexByte(text[i+1:], ' ')
		if n < 1 {
			return t, 0
		}
		i += n + 1
	}
	i++
	if i < len(text) && text[i] == '-' {
		i++
	} else {
		for i < len(text) && text[i] == '[' {
			quote := false
			for i++; i < len(text) && (quote || text[i] != ']'); i++ {
				if text[i] == '\\' {
					i++
				} else if text[i] == '"' {
					quote = !quote
				}
			}
			i++
		}
	}
	if i >= len(text) || text[i] != ' ' {
		return t, 0
	}
	i++
	if bytes.HasPrefix(text[min(i, len(text)):], []byte("\ufeff")) {
		i += 3
	}
	return t, min(i, len(text))
}

func digits(b []byte) (n int) {
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}
