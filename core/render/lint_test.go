package render

import (
	"testing"

	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

func linted(t *testing.T, spec string, o lint.Options) *lint.Result {
	t.Helper()
	r, err := lint.Spec(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLintText(t *testing.T) {
	golden(t, "lint-socketio.txt", LintText(linted(t, "lib:socket.io-client", lint.Options{}), Options{}))
	golden(t, "lint-full.txt", LintText(linted(t, "full:1s:30s", lint.Options{Clients: 50_000, Capacity: 2000}), Options{Width: 72, ASCII: true, Color: true}))
	golden(t, "lint-window.txt", LintText(linted(t, "window:31s", lint.Options{Clients: 50_000, Capacity: 2000}), Options{}))
	runs, err := lint.Read([]byte("[[1000,2000,4000,8000,16000],[1000,2000,4000,8000,16000],[1000,2000,4000,8000,16000]]"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := lint.Observed(runs, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "lint-runs.txt", LintText(r, Options{}))
	golden(t, "lint-runs.github.txt", LintGitHub(r))
	rule, _ := finding.Lookup("growth-locked")
	golden(t, "lint-explain.txt", RuleText(rule, Options{Width: 80}))
}

func TestEscaped(t *testing.T) {
	if got := escaped("a:b,c%\n\r", ":", ","); got != "a%3Ab%2Cc%25%0A%0D" {
		t.Error(got)
	}
}
