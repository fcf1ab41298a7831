package format

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// What is taken for ordinary at a glance is what the whole reading ignores.
func TestOrdinary(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/logs/*.log")
	var corpus [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		corpus = append(corpus, bytes.Split(data, []byte{'\n'})...)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := 0
	for range 200_000 {
		rec := bytes.Clone(corpus[r.IntN(len(corpus))])
		if n := bytes.Index(rec, []byte(`" 101 `)); n > 0 && r.IntN(2) == 0 {
			copy(rec[n:], `" 200 `)
		}
		for range r.IntN(3) {
			if len(rec) > 0 {
				rec[r.IntN(len(rec))] = `"\ -[]0123459/G`[r.IntN(15)]
			}
		}
		var quick clf
		if quick.quick(rec); !quick.ordinary() {
			continue
		}
		seen++
		for _, raw := range []bool{false, true} {
			var c clf
			var x exchange
			var b connlog.Batch
			b.Reset(rec)
			if !c.cut(rec, 0, raw) || !c.ident(rec) {
				t.Fatalf("%q does not fit", rec)
			}
			if reason, done := c.begin(&b, rec, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}}, &connlog.Setup{}, &x); !done || reason != connlog.Ignored {
				t.Fatalf("%q: %q", rec, reason)
			}
		}
	}
	if seen < 1000 {
		t.Fatalf("only %d lines", seen)
	}
}
