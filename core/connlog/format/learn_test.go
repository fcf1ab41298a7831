package format_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// mute hides what a format tells of its successes, so that Sniff reads every line.
type mute struct{ connlog.Format }

func (m mute) Configure(s *connlog.Setup) (connlog.Format, error) {
	f, err := m.Format.Configure(s)
	return mute{f}, err
}

// muteLearner is mute for a format that learns its layout.
type muteLearner struct{ mute }

func (m muteLearner) Learn(records [][]byte) string { return m.Format.(connlog.Learner).Learn(records) }

// A plan is the same whether all lines are read for their paths or only those that hold the format's telltale: over the
// corpus, and with bytes of it changed.
func TestTelltale(t *testing.T) {
	var muted []connlog.Format
	tellers := 0
	for _, f := range format.All() {
		if _, ok := f.(connlog.Teller); ok {
			tellers++
		}
		if _, ok := f.(connlog.Learner); ok {
			muted = append(muted, muteLearner{mute{f}})
		} else {
			muted = append(muted, mute{f})
		}
	}
	if tellers < 3 {
		t.Fatalf("%d formats have a telltale", tellers)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	files, _ := filepath.Glob(filepath.Join(corpus, "*"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rounds := 2
		if testing.Short() {
			rounds = 1
		}
		for round := range rounds {
			in := bytes.Clone(data)
			for range round * 40 {
				in[r.IntN(len(in))] = "\n\" 101[]/w"[r.IntN(10)]
			}
			full, err := connlog.Sniff(connlog.Catalogue{Formats: muted, Wrappers: wrapper.All()}, in, connlog.Options{})
			if err != nil {
				continue
			}
			quick, err := connlog.Sniff(connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}, in, connlog.Options{})
			if err != nil || !reflect.DeepEqual(full, quick) {
				t.Fatalf("%s, round %d: %v\n%s\n%s", file, round, err, quick.AppendJSON(nil), full.AppendJSON(nil))
			}
		}
	}
}
