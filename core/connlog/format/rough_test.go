package format

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// A broken record gives the same whether it is read along an earlier one's path or mended and read key by key.
func TestRough(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/logs/own-nginx-broken.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	records := bytes.Split(data, []byte{'\n'})
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	configured := func() NginxJSON {
		f, err := NginxJSON{}.Configure(&connlog.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		f.(NginxJSON).names.broken = true
		return f.(NginxJSON)
	}
	read := func(f NginxJSON, rec []byte) (connlog.Reason, []string) {
		var b connlog.Batch
		b.Reset(rec)
		reason := f.Read(&b, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
		var events []string
		for i := range b.Events {
			events = append(events, string(connlog.Append(nil, &b, &b.Events[i])))
		}
		return reason, events
	}
	learned := configured()
	rough := 0
	rounds := 6000
	if testing.Short() {
		rounds = 2000
	}
	for round := range rounds {
		rec := bytes.Clone(records[r.IntN(len(records))])
		if round > 100 {
			for range r.IntN(3) {
				if len(rec) > 0 {
					rec[r.IntN(len(rec))] = `"\{}[],:0-1eE.tfnxu x`[r.IntN(21)]
				}
			}
		}
		var d document
		if d.readRough(rec, learned.names) {
			rough++
		}
		got, events := read(learned, rec)
		want, wanted := read(configured(), rec)
		if got != want || !reflect.DeepEqual(events, wanted) {
			t.Fatalf("%q\nas learned %q %v\nelse       %q %v", rec, got, events, want, wanted)
		}
	}
	if rough < rounds/6 || learned.names.rough.steps > mostSteps {
		t.Errorf("%d along a path, of %d steps", rough, learned.names.rough.steps)
	}
}
