package render

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/report"
)

// Pictures are shapes only, stretched to the page's width; their words stand in the page, so that they can be read on a
// phone.
const (
	pictureWide = 1000
	pictureBins = 250
)

// svg opens a picture of a height in px; what it shows is told to those who cannot see it.
func (h *sheetHTML) svg(high int, label string) {
	h.raw(`<svg viewBox="0 0 `, itoa(pictureWide), " ", itoa(high), `" height="`, itoa(high), `" preserveAspectRatio="none" role="img" aria-label="`, escape(label), "\">\n")
}

func coordinate(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

// rect appends a rectangle.
func (h *sheetHTML) rect(x, y, wide, high float64, color, title string) {
	h.raw(`<rect x="`, coordinate(x), `" y="`, coordinate(y), `" width="`, coordinate(wide), `" height="`, coordinate(high), `" fill="var(--`, color, `)"`)
	if title == "" {
		h.raw("/>\n")
		return
	}
	h.raw("><title>", escape(title), "</title></rect>\n")
}

// arrivals draws the whole log, and once more from near where there was a storm.
func (h *sheetHTML) arrivals() {
	if len(h.r.Arrivals.Attempts) < 2 {
		return
	}
	h.section("Arrivals")
	h.chart(&h.r.Arrivals, h.r.Input.To)
	if len(h.r.CloseUp.Attempts) > 1 {
		h.raw("<h3>The storm from near</h3>\n")
		h.chart(&h.r.CloseUp, 1<<63-1)
	}
	for _, m := range h.r.Marks {
		h.raw("<p>Mark at ", clock(m.At, false), " UTC: ", escape(m.Label), "</p>\n")
	}
	h.end()
}

// chart draws attempts as columns, accepted ones in front of them, closes hanging below; waves are shaded, marks are
// lines.
func (h *sheetHTML) chart(a *report.Arrivals, end int64) {
	start, bin := coarser(a, pictureBins)
	attempts, opens, closes := rebin(a, a.Attempts, start, bin), rebin(a, a.Opens, start, bin), rebin(a, a.Closes, start, bin)
	most, mostClosed := largest(attempts), largest(closes)
	const up, down = 180.0, 60.0
	step := pictureWide / float64(len(attempts))
	x := func(at int64) float64 { return float64(float64(at-start) / float64(bin) * step) }
	h.raw("<figure>\n<figcaption>", escape(figure.Span(float64(bin))+" a column, at most "+figure.Several(most, "attempt")), `<span class="key"><span style="--c:var(--attempt)">attempts</span><span style="--c:var(--open)">accepted</span><span style="--c:var(--close)">closed</span></span></figcaption>`, "\n")
	h.svg(up+down, "Attempts, accepted attempts and closes over time")
	for i := range h.r.Fleet.Waves {
		w := &h.r.Fleet.Waves[i]
		if x(w.At) > pictureWide || x(w.At+w.Width) < 0 {
			continue
		}
		h.rect(x(w.At), 0, max(x(w.At+w.Width)-x(w.At), step), up+down, "wave", clock(w.At, false)+" UTC: "+figure.Several(w.Attempts, "attempt")+" of "+figure.Several(w.Clients, "client"))
	}
	for i := range attempts {
		left := float64(i) * step
		if attempts[i] > 0 {
			high := max(float64(attempts[i])/float64(most)*(up-4), 1)
			h.rect(left, up-high, max(step-0.5, 0.8), high, "attempt", clock(start+int64(i)*bin, false)+" UTC: "+figure.Several(attempts[i], "attempt")+", "+figure.Count(opens[i])+" accepted")
		}
		if opens[i] > 0 && most > 0 {
			high := max(float64(opens[i])/float64(most)*(up-4), 1)
			h.rect(left, up-high, max(step-0.5, 0.8), high, "open", "")
		}
		if closes[i] > 0 {
			high := max(float64(closes[i])/float64(mostClosed)*(down-4), 1)
			h.rect(left, up, max(step-0.5, 0.8), high, "close", clock(start+int64(i)*bin, false)+" UTC: "+figure.Several(closes[i], "close"))
		}
	}
	for _, m := range h.r.Marks {
		if at := x(m.At); at >= 0 && at <= pictureWide {
			h.rect(at-0.5, 0, 1.5, up+down, "fg", clock(m.At, false)+" UTC: "+m.Label)
		}
	}
	h.raw("</svg>\n")
	from, to := ends(a, start, end)
	h.raw(`<div class="axis"><span>`, from, "</span><span>", to, " UTC</span></div>\n</figure>\n")
}

// mostLadders is how many clients' waits are drawn.
const mostLadders = 6

// ladders draws the waits of the first clients that waited often enough, one column an attempt, so that growth, a cap and
// their spread can be seen.
func (h *sheetHTML) ladders() {
	var list []*report.Client
	for i := range h.r.Clients {
		if c := &h.r.Clients[i]; len(c.Waits) >= 4 && len(list) < mostLadders {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return
	}
	h.section("How they wait")
	h.raw("<p>Each column is one wait before an attempt, in order; the lighter ones begin a new episode.</p>\n<div class=\"ladders\">\n")
	for _, c := range list {
		var longest int64
		for _, w := range c.Waits {
			longest = max(longest, w.Delay)
		}
		const high = 110.0
		step := pictureWide / float64(len(c.Waits))
		caption := h.who.of(c) + ": up to " + figure.Span(float64(longest))
		if s := scheduleText(c.Schedule); s != "" {
			caption += "; " + s
		}
		h.raw("<figure>\n<figcaption>", escape(caption), "</figcaption>\n")
		h.svg(high, "Waits of "+h.who.of(c))
		for i, w := range c.Waits {
			tall := 1.0
			if longest > 0 {
				tall = max(float64(w.Delay)/float64(longest)*(high-6), 1)
			}
			color := "attempt"
			if w.Attempt == 1 {
				color = "close"
			}
			h.rect(float64(i)*step, high-tall, max(step-6, 3), tall, color, "attempt "+itoa(w.Attempt)+": "+figure.Span(float64(w.Delay)))
		}
		h.raw("</svg>\n</figure>\n")
	}
	h.raw("</div>\n")
	h.end()
}

// lives draws how long sessions lived, a column for each doubling.
func (h *sheetHTML) lives() {
	l := h.r.Lifetimes.Sessions
	most := largest(l)
	if most == 0 {
		return
	}
	const high = 120.0
	step := pictureWide / float64(len(l))
	h.section("How long sessions lived")
	h.raw("<figure>\n<figcaption>a column for each doubling, at most ", figure.Several(most, "session"), "</figcaption>\n")
	h.svg(high, "Sessions by how long they lived")
	for i, n := range l {
		if n > 0 {
			tall := max(float64(n)/float64(most)*(high-6), 1)
			h.rect(float64(i)*step, high-tall, max(step-8, 3), tall, "open", "under "+figure.Span(float64(int64(1e9)<<i))+": "+figure.Several(n, "session"))
		}
	}
	h.raw("</svg>\n<div class=\"bins\">")
	for i := range l {
		h.raw("<span>&lt;", short(i), "</span>")
	}
	h.raw("</div>\n</figure>\n")
	h.end()
}

// short spells 2^i seconds in few characters.
func short(i int) string {
	s := int64(1) << i
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + "s"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + "m"
	case s < 48*3600:
		return strconv.FormatInt(s/3600, 10) + "h"
	}
	return strconv.FormatInt(s/86400, 10) + "d"
}

func largest(list []int64) (most int64) {
	for _, v := range list {
		most = max(most, v)
	}
	return most
}
