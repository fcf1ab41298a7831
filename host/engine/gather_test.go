package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
)

// memory is a file in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func plain(name string, text []byte) engine.Input {
	return engine.Input{
		Name: name,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
		File: func() (engine.File, int64, bool, error) {
			return memory{bytes.NewReader(text)}, int64(len(text)), true, nil
		},
	}
}

// pipe is the same where it can only be read in order.
func pipe(name string, text []byte) engine.Input {
	in := plain(name, text)
	in.File = nil
	return in
}

// gathered is everything a job says: the report and some rows, or the error.
func gathered(ctx context.Context, e *engine.Engine, job engine.Job) string {
	s, err := e.Gather(ctx, job)
	if err != nil {
		return "error " + err.Error()
	}
	defer s.Close()
	text, err := s.Finish(ctx)
	if err != nil {
		return "error " + err.Error()
	}
	if job.Kind == "analyze" {
		rows, err := s.Ask(ctx, "page", []byte(`{"n":1000}`))
		if err != nil {
			return "error " + err.Error()
		}
		text = append(append(text, '\n'), rows...)
	}
	return string(text)
}

// alone reads all inputs as one stream each and merges them, without any of Gather's cutting.
func alone(ctx context.Context, e *engine.Engine, job engine.Job, texts [][]byte) string {
	var whole *engine.Stream
	for i, text := range texts {
		request, _ := json.Marshal(map[string]any{"options": job.Options, "part": map[string]any{"source": i, "name": job.Inputs[i].Name}})
		s, err := e.Open(ctx, job.Kind, request)
		if err != nil {
			return "error " + err.Error()
		}
		defer s.Close()
		if err := s.Feed(ctx, text); err != nil {
			return "error " + engine.Named(err, job.Inputs[i].Name).Error()
		}
		if whole == nil {
			whole = s
			continue
		}
		state, err := s.State(ctx)
		if err == nil {
			err = whole.Merge(ctx, state)
		}
		if err != nil {
			return "error " + err.Error()
		}
	}
	text, err := whole.Finish(ctx)
	if err != nil {
		return "error " + err.Error()
	}
	if job.Kind == "analyze" {
		rows, _ := whole.Ask(ctx, "page", []byte(`{"n":1000}`))
		text = append(append(text, '\n'), rows...)
	}
	return string(text)
}

// Every input of the corpus, cut anywhere, by any number of workers, gives the same report.
func TestGatherCorpus(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	e := engine.Native(nil)
	for _, folder := range []string{"logs", "storms", "compat"} {
		files, err := filepath.Glob(filepath.Join(testdata, folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(err, len(files))
		}
		for _, file := range files {
			if notInput.MatchString(filepath.Base(file)) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				continue // a folder
			}
			if len(text) > 1<<20 {
				text = text[:1<<20]
			}
			for _, kind := range []string{"analyze", "compat"} {
				job := engine.Job{Kind: kind, Inputs: []engine.Input{plain("x", text)}}
				options := map[string]any{"threshold": 5}
				if kind == "compat" {
					options["evaluated_at"] = "2026-01-01T00:00:00Z"
				}
				job.Options, _ = json.Marshal(options)
				want := alone(t.Context(), e, job, [][]byte{text})
				for _, workers := range []int{1, 2, 3, 7} {
					options["seed"] = r.Int64() // of hashes, under which the report is the same
					job.Options, _ = json.Marshal(options)
					job.Workers, job.Part = workers, 1+r.Int64N(int64(len(text))+100)
					in := []engine.Input{plain("x", text), pipe("x", text)}[r.IntN(2)]
					job.Inputs[0] = in
					if got := gathered(t.Context(), e, job); got != want && !sameError(got, want) {
						t.Fatalf("seed %d, %s %s, %d workers, parts of %d, file %v:\n%.1000s\nwant\n%.1000s", seed, kind, file, workers, job.Part, in.File != nil, got, want)
					}
				}
			}
		}
	}
}

// sameError allows for the name, which Gather knows earlier.
func sameError(got, want string) bool {
	return strings.HasPrefix(got, "error ") && strings.ReplaceAll(got, "x: ", "") == strings.ReplaceAll(want, "x: ", "")
}

// Arrays whose elements look as if they ended in the middle, arrays after arrays, and damaged ones.
func TestGatherArrays(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	e := engine.Native(nil)
	for round := range 200 {
		var b bytes.Buffer
		b.WriteByte('[')
		for i := range 60 {
			if i > 0 {
				b.WriteString([]string{",", ", ", ",\n "}[r.IntN(3)])
			}
			note := []string{"", `,"note":"a},{b"`, `,"list":[{"x":1},{"y":[{},{"z":2}]}]`, `,"n":null`}[r.IntN(4)]
			fmt.Fprintf(&b, `{"timestamp":%d,"client_ip":"192.0.2.%d","event_type":"retry","retry_interval_ms":%d%s}`, 1000*i, r.IntN(9), r.IntN(5000), note)
			switch r.IntN(400) {
			case 0:
				b.WriteString("]\n[")
			case 1:
				b.WriteString(`,{"timestamp":"x"`)
			case 2:
				b.WriteString(`,,`)
			}
		}
		b.WriteString([]string{"]", "]\n", "", "] x"}[min(3, r.IntN(12))])
		if r.IntN(10) == 0 {
			b.Truncate(b.Len() - r.IntN(200))
		}
		text := b.Bytes()
		for _, kind := range []string{"analyze", "compat"} {
			job := engine.Job{Kind: kind, Options: []byte("{}"), Inputs: []engine.Input{plain("x", text)}}
			want := alone(t.Context(), e, job, [][]byte{text})
			for _, workers := range []int{2, 3, 7} {
				job.Workers, job.Part = workers, 1+r.Int64N(1000)
				if got := gathered(t.Context(), e, job); got != want && !sameError(got, want) {
					t.Fatalf("seed %d, round %d, %s, %d workers:\n%.1000s\nwant\n%.1000s\n%s", seed, round, kind, workers, got, want, text)
				}
			}
		}
	}
}

// Several inputs at once; the first that fails, in order, is told.
func TestGatherSeveral(t *testing.T) {
	e := engine.Native(nil)
	text, err := os.ReadFile("../cmd/stormlint/sample.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.LastIndexByte(text[:len(text)/2], '\n') + 1
	texts := [][]byte{text[:half], text[half:], text[:1000]}
	for _, kind := range []string{"analyze", "compat"} {
		job := engine.Job{Kind: kind, Options: []byte("{}"), Part: 5000, Inputs: []engine.Input{plain("a", texts[0]), pipe("b", texts[1]), pipe("c", texts[2])}}
		want := alone(t.Context(), e, job, texts)
		for _, workers := range []int{1, 2, 5} {
			job.Workers = workers
			if got := gathered(t.Context(), e, job); got != want {
				t.Errorf("%s, %d workers:\n%.1000s\nwant\n%.1000s", kind, workers, got, want)
			}
		}
	}
	broken := pipe("b", nil)
	broken.Open = func() (io.ReadCloser, error) {
		return nil, &fault.Error{Code: fault.Unreadable, Source: "b", Message: "gone"}
	}
	for range 20 {
		job := engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: 3, Part: 5000, Inputs: []engine.Input{plain("a", texts[0]), broken, pipe("c", nil)}}
		if got := gathered(t.Context(), e, job); !strings.HasSuffix(got, "b: gone") {
			t.Fatal(got)
		}
	}
}

// What came before the damage counts, and the damage is told in the order of the inputs; or it is the error.
func TestGatherDamaged(t *testing.T) {
	text, err := os.ReadFile("../cmd/stormlint/sample.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	cut := pipe("cut", nil)
	cut.Open = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(text[:100_000]), failing{&fault.Error{Code: fault.BadSyntax, Source: "cut", Message: "damaged"}})), nil
	}
	e := engine.Native(nil)
	job := engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: 2, Part: 3000, Inputs: []engine.Input{cut}}
	want := alone(t.Context(), e, job, [][]byte{text[:100_000]})
	if got := gathered(t.Context(), e, job); got != "error cut: damaged" {
		t.Error(got)
	}
	var told []error
	job.Damaged = func(err error) { told = append(told, err) }
	if got := gathered(t.Context(), e, job); got != want || len(told) != 1 {
		t.Errorf("%v, %.500s", told, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Gather(ctx, job); !errors.Is(err, fault.Deadline) {
		t.Error(err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// A compressed pipe of several members, decompressed beside the parsing.
func TestGatherPipe(t *testing.T) {
	text, err := os.ReadFile("../cmd/stormlint/sample.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Repeat(text, 12) // beyond several pieces
	var packed bytes.Buffer
	for _, half := range [][]byte{text[:len(text)/3], text[len(text)/3:]} {
		z := gzip.NewWriter(&packed)
		z.Write(half)
		z.Close()
	}
	in := pipe("x", nil)
	in.Open = func() (io.ReadCloser, error) {
		z, err := gzip.NewReader(bytes.NewReader(packed.Bytes()))
		return z, err
	}
	e := engine.Native(nil)
	for _, kind := range []string{"analyze", "compat"} {
		job := engine.Job{Kind: kind, Options: []byte("{}"), Inputs: []engine.Input{in}}
		want := alone(t.Context(), e, job, [][]byte{text})
		for _, workers := range []int{1, 2, 3} {
			job.Workers = workers
			if got := gathered(t.Context(), e, job); got != want {
				t.Errorf("%s, %d workers: %.1000s\nwant\n%.1000s", kind, workers, got, want)
			}
		}
	}
}

// An input that holds nothing is told where others hold something, whatever its place, and is an error where none does.
func TestGatherVoid(t *testing.T) {
	text := []byte(element + "\n")
	nothing, blanks := pipe("nothing", nil), pipe("blanks", []byte(" \n"))
	for _, inputs := range [][]engine.Input{{nothing, pipe("x", text), blanks}, {pipe("x", text), nothing, blanks}, {nothing, blanks}, {nothing}} {
		for _, workers := range []int{1, 3} {
			var told []string
			job := engine.Job{Kind: "analyze", Options: []byte("{}"), Workers: workers, Inputs: inputs}
			if got := gathered(t.Context(), engine.Native(nil), job); !strings.Contains(got, "the input is empty") {
				t.Errorf("not asked to be told: %.200s", got)
			}
			job.Void = func(err error) { told = append(told, err.Error()) }
			got := gathered(t.Context(), engine.Native(nil), job)
			if len(inputs) < 3 {
				if got != "error nothing: the input is empty, expected a log" || told != nil {
					t.Errorf("%d inputs: %.200s, told %q", len(inputs), got, told)
				}
			} else if !strings.Contains(got, `"records":1,"used":1`) || len(told) != 2 || !strings.HasPrefix(told[0], "nothing: ") {
				t.Errorf("%.300s, told %q", got, told)
			}
		}
	}
}
