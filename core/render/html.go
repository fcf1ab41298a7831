package render

import (
	"strconv"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/report"
)

// AnalyzeHTML is a report as one page that loads nothing: the story, arrivals over time with waves and marks, what was
// found, ladders of waits, lives, clients and groups. It reads on a phone and prints; it runs no script. Clients appear as
// client-001 unless Options.Addresses is set.
func AnalyzeHTML(r *report.Report, o Options) []byte {
	h := &sheetHTML{r: r, o: o, who: newNames(r, o.Addresses)}
	h.raw(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>`, escape(title(r)), `</title>
<style>`, stylesheet, `</style>
</head>
<body>
<main>
<header>
<p class="kicker">WebSocket reconnects</p>
<h1>`, escape(title(r)), `</h1>
</header>
`)
	h.story()
	h.arrivals()
	h.findings()
	h.ladders()
	h.lives()
	h.clients()
	h.groups()
	h.reading()
	h.raw("</main>\n</body>\n</html>\n")
	return h.b
}

// sheetHTML is the page in the making.
type sheetHTML struct {
	r   *report.Report
	o   Options
	who *names
	b   []byte
}

// raw appends markup; whatever comes from a log goes through escape first.
func (h *sheetHTML) raw(parts ...string) {
	for _, p := range parts {
		h.b = append(h.b, p...)
	}
}

func (h *sheetHTML) section(heading string) {
	h.raw("<section>\n<h2>", escape(heading), "</h2>\n")
}

func (h *sheetHTML) end() { h.raw("</section>\n") }

func (h *sheetHTML) story() {
	h.raw("<section class=\"story\">\n")
	for i, text := range story(h.r) {
		class := ""
		if i == 0 {
			class = ` class="lead"`
		}
		h.raw("<p", class, ">", escape(text), "</p>\n")
	}
	if rows := incident(h.r); len(rows) > 0 {
		h.raw("<dl>\n")
		for _, row := range rows {
			h.raw("<div><dt>", escape(row[0]), "</dt><dd>", escape(row[1]), "</dd></div>\n")
		}
		h.raw("</dl>\n")
	}
	h.end()
}

func (h *sheetHTML) findings() {
	if len(h.r.Findings) == 0 {
		return
	}
	h.section("Found")
	for i := range h.r.Findings {
		f := &h.r.Findings[i]
		h.raw("<article class=\"", f.Severity.String(), "\">\n<h3><span class=\"badge\">", f.Severity.String(), "</span> ", escape(h.who.subject(f, h.r)), ": ", escape(ruleTitle(f.Rule)), "</h3>\n<p>",
			escape(sentence(f.Message)), "</p>\n")
		if f.Advice != "" {
			h.raw("<p class=\"advice\">", escape(sentence(f.Advice)), "</p>\n")
		}
		h.raw("</article>\n")
	}
	h.end()
}

// table appends a table; numbers says which columns hold figures.
func (h *sheetHTML) table(titles []string, numbers []bool, rows [][]string) {
	h.raw("<div class=\"scroll\"><table>\n<thead><tr>")
	class := func(i int) string {
		if numbers[i] {
			return ` class="n"`
		}
		return ""
	}
	for i, t := range titles {
		h.raw("<th", class(i), ">", escape(t), "</th>")
	}
	h.raw("</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		h.raw("<tr>")
		for i, cell := range row {
			h.raw("<td", class(i), ">", escape(cell), "</td>")
		}
		h.raw("</tr>\n")
	}
	h.raw("</tbody></table></div>\n")
}

func (h *sheetHTML) clients() {
	n := h.o.top(len(h.r.Clients))
	if n == 0 {
		return
	}
	heading := "Clients"
	if int64(n) < h.r.Totals.Clients {
		heading += ", " + figure.Count(int64(n)) + " of " + figure.Count(h.r.Totals.Clients)
	}
	h.section(heading)
	rows := make([][]string, n)
	for i := range rows {
		c := &h.r.Clients[i]
		row := []string{report.Levels[c.Risk], h.who.of(c), figure.Count(c.Attempts), figure.Count(c.Refused), figure.Count(c.Sessions), figure.Count(c.PeakPerMin), "", "", scheduleText(c.Schedule), agents(c)}
		if c.Delays.N > 0 {
			row[6] = figure.Span(c.Delays.Mean)
		}
		if c.Lifetimes.N > 0 {
			row[7] = figure.Span(c.Lifetimes.Mean)
		}
		rows[i] = row
	}
	h.table([]string{"risk", "client", "attempts", "refused", "sessions", "a minute", "mean wait", "lived", "waits how", "user agent"},
		[]bool{false, false, true, true, true, true, true, true, false, false}, rows)
	h.end()
}

func (h *sheetHTML) groups() {
	if len(h.r.Groups) == 0 || len(h.r.Groups) == 1 && h.r.Groups[0].Name == "" {
		return
	}
	h.section("Groups")
	rows := make([][]string, h.o.top(len(h.r.Groups)))
	for i := range rows {
		g := &h.r.Groups[i]
		rows[i] = []string{groupName(g.Name), figure.Count(g.Clients), figure.Count(g.Attempts), figure.Percent(g.Share), figure.Count(g.Refused), figure.Count(g.Levels[2] + g.Levels[3]), scheduleText(g.Schedule)}
	}
	h.table([]string{"group", "clients", "attempts", "share", "refused", "at risk", "waits how"}, []bool{false, true, true, true, true, true, false}, rows)
	h.end()
}

func (h *sheetHTML) reading() {
	h.section("What was read, and what it cannot show")
	h.raw("<p>", escape(readSentence(h.r)), "</p>\n<ul>\n")
	for _, k := range h.r.Input.Skipped {
		h.raw("<li>", escape(k.Reason+", first at record "+figure.Count(k.FirstRecord)), ": <code>", escape(k.Sample), "</code></li>\n")
	}
	for _, list := range [][]string{h.r.Warnings, h.r.BlindSpots} {
		for _, text := range list {
			h.raw("<li>", escape(text), "</li>\n")
		}
	}
	h.raw("</ul>\n<footer>", escape(h.o.Made), "</footer>\n")
	h.end()
}

// stylesheet is the page's look: one column, light or dark as the reader's system, wide tables scroll by themselves.
const stylesheet = `
:root{--fg:#1c2128;--dim:#5c6672;--bg:#fff;--card:#f5f7f9;--line:#d9dee4;--attempt:#3b6fb6;--open:#2e8b57;--close:#b8860b;--wave:#f3d9d6;--critical:#a4161a;--high:#c0392b;--medium:#b9770e;--low:#566573;--info:#566573}
@media(prefers-color-scheme:dark){:root{--fg:#e6e9ec;--dim:#9aa5b1;--bg:#14181d;--card:#1d232a;--line:#333c46;--attempt:#6ea0e6;--open:#5cc48d;--close:#e0b04c;--wave:#4a2422;--critical:#ff6b6b;--high:#ff8a7a;--medium:#f0b35c;--low:#aab4bf;--info:#aab4bf}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.25rem}
h1{font-size:1.5rem;line-height:1.25;margin:.1rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2rem 0 .6rem}
h3{font-size:1rem;margin:0 0 .3rem;overflow-wrap:anywhere}
.kicker{margin:0;color:var(--dim);font-size:.85rem;letter-spacing:.04em;text-transform:uppercase}
.lead{font-size:1.1rem}
p{margin:.4rem 0;overflow-wrap:anywhere}
dl{margin:1rem 0;border-top:1px solid var(--line)}
dl div{display:flex;gap:1rem;border-bottom:1px solid var(--line);padding:.35rem 0}
dt{flex:0 0 8.5rem;color:var(--dim)}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
article{background:var(--card);border-left:4px solid var(--info);border-radius:4px;padding:.7rem .9rem;margin:.6rem 0}
article.critical{border-color:var(--critical)}article.high{border-color:var(--high)}article.medium{border-color:var(--medium)}
.badge{font-size:.75rem;text-transform:uppercase;letter-spacing:.03em;margin-right:.3rem;color:var(--info)}
.critical .badge{color:var(--critical)}.high .badge{color:var(--high)}.medium .badge{color:var(--medium)}
.advice{color:var(--dim)}
.advice::before{content:"To do: "}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem}
th,td{text-align:left;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--dim);font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:.8rem 0}
figcaption{color:var(--dim);font-size:.85rem;margin-bottom:.2rem}
svg{display:block;width:100%;background:var(--card);border-radius:4px}
.axis{display:flex;justify-content:space-between;color:var(--dim);font-size:.8rem;font-variant-numeric:tabular-nums}
.bins{display:flex;color:var(--dim);font-size:.7rem}
.bins span{flex:1 1 0;text-align:center;overflow:hidden}
.key span::before{content:"";display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin:0 .3rem 0 .8rem;background:var(--c)}
.ladders{display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));gap:1rem}
code{font-size:.8rem;overflow-wrap:anywhere}
ul{padding-left:1.2rem}
footer{color:var(--dim);font-size:.85rem;margin-top:1.5rem}
@media print{body{font-size:12px}article{break-inside:avoid}}
@media(max-width:30rem){dl div{display:block}main{padding:.9rem}}
`

func itoa(n int) string { return strconv.Itoa(n) }
