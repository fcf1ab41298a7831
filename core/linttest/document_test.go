package linttest

import (
	"os"
	"strings"
	"testing"
	"time"
)

// The failure that the package comment shows is the one that its five lines give.
func TestDocumentedFailure(t *testing.T) {
	r := reported(t, func(t testing.TB) {
		Schedule(t, func(attempt int) time.Duration {
			return min(time.Second<<(attempt-1), 30*time.Second)
		})
	})
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(r.text) {
		if !strings.Contains(string(doc), strings.TrimSpace(line)) {
			t.Errorf("doc.go does not show: %s", line)
		}
	}
	if t.Failed() {
		t.Log(r.text)
	}
}
