package lint_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

// seenInRuns are the rules that waits alone can show.
var seenInRuns = []string{"fixed-locked", "growth-locked", "immediate-retry", "narrow-first-delay", "weak-jitter", "additive-constant", "clamp-after-jitter", "point-mass", "no-growth"}

// disagree lists the rules at medium or above on which the exact verdict about a policy and the verdict about runs of it
// differ, both over twelve attempts.
func disagree(t *testing.T, spec string, k int, seed uint64) []string {
	t.Helper()
	p, err := backoff.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.Attempts = 12
	exact, err := lint.Policy(p, spec, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	observed, err := lint.Observed([]lint.Runs{{Delays: draw(t, spec, k, 12, seed)}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grave := func(r *lint.Result) map[string]bool {
		set := map[string]bool{}
		for _, f := range r.Findings {
			if f.Severity >= finding.Medium && slices.Contains(seenInRuns, f.Rule) {
				set[f.Rule] = true
			}
		}
		return set
	}
	a, b := grave(exact), grave(observed)
	var list []string
	for _, rule := range slices.Sorted(maps.Keys(a)) {
		if !b[rule] {
			list = append(list, "-"+rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(b)) {
		if !a[rule] {
			list = append(list, "+"+rule)
		}
	}
	return list
}

// differ says where the two may disagree, and why.
var differ = map[string]string{
	"window:1s":           "a policy is known to be a window, whose waits are one draw and then constant; in runs that looks like weak jitter",
	"full:1s:30s,step=1s": "a quarter of the clients on one value is not always more than a fifth of fifty runs",
}

// The exact verdict about a policy and the statistical one about fifty runs of it agree, for every library and a dozen
// policies more.
func TestAgreement(t *testing.T) {
	seeds, k := uint64(3), 50
	if *accuracy {
		seeds = 100
	}
	specs := []string{"full:1s:30s", "equal:1s:30s", "decorrelated:1s:30s", "window:25s", "window:1s", "full:5s:5s:1", "equal:5s:5s:1", "prop:5s:5s:1:0.1",
		"full:1s:30s,step=1s", "full:1s:60s:1.2", "prop:1s:30s:2:0.3", "prop:1s:30s:2:0.25", "fixed:5s", "linear:1s:30s"}
	for _, l := range backoff.Libraries() {
		if l.Spec != "" && !slices.Contains(specs, l.Spec) {
			specs = append(specs, l.Spec)
		}
	}
	for _, spec := range specs {
		p, err := backoff.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Attempts = 0 // judged on twelve attempts, whatever the library makes
		spec = p.String()
		count, bad := map[string]int{}, 0
		for seed := range seeds {
			list := disagree(t, spec, k, seed)
			for _, d := range list {
				count[d]++
			}
			if len(list) > 0 {
				bad++
			}
		}
		if *accuracy && bad > 0 {
			t.Logf("%s: %d of %d differ: %v %s", spec, bad, seeds, count, differ[spec])
		}
		if differ[spec] == "" && (20*bad > int(seeds)+20) {
			t.Errorf("%s, K = %d: %d of %d seeds differ: %v", spec, k, bad, seeds, count)
		}
	}
}
