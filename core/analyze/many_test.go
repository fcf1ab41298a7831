package analyze

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// stormLog is a log in our own form: clients that all lose their connections in one second, and come back after waits that
// double and are drawn. Each has a user agent of its own, the worst for whatever is kept by its words.
func stormLog(seed uint64, clients, waits int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	type line struct {
		at   int64 // ms
		text string
	}
	var lines []line
	for c := range clients {
		client := fmt.Sprintf(`"client_ip":"10.%d.%d.%d","user_agent":"App (build %d)"`, c>>16, c>>8&255, c&255, c)
		put := func(at int64, event string) {
			lines = append(lines, line{at, client + `,"event_type":"` + event + `"}`})
		}
		put(r.Int64N(60_000), "connect")
		at := 300_000 + r.Int64N(50)
		put(at, "disconnect")
		for k := range waits {
			at += r.Int64N(int64(1000) << min(k, 5))
			put(at, "retry")
		}
		put(at+100, "connect")
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var text []byte
	for _, l := range lines {
		text = append(text, `{"timestamp":"`...)
		text = civil.AppendRFC3339(text, int64(civil.Days(2026, 1, 1))*civil.Day+l.at*civil.Millisecond, civil.Millisecond)
		text = append(append(append(text, `",`...), l.text...), '\n')
	}
	return text
}

// What a client costs does not grow with how many there are: bytes allocated and steps of Finish, for 2,048 and for sixteen
// times as many clients (seed 1).
func TestManyClients(t *testing.T) {
	cost := func(clients int) (perClient float64, steps float64) {
		text := stormLog(1, clients, 4)
		in := sniffed(t, "storm.log", text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := New(Options{}, in.plan, connlog.Catalogue{}, Part{Name: "storm.log"})
		if err != nil {
			t.Fatal(err)
		}
		for chunk := range slices.Chunk(text, 1<<20) {
			if err := a.Feed(chunk); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for again := true; again; n++ {
			if again, err = a.Step(1 << 12); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(clients), float64(n) / float64(clients)
	}
	clients := 32768
	if testing.Short() {
		clients = 8192
	}
	few, fewSteps := cost(2048)
	many, manySteps := cost(clients)
	t.Logf("%.0f bytes and %.4f steps a client of 2,048; %.0f and %.4f of %d", few, fewSteps, many, manySteps, clients)
	if many > 1.25*few {
		t.Errorf("%.0f bytes a client of %d, %.0f of 2,048", many, clients, few)
	}
	if manySteps > 1.25*fewSteps {
		t.Errorf("%.4f steps a client of %d, %.4f of 2,048", manySteps, clients, fewSteps)
	}
}

// The report says that not everybody's waits were looked at one by one, and how many were not.
func TestFitLimitIsSaid(t *testing.T) {
	_, r := analyze(t, Options{}, string(stormLog(2, mostFitted+7, 6)))
	if said := strings.Join(r.Warnings, "\n"); !strings.Contains(said, "7 more are judged with their group") {
		t.Errorf("the warnings are %q", said)
	}
	_, r = analyze(t, Options{}, string(stormLog(2, 50, 6)))
	if said := strings.Join(r.Warnings, "\n"); strings.Contains(said, "judged with their group") {
		t.Errorf("the warnings are %q", said)
	}
	if !bytes.Contains(r.AppendJSON(nil), []byte(`"warnings"`)) {
		t.Error("no warnings in the JSON")
	}
}
