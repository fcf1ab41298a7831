package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/stormlint/stormlint/core/fault"
)

func zipped(t *testing.T, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

func zstandard(t *testing.T, text string) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}

func TestOpen(t *testing.T) {
	text := strings.Repeat("one line of a log\n", 20_000)
	whole := zipped(t, text)
	for name, c := range map[string]struct {
		data []byte
		want string // the beginning of the text that must come out
		all  bool
		code fault.Code // of the error at the end, empty for none
	}{
		"plain":               {[]byte(text), text, true, ""},
		"empty":               {nil, "", true, ""},
		"three bytes":         {[]byte("abc"), "abc", true, ""},
		"gzip":                {whole, text, true, ""},
		"two gzip members":    {append(zipped(t, "a\n"), zipped(t, "b\n")...), "a\nb\n", true, ""},
		"zstd":                {zstandard(t, text), text, true, ""},
		"a frame to skip":     {append([]byte("\x51\x2a\x4d\x18\x04\x00\x00\x00abcd"), zstandard(t, text)...), text, true, ""},
		"two zstd frames":     {append(zstandard(t, "a\n"), zstandard(t, "b\n")...), "a\nb\n", true, ""},
		"cut gzip":            {whole[:len(whole)-100], "", false, fault.BadSyntax},
		"cut gzip header":     {whole[:5], "", false, fault.BadSyntax},
		"cut zstd":            {zstandard(t, text)[:20], "", false, fault.BadSyntax},
		"garbage after gzip":  {append(zipped(t, "a\n"), "garbage"...), "a\n", true, fault.BadSyntax},
		"two letters after":   {append(zipped(t, "a\n"), "ab"...), "a\n", true, fault.BadSyntax},
		"zeros after gzip":    {append(zipped(t, "a\n"), make([]byte, 600)...), "a\n", true, ""},
		"zeros between":       {append(append(zipped(t, "a\n"), 0, 0), zipped(t, "b\n")...), "a\nb\n", true, ""},
		"wrong gzip checksum": {append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 0, 0, 0, 0), text, true, fault.BadSyntax},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{path, "-"} {
			list, err := Resolve([]string{way}, bytes.NewReader(c.data))
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			r, err := list[0].Open()
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			if c.code == "" && err != nil || c.code != "" && !errors.Is(err, c.code) {
				t.Errorf("%s from %s: %v, want code %q", name, way, err, c.code)
			}
			if after := strings.Contains(name, "after") && err != nil; after && !strings.Contains(err.Error(), "what follows the gzip data from byte") {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil && !strings.Contains(err.Error(), way) {
				t.Errorf("%s: the error does not name %s: %v", name, way, err)
			}
			if c.all && string(got) != c.want || !strings.HasPrefix(text+"a\nb\nabc", string(got)) && !c.all {
				t.Errorf("%s from %s: %d bytes, want %d", name, way, len(got), len(c.want))
			}
		}
	}
}

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a.log", "a.log.1", "a.log.2.gz", "a.log.10.gz", "b.log", "b.2026"} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b.2026", "now.log"); err != nil {
		t.Fatal(err)
	}
	list, err := Resolve([]string{"a.log", "b.log", "a.log.1", "a.log.10.gz", "a.log.2.gz", "-", "b.2026"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.Name)
	}
	if want := "a.log.10.gz a.log.2.gz a.log.1 a.log b.log - b.2026"; strings.Join(got, " ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
	for want, names := range map[string][]string{
		"source: no-such.log: no such file":                                           {"a.log", "no-such.log"},
		"source: ./: this is a folder, expected the files in it, \"./*.log\" for one": {"./"},
		"source: a.log: the same input is named twice":                                {"a.log", "a.log"},
		"source: ./a.log: the same file as a.log, expected each file once":            {"a.log", "b.log", "./a.log"},
		"source: now.log: the same file as b.2026, expected each file once":           {"b.2026", "now.log"},
	} {
		if _, err := Resolve(names, nil); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
}
