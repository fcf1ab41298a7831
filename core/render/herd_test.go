package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/herd"
)

func herdStudy(t *testing.T, request string) *herd.Study {
	t.Helper()
	q, err := herd.ParseRequest([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	st, err := herd.NewStudy(q)
	if err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = st.Step(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// The pulses of an exponential wait without jitter stand at 1, 3 and 7 s, and full jitter is flat, on any page: narrow or
// wide, ASCII only, coloured.
func TestSimulatePages(t *testing.T) {
	st := herdStudy(t, `{"clients":2000,"capacity":200,"policy":["exp:1s:30s","full:1s:30s"],"reject_cost":0,"backlog":100,"horizon_ms":60000}`)
	for _, o := range []Options{{}, {Width: 60}, {Width: 200}, {ASCII: true}, {Color: true}} {
		page := string(SimulateText(st, o))
		if !utf8.ValidString(page) || strings.Contains(page, "NaN") {
			t.Errorf("%+v: not a clean page", o)
		}
		for line := range strings.Lines(page) {
			if !o.Color && width(strings.TrimSuffix(line, "\n")) > o.width() {
				t.Errorf("%+v: %d columns: %q", o, width(line), line)
			}
			if o.ASCII && strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
				t.Errorf("not ASCII: %q", line)
			}
		}
	}
	seconds := map[int]bool{}
	r := &st.Results[0]
	for i, n := range r.Head.Arrivals {
		if n > 50 {
			seconds[int(float64(i)*r.Head.Bin.Seconds()+0.05)] = true
		}
	}
	if !seconds[1] || !seconds[3] || !seconds[7] || seconds[2] || seconds[5] {
		t.Errorf("pulses in the seconds %v", seconds)
	}
	html := string(SimulateHTML(st))
	if strings.Count(html, "<path") != 2 || strings.Contains(html, "<script") || strings.Contains(html, "http") {
		t.Error("the HTML page should have two lines, and nothing from outside")
	}
}

// Names are hostile: a group's name from a report cannot leave its place in either page.
func TestSimulateHostile(t *testing.T) {
	st := herdStudy(t, `{"clients":20,"capacity":10,"policy":"fixed:1s"}`)
	st.Notes = []string{"<script>alert(1)</script>\x1b[2J"}
	st.Results[0].Policy = "\"><svg onload=x>\x1b"
	html, text := string(SimulateHTML(st)), string(SimulateText(st, Options{}))
	if strings.Contains(html, "<script>") || strings.Contains(html, "<svg onload") || strings.ContainsRune(html, 0x1b) || strings.ContainsRune(text, 0x1b) {
		t.Error("a name left its place")
	}
}
