package render

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/report"
)

var update = flag.Bool("update", false, "write the golden files")

// analyzed reads a log of the corpus.
func analyzed(t *testing.T, file string) *report.Report {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := connlog.Sniff(connlog.Catalogue{}, text, connlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := analyze.New(analyze.Options{}, plan, connlog.Catalogue{}, analyze.Part{Name: "outage.ndjson"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Feed(text); err != nil {
		t.Fatal(err)
	}
	r, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s differs (%v); run with -update and read the difference:\n%s", file, err, got)
	}
}

func TestAnalyzeText(t *testing.T) {
	r := analyzed(t, "../analyze/testdata/outage.ndjson")
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"outage.txt", Options{}},
		{"outage.narrow-ascii.txt", Options{Width: 60, ASCII: true, Top: 4}},
		{"outage.color.txt", Options{Color: true, Width: 120}},
	} {
		got := AnalyzeText(r, c.o)
		golden(t, c.name, got)
		for line := range strings.SplitSeq(string(got), "\n") {
			if !c.o.Color && width(line) > c.o.width() {
				t.Errorf("%s: a line of %d columns: %s", c.name, width(line), line)
			}
			if c.o.ASCII && strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) {
				t.Errorf("%s: not ASCII: %s", c.name, line)
			}
		}
	}
}

func TestAnalyzeMarkdown(t *testing.T) {
	r := analyzed(t, "../analyze/testdata/outage.ndjson")
	r.Marks = []report.Mark{{At: r.Input.From, Label: "deploy | 1.4"}}
	got := AnalyzeMarkdown(r, Options{})
	golden(t, "outage.md", got)
	if n := strings.Count(string(got), "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	github := AnalyzeGitHub(r, Options{})
	golden(t, "outage.github.txt", github)
	for _, page := range [][]byte{got, github} {
		for _, c := range r.Clients {
			if strings.Contains(string(page), c.Name) {
				t.Errorf("the page names %s", c.Name)
			}
		}
	}
	html := AnalyzeHTML(r, Options{})
	golden(t, "outage.html", html)
	for _, c := range r.Clients {
		if strings.Contains(string(html), c.Name) {
			t.Errorf("the page names %s", c.Name)
		}
	}
	if open := AnalyzeMarkdown(r, Options{Addresses: true}); !strings.Contains(string(open), "2001:db8::7") {
		t.Error("addresses were asked for and are not shown")
	}
}

// Whatever a log says, no control character reaches the terminal but our own.
func TestHostileNames(t *testing.T) {
	bad := "\x1b]0;owned\x07\u202eevil\u200b\x9b2J\xff\n\t"
	r := &report.Report{
		Input:   report.Input{From: report.None, To: report.None, Records: 1, Skipped: []report.Skipped{{Reason: bad, Count: 1, Sample: bad}}, Sources: []report.Source{{Name: bad}}, Formats: []string{bad}},
		Clients: []report.Client{{Name: bad, UserAgents: []string{bad}, Attempts: 1}}, BlindSpots: []string{bad}, Warnings: []string{bad},
		Totals: report.Totals{Clients: 1, Attempts: 1},
	}
	bad = "</title><script>alert(1)</script>' onload=\"x" + bad
	r.Clients[0].UserAgents, r.Input.Sources[0].Name, r.Marks = []string{bad}, bad, []report.Mark{{Label: bad}}
	r.Groups = []report.Group{{Name: bad}}
	page := string(AnalyzeHTML(r, Options{Addresses: true}))
	if strings.Contains(page, "<script") || strings.Contains(page, "onload=\"") {
		t.Errorf("markup of a log's reaches the page")
	}
	for _, o := range []Options{{}, {ASCII: true}} {
		for _, r := range string(AnalyzeText(r, o)) {
			if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x200b {
				t.Fatalf("%q reaches the page", r)
			}
		}
	}
}
