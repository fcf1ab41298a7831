package storm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/core/stat"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// attempts tells a witness what twelve programs do after a drop at begin: rejected attempts after the waits, the last accepted.
func attempts(w *witness, begin time.Time, wait func(client, attempt int) time.Duration) {
	for c := range w.programs {
		path := fmt.Sprint("/client/", c)
		at := begin
		for k := 1; k <= 5; k++ {
			at = at.Add(wait(c, k))
			sight := gateway.Rejected
			if k == 5 {
				sight = gateway.Opened
			}
			w.see(gateway.Sighting{Sight: sight, Path: path, Begin: at, End: at.Add(time.Millisecond)})
			at = at.Add(time.Millisecond)
		}
	}
}

// What is told is judged: the same waits for all are in step, waits that are drawn are not.
func TestWitness(t *testing.T) {
	begin := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		wait   func(client, attempt int) time.Duration
		locked bool
	}{
		{"in step", func(_, k int) time.Duration { return time.Second << (k - 1) }, true},
		{"late by up to 4 ms", func(c, k int) time.Duration {
			return time.Second<<(k-1) + time.Duration(stat.Draw(1, uint64(c), uint64(k))%4e6)
		}, true},
		{"full jitter", func(c, k int) time.Duration {
			return time.Duration(stat.Unit(stat.Draw(2, uint64(c), uint64(k))) * float64(time.Second<<(k-1)))
		}, false},
	} {
		w := newWitness(12)
		for i := range w.programs {
			w.see(gateway.Sighting{Sight: gateway.Opened, Path: fmt.Sprint("/client/", i), Begin: begin.Add(-time.Second), End: begin.Add(-time.Second)})
		}
		if !w.connected() {
			t.Error(c.name, "not all connected")
		}
		w.drop(begin, func() int {
			for i := range w.programs {
				w.see(gateway.Sighting{Sight: gateway.Closed, Path: fmt.Sprint("/client/", i), Begin: begin.Add(-time.Second), End: begin})
			}
			return 12
		})
		attempts(w, begin, c.wait)
		if !w.returned() {
			t.Error(c.name, "not all returned")
		}
		b := w.collect()
		if b.Dropped != 12 || b.Back != 12 || b.Failed != 48 || b.Errors["503"] != 48 {
			t.Errorf("%s: %+v", c.name, b)
		}
		if got, want := w.runs.Delays[3][2], c.wait(3, 3); got != want {
			t.Errorf("%s: third wait of client 3 is %v, want %v", c.name, got, want)
		}
		w.runs.Resolution = w.lag.resolution()
		r, err := lint.Observed([]lint.Runs{w.runs}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		locked := false
		for _, f := range r.Findings {
			locked = locked || f.Rule == "growth-locked"
		}
		if locked != c.locked || w.runs.Parallel != 1 {
			t.Errorf("%s: growth-locked %v, %d at once: %v", c.name, locked, w.runs.Parallel, r.Findings)
		}
	}
}

// Handshakes at other paths, programs that end and programs that are never seen are told.
func TestWitnessNotes(t *testing.T) {
	w := newWitness(3)
	w.see(gateway.Sighting{Sight: gateway.Opened, Path: "/elsewhere"})
	w.see(gateway.Sighting{Sight: gateway.Opened, Path: "/client/3"})
	w.see(gateway.Sighting{Sight: gateway.Opened, Path: "/client/1/socket"})
	w.programEnded(keeper.Event{Program: 2, Status: "exit status 1", Said: "no route"})
	want := []string{
		"2 programs never connected",
		"1 program ended before the storm did, the first of them client 2: exit status 1: no route",
		"2 handshakes came to another path than the one given, and nobody knows whose they are",
	}
	if got := w.notes(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	if w.strays != 2 || !w.programs[1].ever || w.connects(time.Second) != nil {
		t.Errorf("%d strays, %v", w.strays, w.connects(time.Second))
	}
}

// A machine that is late makes waits coarse.
func TestLag(t *testing.T) {
	var l lag
	if d := l.resolution(); d != finest {
		t.Errorf("unmeasured: %v", d)
	}
	for i := range 200 {
		l.late = append(l.late, time.Duration(i)*time.Millisecond)
	}
	if d := l.resolution(); d != 396*time.Millisecond {
		t.Errorf("%v, want twice 198 ms", d)
	}
}
