package analyze

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

// What Merge would refuse, Absorb refuses, and both analyzers are as good as before.
func TestAbsorbRefuses(t *testing.T) {
	in := sniffed(t, "a", []byte(`{"timestamp":1000,"client_ip":"192.0.2.1","event_type":"connect"}`+"\n"))
	read := func(o Options, part Part) *Analyzer {
		a, err := New(o, in.plan, every, part)
		if err == nil {
			err = a.Feed(in.text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := read(Options{}, Part{Name: "a"})
	for name, b := range map[string]*Analyzer{
		"other options": read(Options{Since: 1}, Part{Index: 1, Name: "a"}),
		"the same part": read(Options{}, Part{Name: "a"}),
		"itself":        a,
	} {
		if err := a.Absorb(b); !errors.Is(err, fault.BadState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := read(Options{}, Part{Index: 1, Name: "a"})
	if err := a.Absorb(b); err != nil {
		t.Fatal(err)
	}
	if err := a.Absorb(b); !errors.Is(err, fault.BadState) {
		t.Errorf("twice: %v", err)
	}
	if _, err := b.State(); !errors.Is(err, fault.BadState) {
		t.Errorf("used up: %v", err)
	}
	whole := read(Options{}, Part{Name: "a"})
	state, err := read(Options{}, Part{Index: 1, Name: "a"}).State()
	if err == nil {
		err = whole.Merge(state)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, want := everything(a), everything(whole); !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := a.Absorb(read(Options{}, Part{Index: 2, Name: "a"})); !errors.Is(err, fault.Closed) {
		t.Errorf("finished: %v", err)
	}
}
