package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/figure"
)

// FormatsText is the list of formats for a terminal: what each server writes, when, and what its stamp means.
func FormatsText(list []format.Entry, wrappers []string, o Options) []byte {
	s := NewSheet(o)
	s.Heading("Formats")
	s.Paragraph("", "Words for --format. auto looks at the first lines and says what it took the log for.")
	s.line()
	rows := make([][]string, 0, len(list))
	mark := func(has bool) string {
		if has {
			return "yes"
		}
		return ""
	}
	for _, e := range list {
		t := e.Traits
		stamp := format.Meaning(t.Stamped)
		if t.Stamped != connlog.StampNone && t.Resolution > 0 {
			stamp += ", " + figure.Span(float64(t.Resolution))
		}
		if !t.Zone && t.Stamped != connlog.StampNone {
			stamp += ", no zone"
		}
		rows = append(rows, []string{e.Name, t.Title, format.When(t.Written), stamp, mark(t.Duration), mark(t.Closes), mark(t.Refusals), mark(t.Client)})
	}
	s.Table([]Column{{Title: "name", Left: true}, {Title: "what", Left: true, Min: 28}, {Title: "line written", Left: true}, {Title: "stamp is", Left: true},
		{Title: "duration", Left: true, Spare: 4}, {Title: "closes", Left: true, Spare: 3}, {Title: "refusals", Left: true, Spare: 2}, {Title: "client", Left: true, Spare: 1}}, rows, nil)
	s.Heading("Wrappers")
	s.Paragraph("", "Peeled off by themselves, up to three deep: "+strings.Join(wrappers, ", ")+".")
	s.Heading("Layouts of your own")
	s.Paragraph("- ", "--log-format '$remote_addr - $remote_user [$time_local] \"$request\" $status …' reads an nginx log_format, '%h %l %u %t \"%r\" %>s %b %D' an Apache LogFormat; with --format tomcat, jetty, undertow, aiohttp or hypercorn as that server stamps.")
	s.Paragraph("- ", "--format template --log-format '{time} {client} {event} {*}' reads any line; {NAME} is a role of --map.")
	s.Paragraph("- ", "--map time=ts,client=peer.addr,event=kind names the fields of a JSON log. Roles: "+format.Roles+".")
	return s.Bytes()
}

// ExplanationText says how an input is read: what was decided, and the first records with their reading.
func ExplanationText(x *format.Explanation, o Options) []byte {
	s := NewSheet(o)
	s.Heading("How this input is read")
	if len(x.Wrappers) > 0 {
		s.Paragraph("- ", "Wrapped in "+strings.Join(x.Wrappers, ", then in ")+", which is peeled off.")
	}
	for i, f := range x.Formats {
		if x.Unknown {
			s.paragraph("- ", "Not recognised: "+f.Why+". Should it be a log of WebSocket connections, say what wrote it with --format (`stormlint formats` lists them), its layout with --log-format, "+
				"the fields of a JSON log with --map, or describe a line with --format template. See Layouts of your own in `stormlint formats`.", yellow)
			continue
		}
		text := "Read as " + f.Name + " (" + f.Title + ")"
		if i > 0 {
			text = "Records that do not fit are tried as " + f.Name + " (" + f.Title + ")"
		}
		if f.Layout != "" {
			text += ", layout " + f.Layout
		}
		if f.Why != "" {
			text += ", because " + f.Why
		}
		if when := format.When(f.Traits.Written); when != "" {
			text += ". A line is written " + when + ", its stamp is " + format.Meaning(f.Traits.Stamped)
		}
		s.Paragraph("- ", text+".")
		for _, blind := range f.Traits.BlindSpots() {
			s.paragraph("  - ", "Blind spot: "+blind, dim)
		}
	}
	if len(x.Paths) > 0 {
		s.Paragraph("- ", "Handshakes succeeded at "+strings.Join(x.Paths[:min(len(x.Paths), 8)], ", ")+": refusals there count as attempts. Name further endpoints with --path.")
	}
	for _, r := range x.Records {
		s.Heading("record " + strconv.FormatInt(r.Record+1, 10))
		s.paragraph("  ", r.Sample, dim)
		if r.Reason != connlog.Used {
			text := "skipped: " + string(r.Reason)
			if r.Reason == connlog.Ignored {
				text = "not about a WebSocket, as far as the line tells"
			}
			s.paragraph("  ", text, yellow)
		}
		for _, e := range r.Events {
			s.paragraph("  ", e.Kind, green)
			wide := 0
			for _, f := range e.Fields {
				wide = max(wide, len(f.Name))
			}
			for _, f := range e.Fields {
				text := f.Value
				if f.Note != "" {
					text += "  (" + f.Note + ")"
				}
				s.Paragraph("    "+f.Name+strings.Repeat(" ", wide-len(f.Name))+"  ", text)
			}
		}
	}
	return s.Bytes()
}
