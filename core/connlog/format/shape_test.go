package format

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// allNames are the tables of names of the formats.
func allNames() map[string]func() *names {
	return map[string]func() *names{
		"json": jsonNames, "nginx": nginxNames, "caddy": caddyNames, "traefik": traefikNames,
		"group":  func() *names { return withMap(jsonNames(), &connlog.Setup{Group: "field:sdk.version"}) },
		"client": func() *names { return withMap(jsonNames(), &connlog.Setup{Group: "field:ip"}) },
		"nested": func() *names { return withMap(caddyNames(), &connlog.Setup{Group: "field:request.host"}) },
	}
}

// differ reads records with shapes remembered from each to the next, and without, and reports the first that differs.
func differ(t *testing.T, table *names, records [][]byte) {
	t.Helper()
	for _, rec := range records {
		var fast, slow document
		got := fast.read(rec, table)
		plain := *table
		plain.shapes = shapes{}
		want := slow.read(rec, &plain)
		if want == connlog.Used && !bytes.Equal(mend(nil, rec), rec) {
			t.Fatalf("%q needs no mending and becomes %q", rec, mend(nil, rec))
		}
		if got != want || want == connlog.Used && (fast.val != slow.val || fast.rank != slow.rank || fast.unit != slow.unit) {
			t.Fatalf("%q\nwith shapes    %q %v\nwithout        %q %v", rec, got, fast.val, want, slow.val)
		}
	}
}

// A record has the same roles whether it is taken apart along an earlier record's path or key by key.
func TestShapes(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/logs/*.ndjson")
	if len(files) < 10 {
		t.Fatal("no corpus")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	changed := 300
	if testing.Short() {
		changed = 60
	}
	for name, table := range allNames() {
		n := table().ready()
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			records := bytes.Split(data, []byte{'\n'})
			differ(t, n, records)
			for range changed { // and with bytes changed
				rec := bytes.Clone(records[r.IntN(len(records))])
				for range 1 + r.IntN(3) {
					if len(rec) > 0 {
						rec[r.IntN(len(rec))] = `"\{}[],:0-1eE.tfn x`[r.IntN(19)]
					}
				}
				differ(t, n, [][]byte{rec})
			}
		}
		if n.shapes.steps == 0 || n.shapes.steps > mostSteps {
			t.Errorf("%s: %d steps", name, n.shapes.steps)
		}
	}
}

func FuzzShapes(f *testing.F) {
	for _, s := range []string{
		`{"ts":1,"a":[1,"x"]}` + "\n" + `{"ts":12,"a":["y",2]}`,
		`{"ip":"1","ip":"2","status":null}` + "\n" + `{"ip":"-","ip":"","status":true}`,
		`{"source":{"ip":"a"}}` + "\n" + `{"source":"a"}` + "\n" + `{"source":[{"ip":"a"}]} `,
		`{"msg":"caf\u00e9","t":-0.1e5}` + "\n" + ` {"msg":"é","t":01}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, table := range allNames() {
			n := table().ready()
			lines := bytes.Split(data, []byte{'\n'})
			differ(t, n, append(lines, lines...))
		}
	})
}
