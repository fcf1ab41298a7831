package analyze

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/report"
)

// Judging again gives the report of a new reading under the new options, whatever the log and however often.
func TestAgain(t *testing.T) {
	var logs [][]input
	for _, in := range corpusLogs(t) {
		logs = append(logs, []input{in})
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	list := fleetOf(r, 8, 10*time.Minute, true)
	logs = append(logs, []input{sniffed(t, "edge", edgeLog(list, func(int) string { return "" })),
		sniffed(t, "app", appLog(list, func(v visit) string { return "192.0.2.9:1" }))})
	for range 10 {
		logs = append(logs, []input{sniffed(t, "a", randomLog(r, 120)), sniffed(t, "b", randomLog(r, 120))})
	}
	for _, inputs := range logs {
		a := merged(t, Options{Capacity: 3, Protocol: "discord", Top: 2}, inputs)
		everything(a)
		if a.finished == nil { // nothing in it can be read
			if err := a.Again(Options{}); !isCode(err, fault.BadUsage) {
				t.Error(inputs[0].name, err)
			}
			continue
		}
		marks := []report.Mark{{At: a.from + 1e9, Label: "deploy"}, {At: a.from, Label: "first"}}
		for _, o := range []Options{{}, {Capacity: 0.5, Threshold: 3, Budget: 10, Top: -1, Probes: true, Marks: marks}, {Protocol: "pusher", Capacity: 1e6}} {
			if err := a.Again(o); err != nil {
				t.Fatal(inputs[0].name, err)
			}
			if got, want := everything(a), whole(t, o, inputs); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s, %+v: judged again\n%.400s\na new reading\n%.400s", seed, inputs[0].name, o, got, want)
			}
		}
	}
}

// What decides which events there are stays New's, and nothing is judged again before it was judged.
func TestAgainRefuses(t *testing.T) {
	in := sniffed(t, "log", randomLog(rand.New(rand.NewPCG(1, 1)), 50))
	a := merged(t, Options{Key: ByConn, Since: 5}, []input{in})
	if err := a.Again(Options{}); !isCode(err, fault.BadUsage) {
		t.Errorf("before Finish: %v", err)
	}
	everything(a)
	if err := a.Again(Options{Capacity: -1}); !isCode(err, fault.BadValue) {
		t.Errorf("a capacity below 0: %v", err)
	}
	if err := a.Again(Options{Protocol: "none"}); err == nil {
		t.Error("an unknown protocol was taken")
	}
	if err := a.Again(Options{Key: ByIP}); err != nil || a.options.Key != ByConn || a.options.Since != 5 {
		t.Errorf("the reading's options changed: %+v (%v)", a.options, err)
	}
	b, err := New(Options{}, &connlog.Plan{}, every, Part{})
	if err != nil || b.Again(Options{}) == nil {
		t.Errorf("an analyzer that has read nothing was judged again (%v)", err)
	}
}

func isCode(err error, code fault.Code) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == code
}
