package herd

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The snippets hold the advice's figures and no open placeholder; the Go one parses. (The JavaScript, Python and YAML ones
// were run through node --check, py_compile and a YAML reader by hand.)
func TestSnippets(t *testing.T) {
	for _, a := range []Advice{
		{Clients: 50_000, Capacity: 2000, Window: 50 * time.Second, Timeout: 10 * time.Second, Backlog: 600, Admission: 1800, Burst: 200, Nodes: 10, NodeDrain: 3130 * time.Millisecond, BatchSize: 160, BatchEvery: 100 * time.Millisecond},
		{Clients: 20, Capacity: 0.5, Window: 80 * time.Second, Timeout: 10 * time.Second, Backlog: 2, Admission: 0.45, Burst: 1, Nodes: 2, NodeDrain: 25 * time.Second, BatchSize: 1, BatchEvery: 2500 * time.Millisecond},
	} {
		list := snippets(&a)
		if len(list) != 9 {
			t.Fatalf("%d snippets", len(list))
		}
		for _, s := range list {
			if open := regexp.MustCompile(`\{[A-Z][A-Z a-z]*\}`).FindString(s.Text); open != "" {
				t.Errorf("%s: %s is not filled in", s.Name, open)
			}
			if s.Language == "go" {
				if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+s.Text, 0); err != nil {
					t.Error(err)
				}
			}
			if s.Name == "nginx" && !strings.Contains(s.Text, map[bool]string{true: "rate=1800r/s", false: "rate=27r/m"}[a.Capacity > 1]) {
				t.Errorf("nginx: %s", s.Text)
			}
		}
		a.ClientsFixed = true
		if n := len(snippets(&a)); n != 4 {
			t.Errorf("%d snippets for a server alone", n)
		}
	}
}
