package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestReadmes keeps documented commands true. In the READMEs every line of a block marked `sh` or `console` that calls
// stormlint is parsed: verbs, flags and values must exist. What follows `$ stormlint …` in a block marked `console` is
// what the command prints, run from the top of the repository; a line of three dots stands for any lines. -update writes
// blocks without dots anew.
func TestReadmes(t *testing.T) {
	t.Chdir("../../..")
	files := []string{"core/lint/delays.md"}
	for _, pattern := range []string{"README.md", "*/README.md", "*/*/README.md", "*/*/*/README.md"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			if !strings.Contains(name, "node_modules") {
				files = append(files, name)
			}
		}
	}
	parsed, ran := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		lines := strings.Split(string(text), "\n")
		for i := 0; i < len(lines); i++ {
			out = append(out, lines[i])
			if lines[i] != "```sh" && lines[i] != "```console" {
				continue
			}
			end := i + 1 + slices.Index(lines[i+1:], "```")
			block := lines[i+1 : end]
			for _, line := range block {
				if args := command(strings.TrimPrefix(line, "$ ")); args != nil {
					parsed++
					parses(t, name, line, args)
				}
			}
			if lines[i] == "```console" {
				var n int
				block, n = console(t, name, block)
				ran += n
			}
			out = append(out, block...)
			i = end - 1
		}
		if now := strings.Join(out, "\n"); *update && now != string(text) {
			if err := os.WriteFile(name, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if parsed < 20 || ran < 1 {
		t.Errorf("%d commands parsed and %d run: the blocks are not found any more", parsed, ran)
	}
}

// parses tries a command line without running it.
func parses(t *testing.T, file, line string, args []string) {
	t.Helper()
	var v verbs
	parser, err := kong.New(&v, kong.Name("stormlint"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Errorf("%s: %s\n%v", file, line, err)
	}
}

// console runs the commands of a block and compares; it gives the block as it ought to be.
func console(t *testing.T, file string, block []string) (now []string, ran int) {
	t.Helper()
	for i := 0; i < len(block); {
		line := block[i]
		i++
		now = append(now, line)
		args := command(strings.TrimPrefix(line, "$ "))
		if !strings.HasPrefix(line, "$ ") || args == nil {
			t.Errorf("%s: %q is no `$ stormlint …`", file, line)
			return block, ran
		}
		from := i
		for i < len(block) && !strings.HasPrefix(block[i], "$ ") {
			i++
		}
		want := block[from:i]
		var stdout, stderr bytes.Buffer
		if code := run(nil, &stdout, &stderr, args); code == exitBad {
			t.Errorf("%s: %s\n%s", file, line, stderr.String())
		}
		ran++
		got := strings.Split(strings.TrimRight(stdout.String(), "\n"), "\n")
		dots := slices.Contains(want, "...")
		switch {
		case *update && !dots:
			now = append(now, got...)
			continue
		case !matches(got, want):
			t.Errorf("%s: %s prints something else:\n%s", file, line, stdout.String())
		}
		now = append(now, want...)
	}
	return now, ran
}

// matches compares lines; "..." stands for any.
func matches(got, want []string) bool {
	for i, w := range want {
		if w == "..." {
			for skip := 0; skip <= len(got)-i; skip++ {
				if matches(got[i+skip:], want[i+1:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || strings.TrimRight(got[i], " ") != strings.TrimRight(w, " ") {
			return false
		}
	}
	return len(got) == len(want)
}

// command is what follows the last stormlint of a shell line, up to a comment, a pipe, a redirection or the next
// command; nil when there is none. It knows quotes and nothing else of a shell.
func command(line string) []string {
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	flush := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ':
			flush()
		case c == '#' && !inWord:
			i = len(line)
		case strings.IndexByte("|&;<>", c) >= 0:
			flush()
			words = append(words, string(c))
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	flush()
	last := -1
	for i, w := range words {
		if w == "stormlint" && (i == 0 || words[i-1] == "npx" || len(words[i-1]) == 1 && strings.Contains("|&;", words[i-1])) {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	args := words[last+1:]
	for i, w := range args {
		if len(w) == 1 && strings.Contains("|&;<>", w) {
			args = args[:i]
			break
		}
	}
	return args
}
