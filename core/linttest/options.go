package linttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

// Options is how a schedule or a client is run and judged. The zero value is the documented default.
type Options struct {
	Runs   int      // how many independent clients; 0 is 50
	Delays int      // waits watched in each scenario but failures; 0 is 12
	Seed   uint64   // of the kit's randomness; 0 is 1
	FailAt string   // the severity that fails the test: info, low, medium, high, critical; "" is high
	Accept []string // rules that are known and accepted: they are logged and do not fail

	Clients  int64   // how many fall together, for thresholds from clients by capacity; 0 is unknown
	Capacity float64 // handshakes a second that the server can do; 0 is unknown

	Scenarios []string // of a client: those to run; nil is all
}

// settle fills defaults in; a mistake in the options ends the test.
func settle(t testing.TB, list []Options) (o Options, limit finding.Severity) {
	t.Helper()
	if len(list) > 1 {
		t.Fatal("linttest: at most one Options")
	}
	if len(list) == 1 {
		o = list[0]
	}
	for field, v := range map[string]int{"Runs": o.Runs, "Delays": o.Delays} {
		if v < 0 || v > 10_000 {
			t.Fatalf("linttest: Options.%s is %d, expected between 1 and 10000, or 0 for the default", field, v)
		}
	}
	o.Runs, o.Delays, o.Seed = max(o.Runs, 0), max(o.Delays, 0), max(o.Seed, 1)
	if o.Runs == 0 {
		o.Runs = 50
	}
	if o.Delays == 0 {
		o.Delays = 12
	}
	if o.FailAt == "" {
		o.FailAt = "high"
	}
	limit, ok := finding.ParseSeverity(o.FailAt)
	if !ok {
		t.Fatalf("linttest: Options.FailAt is %q, expected one of info, low, medium, high, critical", o.FailAt)
	}
	for _, rule := range o.Accept {
		if _, ok := finding.Lookup(rule); !ok {
			t.Fatalf("linttest: Options.Accept holds %q, which is no rule; stormlint lint --explain all lists them", rule)
		}
	}
	for _, s := range o.Scenarios {
		if !slices.Contains(scenarioNames(), s) {
			t.Fatalf("linttest: Options.Scenarios holds %q, expected of %s", s, strings.Join(scenarioNames(), ", "))
		}
	}
	return o, limit
}

// judge lints the runs and tells the test.
func judge(t testing.TB, runs []lint.Runs, o Options, limit finding.Severity, what string) *lint.Result {
	t.Helper()
	r, err := lint.Observed(runs, lint.Options{Clients: o.Clients, Capacity: o.Capacity, Runtime: "go"})
	if err != nil {
		t.Fatalf("linttest: %v", err)
	}
	grave := false
	text := &strings.Builder{}
	for _, f := range r.Findings {
		accepted := ""
		if slices.Contains(o.Accept, f.Rule) {
			accepted = ", accepted"
		} else if f.Severity >= limit {
			grave = true
		} else {
			continue
		}
		where := what
		if f.Subject != lint.Refused || what != "schedule" {
			where += ", " + f.Subject
		}
		fmt.Fprintf(text, "\n%s: %v %s%s\n    %s\n    to do: %s", where, f.Severity, f.Rule, accepted, f.Message, f.Advice)
	}
	if !grave {
		if text.Len() > 0 {
			t.Log(text.String())
		}
		return r
	}
	t.Errorf("%s\nagain with linttest.Options{Seed: %d, Runs: %d}; a rule in full: stormlint lint --explain RULE", strings.TrimPrefix(text.String(), "\n"), o.Seed, o.Runs)
	return r
}
