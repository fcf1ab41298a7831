package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers that are none are refused by the name of their flag; input with nothing in it is refused by the name of its file.
func TestRefusedByName(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "blank.log")
	if err := os.WriteFile(empty, []byte("\ufeff\r\n \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"analyze --sample --capacity NaN":                   "--capacity is NaN",
		"recommend -n 9 -c Inf":                             "--capacity is +Inf",
		"simulate -n 9 -c 9 -p fixed:1s --reject-cost NaN":  "--reject-cost is NaN",
		"simulate -n 9 -c 9 -p fixed:1s --drop 1s:NaN%":     "--drop is NaN",
		"simulate -n 9 -c 9 -p fixed:1s --door NaN":         "--door is NaN",
		"lint --policy fixed:1s --clients 9 --capacity NaN": "--capacity is NaN",
		"analyze " + empty:                                  "blank.log: the input is empty",
		"analyze --compat " + empty:                         "blank.log: the input is empty",
		"formats explain " + empty:                          "blank.log: the input is empty",
		"guard --replay " + empty:                           "blank.log: the input is empty",
		"simulate -n 9 -c 9 -p fixed:1s --outage 2000000h":  "expected 0 to 1e12 ms",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(nil, &stdout, &stderr, strings.Fields(args)); code != exitBad || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout.String(), stderr.String())
		}
	}
}
