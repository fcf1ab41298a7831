package finding_test

import (
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/finding"
)

// A rule is complete, its id is kebab-case and its own, its sentences carry no full stop at the end of a title.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range finding.Rules() {
		if seen[r.ID] {
			t.Errorf("%s twice", r.ID)
		}
		seen[r.ID] = true
		if strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz-") != "" || r.Title == "" || r.Lesson == "" || r.Threshold == "" || r.Fix == "" ||
			strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Lesson, ".") || r.Title[0] >= 'A' && r.Title[0] <= 'Z' {
			t.Errorf("incomplete or ill-formed: %+v", r)
		}
		if got, ok := finding.Lookup(r.ID); !ok || got != r {
			t.Errorf("%s is not found", r.ID)
		}
	}
	if _, ok := finding.Lookup("no-such"); ok {
		t.Error("found a rule that is not there")
	}
	for _, w := range finding.Words() {
		for _, id := range w.Rules {
			if !seen[id] {
				t.Errorf("the word %s leads to no rule %s", w.Word, id)
			}
		}
		if len(w.Rules) == 0 && w.Note == "" {
			t.Errorf("the word %s leads nowhere", w.Word)
		}
	}
}
