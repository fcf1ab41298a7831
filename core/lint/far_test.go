package lint_test

import (
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/lint"
)

// A kit of any language can say what a schedule answers far out, where arithmetic breaks.
func TestFarAnswers(t *testing.T) {
	runs := `{"runs":[[1000,2000],[900,2100]],"far":`
	for answers, want := range map[string]string{
		`[{"attempt":1016,"delay_ms":0}]`:                                      "overflow",
		`[{"attempt":33,"delay_ms":-5}]`:                                       "overflow",
		`[{"attempt":1025,"fault":"not a number"}]`:                            "overflow",
		`[{"attempt":40,"delay_ms":9000000000000}]`:                            "overflow",
		`[{"attempt":40,"delay_ms":2000},{"attempt":100000,"delay_ms":30000}]`: "",
	} {
		list, err := lint.Read([]byte(runs + answers + "}"))
		if err != nil {
			t.Fatal(answers, err)
		}
		r, err := lint.Observed(list, lint.Options{})
		if err != nil {
			t.Fatal(answers, err)
		}
		found := ""
		for _, f := range r.Findings {
			if f.Rule == "overflow" {
				found = f.Rule
			}
		}
		if found != want {
			t.Errorf("%s: finding %q, want %q", answers, found, want)
		}
	}
	for answers, want := range map[string]string{
		`{}`:                              "an array of answers",
		`[3]`:                             "far[0]",
		`[{"attempt":0,"delay_ms":1}]`:    "far[0].attempt is 0, expected at least 1",
		`[{"attempt":2,"delay_ms":"1s"}]`: "far[0].delay_ms",
		`[{"attempts":2}]`:                "unknown key",
	} {
		_, err := lint.Read([]byte(runs + answers + "}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", answers, err, want)
		}
	}
}
