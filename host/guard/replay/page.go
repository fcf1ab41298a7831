package replay

import (
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/render"
)

// Input is what was read, for the page's first lines.
type Input struct {
	Records, Used, Ignored int64
}

// Page is the result as text.
func (r *Result) Page(in Input, o render.Options) []byte {
	s := render.NewSheet(o)
	l := &r.Limits
	s.Heading("What these limits would have done")
	s.Paragraph("", words(l)+" From "+stamp(r.From)+" to "+stamp(r.To)+" the log has "+figure.Several(l.Attempts, "handshake")+" of "+figure.Several(l.Clients, "client")+
		" ("+figure.Several(in.Records, "record")+", "+figure.Count(in.Records-in.Used-in.Ignored)+" of them unreadable, "+figure.Count(in.Ignored)+" about other things).")
	switch {
	case l.Refusals() == 0:
		s.Paragraph("", "None would have been refused.")
	default:
		s.Paragraph("", figure.Several(l.Refusals(), "handshake")+" ("+share(l.Refusals(), l.Attempts)+") of "+figure.Several(int64(len(r.Refused)), "client")+" would have been refused: "+
			figure.Count(l.ByClient)+" by the client's own limit, "+figure.Count(l.ByFleet)+" by the fleet's. The longest wait asked for is "+strconv.FormatInt(l.Longest, 10)+" s.")
		s.Paragraph("- ", figure.Several(l.Hammering, "client")+" came more often than the limit for a client (hammering)")
		s.Paragraph("- ", figure.Several(l.Shared, "address")+" came more often and are several clients' by their user agents (shared): innocent")
		s.Paragraph("- ", figure.Several(l.Rush, "client")+" only came when all came (rush): innocent")
	}
	if l.Held > 0 {
		s.Paragraph("", figure.Several(l.Held, "handshake")+" would have waited for the fleet's next token, up to the hold time, and got in.")
	}
	if len(r.Suspended) > 0 {
		s.Paragraph("! ", "One address carries more than a fifth of the handshakes and shows 20 or more forwarded addresses: "+r.Suspended[0]+" looks like a proxy that was not declared. Its refusals by the client's limit were suspended; declare it with --trusted-proxy.")
	}
	if r.Timeless > 0 {
		s.Paragraph("! ", figure.Several(r.Timeless, "handshake")+" without a time left out.")
	}
	s.Heading("Handshakes as they came, and as they would have been let in (each column " + figure.Span(float64(r.Bin)) + ")")
	s.Bars("came", r.Came, 4, 9)
	s.Bars("let in", r.Let, 4, 9)
	s.Paragraph("", "Busiest second: "+figure.Count(r.PeakCame)+" came, "+figure.Count(r.PeakLet)+" would have been let in.")
	if len(r.Refused) > 0 {
		s.Heading("Who would have been refused")
		top := len(r.Refused)
		if o.Top >= 0 {
			top = min(top, max(o.Top, 0))
		}
		if o.Top == 0 {
			top = min(len(r.Refused), 15)
		}
		var rows [][]string
		for _, c := range r.Refused[:top] {
			agents := figure.Count(c.Agents)
			if c.Agents >= shared {
				agents += "+"
			}
			rows = append(rows, []string{c.Name, string(c.Kind), figure.Count(c.Attempts), figure.Count(c.ByClient), figure.Count(c.ByFleet), agents, stamp(c.Since)})
		}
		s.Table([]render.Column{{Title: "client", Left: true, Min: 16}, {Title: "kind", Left: true}, {Title: "handshakes"}, {Title: "by its limit"}, {Title: "by the fleet's"}, {Title: "agents", Spare: 2}, {Title: "first refused", Left: true, Spare: 1}}, rows, nil)
		if more := len(r.Refused) - top; more > 0 {
			s.Paragraph("", "and "+figure.Count(int64(more))+" more (--top).")
		}
	}
	if len(r.Around) > 0 {
		s.Heading("Other limits over the same log")
		rows := [][]string{laneRow(l, "asked")}
		for i := range r.Around {
			rows = append(rows, laneRow(&r.Around[i], ""))
		}
		s.Table([]render.Column{{Title: "for a client", Left: true}, {Title: "for the fleet", Left: true}, {Title: "refused"}, {Title: "share"}, {Title: "hammering"}, {Title: "innocents"}, {Title: "", Left: true}}, rows, nil)
	}
	s.Heading("What a log cannot say")
	s.Paragraph("", "A refused client would have come again, and others would not have come at all: the figures say whom limits hit and how hard at first. Run the guard in shadow mode before it enforces them.")
	return s.Bytes()
}

func laneRow(l *Lane, note string) []string {
	client, fleet := "none", "none"
	if l.Client.Rate <= math.MaxFloat64 {
		client = limit(l.Client)
	}
	if l.Fleet.Rate > 0 {
		fleet = limit(l.Fleet)
	}
	return []string{client, fleet, figure.Count(l.Refusals()), share(l.Refusals(), l.Attempts), figure.Count(l.Hammering), figure.Count(l.Innocents()), note}
}

func words(l *Lane) string {
	text := "No limit for a client"
	if l.Client.Rate <= math.MaxFloat64 {
		text = "Each client: " + limit(l.Client)
	}
	if l.Fleet.Rate > 0 {
		return text + "; all together: at most " + strconv.FormatFloat(l.Fleet.Rate, 'g', 6, 64) + " in any second, " + figure.Count(l.Fleet.Burst) + " at once."
	}
	return text + "; no limit for all together."
}

func limit(l bucket.Limit) string {
	return strconv.FormatFloat(l.Rate, 'g', 6, 64) + "/s, " + figure.Count(l.Burst) + " at once"
}

func stamp(ns int64) string {
	return string(civil.AppendRFC3339(nil, ns, civil.Second))
}

func share(n, of int64) string {
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64) + " %"
}
