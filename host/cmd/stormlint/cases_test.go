package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testdata/cases.json is the list of command lines that the npm package's command runs too (js/test/cli.test.mjs), with
// the same exit codes and the same bytes.
type commandCase struct {
	Name       string
	Args       []string
	Code       int
	Stdin      string
	StdinFile  string            `json:"stdin_file"`  // a file beside this one that is standard input
	StdinBytes int               `json:"stdin_bytes"` // so many of its first bytes; 0 for all
	Files      map[string]string // in the folder that the command runs in
	Here       bool              // the command runs beside this file, not in a folder of its own
	Has        []string          // pieces of an answer that grows with the core; without, it is testdata/NAME.stdout and .stderr
}

func TestCases(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []commandCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]string{"": "", "sample.ndjson": sample, "sample.json": compatSample}
	for _, c := range cases {
		stdin := c.Stdin + samples[c.StdinFile]
		if c.StdinBytes > 0 {
			stdin = stdin[:c.StdinBytes]
		}
		t.Run(c.Name, func(t *testing.T) {
			if !c.Here {
				t.Chdir(t.TempDir())
			}
			for name, text := range c.Files {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.Has == nil {
				goldenIn(t, goldens, c.Name, c.Code, stdin, c.Args...)
				return
			}
			got := agree(t, c.Code, stdin, c.Args...)
			for _, piece := range c.Has {
				if !strings.Contains(got, piece) {
					t.Errorf("no %s in\n%.600s", piece, got)
				}
			}
			if c.StdinFile == "" && strings.Contains(c.Stdin, "token=abc") && strings.Contains(got, "abc") {
				t.Errorf("the token came out\n%s", got)
			}
		})
	}
}
