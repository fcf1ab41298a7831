package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Input with nothing in it is refused by the name of its file.
func TestRefusedByName(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "blank.log")
	if err := os.WriteFile(empty, []byte("\ufeff\r\n \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"analyze --compat " + empty: "blank.log: the input is empty",
		"formats explain " + empty:  "blank.log: the input is empty",
		"guard --replay " + empty:   "blank.log: the input is empty",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(nil, &stdout, &stderr, strings.Fields(args)); code != exitBad || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout.String(), stderr.String())
		}
	}
}
