package analyze_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/report"
)

var (
	makeLogs = flag.Bool("make-storms", false, "write the logs of testdata/storms again")
	golden   = flag.Bool("update-storms", false, "write the reports of testdata/storms again; read the difference")
)

const stormsDir = "../../testdata/storms/"

// read analyses a log in one piece.
func read(t testing.TB, text []byte, o analyze.Options) *report.Report {
	t.Helper()
	catalogue := connlog.Catalogue{Formats: format.All()}
	plan, err := connlog.Sniff(catalogue, text, connlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := analyze.New(o, plan, catalogue, analyze.Part{Name: "storm.log"})
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

// right is what must be said of a storm, written down before it was first analysed.
type right struct {
	Fleet, Never []string
	Groups       map[string]string
	Clients      map[string][2]int // how many clients a rule names
	Levels       map[string][2]int
}

func TestStorms(t *testing.T) {
	data, err := os.ReadFile(stormsDir + "right.json")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]right{}
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	for _, s := range storms {
		t.Run(s.name, func(t *testing.T) {
			file := stormsDir + s.name + ".log"
			if *makeLogs {
				if err := os.WriteFile(file, s.make().write(s.form), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			key, err := analyze.ParseKey(s.word())
			if err != nil {
				t.Fatal(err)
			}
			r := read(t, text, analyze.Options{Key: key, Top: -1})
			if r.Input.Used != r.Input.Records {
				t.Errorf("%d of %d records used: %v", r.Input.Used, r.Input.Records, r.Input.Skipped)
			}
			judge(t, r, answers[s.name])
			r.Arrivals, r.CloseUp = report.Arrivals{}, report.Arrivals{}
			r.Clients = r.Clients[:min(len(r.Clients), 3)] // nobody would read a golden of the rest
			var got bytes.Buffer
			if err := json.Indent(&got, r.AppendJSON(nil), "", " "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			goldenFile := stormsDir + s.name + ".report.json"
			if *golden {
				if err := os.WriteFile(goldenFile, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(goldenFile); err != nil || !bytes.Equal(want, got.Bytes()) {
				t.Errorf("%s differs (%v): run with -update-storms and read the difference", goldenFile, err)
			}
		})
	}
}

func (s *storm) word() string {
	if s.key == "" {
		return "ip"
	}
	return s.key
}

func judge(t *testing.T, r *report.Report, want right) {
	t.Helper()
	said := map[string]bool{}
	for _, f := range r.Findings {
		said[f.Rule] = true
	}
	for _, rule := range want.Fleet {
		if !said[rule] {
			t.Errorf("%s is not said", rule)
		}
	}
	for _, rule := range want.Never {
		if said[rule] {
			t.Errorf("%s is said", rule)
		}
	}
	clients, levels := map[string]int{}, map[string]int{}
	for i := range r.Clients {
		c := &r.Clients[i]
		levels[report.Levels[c.Risk]]++
		var rules []string
		for _, f := range c.Findings {
			rules = append(rules, f.Rule)
		}
		slices.Sort(rules)
		for _, rule := range slices.Compact(rules) {
			clients[rule]++
		}
	}
	for rule, n := range want.Clients {
		if got := clients[rule]; got < n[0] || got > n[1] {
			t.Errorf("%s: %d clients, want %v", rule, got, n)
		}
	}
	for level, n := range want.Levels {
		if got := levels[level]; got < n[0] || got > n[1] {
			t.Errorf("%d clients are %s, want %v", got, level, n)
		}
	}
	for name, verdict := range want.Groups {
		i := slices.IndexFunc(r.Groups, func(g report.Group) bool { return g.Name == name })
		switch {
		case i < 0 || r.Groups[i].Schedule == nil:
			t.Errorf("group %q has no schedule", name)
		case verdict == "not locked" && r.Groups[i].Schedule.Verdict == "locked", verdict != "not locked" && r.Groups[i].Schedule.Verdict != verdict:
			t.Errorf("group %q is %s, want %s", name, r.Groups[i].Schedule.Verdict, verdict)
		}
	}
	t.Logf("findings %v, clients %v, levels %v", said, clients, levels)
}
