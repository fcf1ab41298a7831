package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/wasm/abi"
)

var corpus = flag.String("corpus", "", "write the digests of the corpus' answers into this folder, a file an engine")

const testdata = "../../testdata"

// notInput are the files that stand beside inputs.
var notInput = regexp.MustCompile(`\.(md|txt|events|expected\.json)$|^validation\.json$`)

// corpusCase is a line of testdata/corpus/cases.json.
type corpusCase struct {
	Name    string
	Call    string
	Request json.RawMessage
	Stream  string
	Options map[string]any
	Inputs  []string
	Each    string
	Split   int
	Ask     [][2]json.RawMessage
	Fails   string // the beginning of the error that is the answer
}

// cases reads the corpus, with a case for each file of a folder.
func cases(t *testing.T) []corpusCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "corpus", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var written, all []corpusCase
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	for _, c := range written {
		if c.Each == "" {
			all = append(all, c)
			continue
		}
		entries, err := os.ReadDir(filepath.Join(testdata, c.Each))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if n := e.Name(); !e.IsDir() && !notInput.MatchString(n) {
				one := c
				one.Name, one.Inputs = c.Name+": "+n, []string{c.Each + "/" + n}
				all = append(all, one)
			}
		}
	}
	return all
}

// answer gives everything an engine says to a case.
func (c *corpusCase) answer(ctx context.Context, e *engine.Engine) []byte {
	var out bytes.Buffer
	if err := c.ask(ctx, e, &out); err != nil {
		var f *fault.Error
		errors.As(err, &f)
		fmt.Fprintf(&out, "\nerror %s %s", f.Code, f)
	}
	return out.Bytes()
}

func (c *corpusCase) ask(ctx context.Context, e *engine.Engine, out *bytes.Buffer) error {
	if c.Call != "" {
		b, err := e.Call(ctx, c.Call, c.Request)
		out.Write(b)
		return err
	}
	var streams []*engine.Stream
	defer func() {
		for _, s := range streams {
			s.Close()
		}
	}()
	for source, input := range c.Inputs {
		text, err := os.ReadFile(filepath.Join(testdata, input))
		if err != nil {
			return &fault.Error{Code: fault.Unreadable, Message: err.Error()}
		}
		options := []byte("{}")
		if c.Options != nil {
			options, _ = json.Marshal(c.Options)
		}
		parts, plan := [][]byte{text}, []byte("null")
		if c.Split > 1 {
			if plan, err = e.Call(ctx, "sniff", append(append(options, '\n'), text...)); err != nil {
				return err
			}
			parts = split(text, plan, c.Split)
		}
		for index, part := range parts {
			request := map[string]any{"options": json.RawMessage(options), "part": map[string]any{"source": source, "index": index, "name": filepath.Base(input)}}
			if c.Split > 1 {
				request["plan"] = json.RawMessage(plan)
			}
			line, err := json.Marshal(request)
			if err != nil {
				return err
			}
			s, err := e.Open(ctx, c.Stream, line)
			if err != nil {
				return err
			}
			streams = append(streams, s)
			s.Out = out
			if err := s.Feed(ctx, part); err != nil {
				return err
			}
		}
	}
	for i := len(streams) - 1; i > 0; i-- {
		state, err := streams[i].State(ctx)
		if err == nil {
			err = streams[0].Merge(ctx, state)
		}
		if err != nil {
			return err
		}
	}
	if err := streams[0].FinishTo(ctx, out); err != nil {
		return err
	}
	for _, q := range c.Ask {
		var question abi.Question
		if err := json.Unmarshal(q[0], &question); err != nil {
			return err
		}
		b, err := streams[0].Ask(ctx, question, q[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s", b)
	}
	return nil
}

// split cuts lines into about equal parts; what cannot be cut stays whole.
func split(text, plan []byte, n int) [][]byte {
	var p struct {
		Framing string
		Joined  bool
	}
	if json.Unmarshal(plan, &p) != nil || p.Framing != "lines" || p.Joined {
		return [][]byte{text}
	}
	var parts [][]byte
	from := 0
	for i := 1; i < n; i++ {
		at := max(from, len(text)*i/n)
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		parts = append(parts, text[from:at+end+1])
		from = at + end + 1
	}
	return append(parts, text[from:])
}

// Every case gives the same bytes natively and in the sandbox; with -corpus the digests are written, so that the other
// environments are compared with them.
func TestCorpus(t *testing.T) {
	all := cases(t)
	native := map[string][]byte{}
	both(t, func(t *testing.T, e *engine.Engine) {
		way := map[bool]string{true: "native", false: "wazero"}[len(native) == 0]
		var digests bytes.Buffer
		for _, c := range all {
			got := c.answer(t.Context(), e)
			if way == "native" {
				native[c.Name] = got
			} else if !bytes.Equal(got, native[c.Name]) {
				t.Errorf("%s: the module says\n%.600s\nnative\n%.600s", c.Name, got, native[c.Name])
			}
			_, failure, failed := bytes.Cut(got, []byte("\nerror "))
			if failed != (c.Fails != "") || !strings.HasPrefix(string(failure), c.Fails) {
				t.Errorf("%s: the answer ends with the error %q, want %q", c.Name, failure, c.Fails)
			}
			fmt.Fprintf(&digests, "%x %d %s\n", sha256.Sum256(got), len(got), c.Name)
		}
		if *corpus != "" {
			if err := os.WriteFile(filepath.Join(*corpus, way+".txt"), digests.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}
