package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/herd"
)

// The colours of up to eight policies: dark enough on white, told apart by those who see no red or no green (after Okabe
// and Ito 2008).
var inks = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#777777"}

// SimulateHTML is a study as one HTML page without scripts and without anything from outside: the table, and the arrivals
// of all policies in one SVG with a logarithmic scale.
func SimulateHTML(st *herd.Study) []byte {
	b := []byte("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>stormlint simulate</title>\n<style>\n" +
		"body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:64em;padding:0 1em;color:#222;background:#fff}\n" +
		"table{border-collapse:collapse;display:block;overflow-x:auto}td{white-space:nowrap}td,th{padding:.25em .5em;text-align:right;border-bottom:1px solid #ddd}td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}\n" +
		"th{font-weight:600}.never{color:#b00020;font-weight:600}svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#444}code{font-size:.95em}\n</style>\n")
	if len(st.Results) == 0 {
		return append(b, "</html>\n"...)
	}
	first := &st.Results[0]
	b = append(b, "<h1>"+figure.Several(int64(first.Clients), "client")+" come back</h1>\n<p>At best after "+figure.Span(float64(st.Limit))+": no policy can be faster.</p>\n"...)
	for _, n := range st.Notes {
		b = append(b, "<p>"+escape(n)+"</p>\n"...)
	}
	b = append(b, "<table><tr>"...)
	for _, h := range [...]string{"", "policy", "half back", "99 %", "last back", "of best", "out", "busiest/s", "failed each", "refused", "timed out"} {
		b = append(b, "<th>"+h+"</th>"...)
	}
	b = append(b, "</tr>\n"...)
	for i := range st.Results {
		r := &st.Results[i]
		class := ""
		if r.Recovered < r.Clients {
			class = ` class="never"`
		}
		b = append(b, `<tr><td style="color:`+inks[i%len(inks)]+`">■ `+letter(i)+"</td><td><code>"+escape(r.Policy)+"</code></td>"...)
		for j, cell := range [...]string{came(r.Recovery.P50), came(r.Recovery.P99), came(r.Recovery.Last), ratio(r.Recovery.Last, r.Limit), out(r), figure.Count(int64(r.Peak + 0.5)),
			decimals(r.Waste), figure.Count(r.Refused + r.TurnedAway), figure.Count(r.TimedOut)} {
			c := ""
			if j >= 2 && j <= 4 {
				c = class
			}
			b = append(b, "<td"+c+">"+escape(cell)+"</td>"...)
		}
		b = append(b, "</tr>\n"...)
	}
	b = append(b, "</table>\n<h2>Arrivals per second</h2>\n"...)
	b = appendArrivals(b, st)
	for i := range st.Results {
		if r := &st.Results[i]; r.Reason.Text != "" {
			b = append(b, "<p><b>"+letter(i)+"</b> "+escape(r.Reason.Code+": "+r.Reason.Text)+"</p>\n"...)
		}
	}
	return append(b, "</html>\n"...)
}

// appendArrivals draws the beginning of all results: a step line each, and the capacity as a dashed one.
func appendArrivals(b []byte, st *herd.Study) []byte {
	const width, height, leftEdge, top = 960, 320, 64, 12
	length := head(st)
	capacity := float64(st.Results[0].Clients) / max(st.Limit.Seconds(), 1e-9)
	most := max(capacity, 10)
	for i := range st.Results {
		for _, v := range rates(&st.Results[i], length, headColumns) {
			most = max(most, v)
		}
	}
	decades := 1
	for v := 10.0; v < most; v *= 10 {
		decades++
	}
	y := func(v float64) string {
		place := height - 28.0
		if v > 1 {
			place -= float64(log10(v) / float64(decades) * (height - 28 - top))
		}
		return strconv.FormatFloat(place, 'f', 1, 64)
	}
	x := func(column int) string {
		return strconv.FormatFloat(leftEdge+float64(column)*(width-leftEdge-8)/headColumns, 'f', 1, 64)
	}
	b = append(b, `<svg viewBox="0 0 `+strconv.Itoa(width)+" "+strconv.Itoa(height)+`" role="img" aria-label="arrivals per second over time, logarithmic">`+"\n"...)
	for d, v := 0, 1.0; d <= decades; d, v = d+1, v*10 {
		b = append(b, `<line x1="`+strconv.Itoa(leftEdge)+`" x2="`+strconv.Itoa(width-8)+`" y1="`+y(v)+`" y2="`+y(v)+`" stroke="#ddd"/><text x="`+strconv.Itoa(leftEdge-6)+`" y="`+y(v)+`" text-anchor="end" dy="4">`+figure.Count(int64(v))+"</text>\n"...)
	}
	b = append(b, `<line x1="`+strconv.Itoa(leftEdge)+`" x2="`+strconv.Itoa(width-8)+`" y1="`+y(capacity)+`" y2="`+y(capacity)+`" stroke="#b00020" stroke-dasharray="6 4"/><text x="`+strconv.Itoa(width-8)+`" y="`+y(capacity)+`" text-anchor="end" dy="-4">capacity `+figure.Count(int64(capacity+0.5))+"</text>\n"...)
	for i := range st.Results {
		var path strings.Builder
		for c, v := range rates(&st.Results[i], length, headColumns) {
			command := " L"
			if c == 0 {
				command = "M"
			}
			path.WriteString(command + x(c) + " " + y(v) + " L" + x(c+1) + " " + y(v))
		}
		b = append(b, `<path d="`+path.String()+`" fill="none" stroke="`+inks[i%len(inks)]+`" stroke-width="1.6"><title>`+escape(letter(i)+" "+st.Results[i].Policy)+"</title></path>\n"...)
	}
	for tenth := 0; tenth <= 8; tenth++ {
		label := figure.Span(float64(length) * float64(tenth) / 8)
		if tenth == 0 {
			label = "0 s"
		}
		anchor := "middle"
		if tenth == 8 {
			anchor = "end"
		}
		b = append(b, `<text x="`+x(tenth*headColumns/8)+`" y="`+strconv.Itoa(height-8)+`" text-anchor="`+anchor+`">`+label+"</text>\n"...)
	}
	return append(b, "</svg>\n"...)
}

const headColumns = 240

// escape makes text safe inside HTML text and double-quoted attributes; control characters become "·".
func escape(text string) string {
	text = clean(text, false)
	var b []byte
	from := 0
	for i := range len(text) {
		mark := ""
		switch text[i] {
		case '&':
			mark = "&amp;"
		case '<':
			mark = "&lt;"
		case '>':
			mark = "&gt;"
		case '"':
			mark = "&quot;"
		case '\'':
			mark = "&#39;"
		default:
			continue
		}
		b = append(append(b, text[from:i]...), mark...)
		from = i + 1
	}
	if from == 0 {
		return text
	}
	return string(append(b, text[from:]...))
}
