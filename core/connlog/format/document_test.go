package format_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

var speed = flag.Bool("speed", false, "measure every format and write the table of README.md")

const readme = "README.md"

// section replaces what stands between the two markers of a name.
func section(t *testing.T, text []byte, name, fresh string) []byte {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	i, j := bytes.Index(text, []byte(begin)), bytes.Index(text, []byte(end))
	if i < 0 || j < i {
		t.Fatalf("%s has no section %s", readme, name)
	}
	return bytes.Join([][]byte{text[:i], []byte(begin), []byte(fresh), text[j:]}, nil)
}

// The table of formats and the matrix of odd inputs in README.md are what the code does; -update writes them.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	var formats, odds strings.Builder
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return ""
	}
	formats.WriteString("| format | read | written | stamp | zone | lives | refusals | client | agent |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range format.List() {
		x := e.Traits
		fmt.Fprintf(&formats, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", e.Name, x.Title, format.When(x.Written), format.Meaning(x.Stamped),
			yes(x.Zone), yes(x.Duration || x.Joined && x.Closes), yes(x.Refusals), yes(x.Client), yes(x.UserAgent))
	}
	odds.WriteString("| input | records | used | ignored | skipped, formats, clients |\n|---|---|---|---|---|\n")
	for _, c := range matrix() {
		counts, rest, _ := strings.Cut(c.want, ", ")
		f := strings.Fields(counts)
		fmt.Fprintf(&odds, "| %s | %s | %s | %s | %s |\n", c.name, f[0], f[1], f[2], rest)
	}
	want := section(t, section(t, text, "formats", formats.String()), "odd inputs", odds.String())
	if *update {
		if err := os.WriteFile(readme, want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(text, want) {
		t.Errorf("%s is not what the code does; run with -update", readme)
	}
}

// TestSpeed writes the table of speeds; without -speed it only sees that every recording can be measured.
func TestSpeed(t *testing.T) {
	var table strings.Builder
	table.WriteString("| format | recording | times Go's regexp |\n|---|---|---:|\n")
	reference := traffic()[:1<<13]
	for _, e := range index(t) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
		o := connlog.Options{Paths: e.paths, Day: e.day}
		if !e.wrapped {
			o.Format = e.format
		}
		p, err := connlog.Sniff(c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := connlog.NewReader(p, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !*speed {
			continue
		}
		text := stretch(data)[:1<<15] // a pass as short as the regexp's
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		var batch connlog.Batch
		var own time.Duration
		var ratios []float64 // of each pass to the one beside it: the median leaves out what interrupted either
		for own < 200*time.Millisecond {
			start := time.Now()
			r.Feed(text, false)
			for r.Next(&batch) {
			}
			took := time.Since(start)
			own += took
			start = time.Now()
			byRegexp(reference)
			ratios = append(ratios, float64(len(text))/took.Seconds()/(float64(len(reference))/time.Since(start).Seconds()))
		}
		slices.Sort(ratios)
		fmt.Fprintf(&table, "| `%s` | %s | %.1f |\n", e.format, e.file, ratios[len(ratios)/2])
	}
	if !*speed {
		return
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(readme, section(t, text, "speeds", table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
