package lint_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/lint"
)

// The files that delays.md shows are read as it says, and the scenarios it lists are those there are.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile("delays.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, kind := range []string{"json", "csv"} {
		_, block, ok := strings.Cut(text, "```"+kind+"\n")
		block, _, _ = strings.Cut(block, "```")
		runs, err := lint.Read([]byte(block))
		if !ok || err != nil || len(runs) != 1 || len(runs[0].Delays) != 3 || len(runs[0].Delays[2]) != 3 {
			t.Errorf("%s: %v, %v", kind, runs, err)
		}
	}
	for _, scenario := range []string{lint.Refused, lint.LongSession, lint.Flap, lint.RepeatedSessions, lint.Hang, lint.Hint, lint.Fatal, lint.Wake, lint.Failures} {
		if !strings.Contains(text, "| `"+scenario+"`") {
			t.Errorf("the scenario %s is not in the table", scenario)
		}
	}
}
