package abi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

// tally is a stream that counts bytes: small enough to see the seam itself.
type tally struct {
	refusal
	n, left int
	failure error
}

func (c *tally) feed(b []byte) ([]byte, error) {
	c.n += len(b)
	return nil, c.failure
}

func (c *tally) state() ([]byte, error) { return []byte(strings.Repeat("x", c.n)), nil }

func (c *tally) merge(b []byte) error {
	c.n += len(b)
	return nil
}

func (c *tally) step(budget int) ([]byte, bool, error) {
	c.left -= budget
	return []byte("-"), c.left > 0, nil
}

func (c *tally) finish() ([]byte, error) {
	return []byte(`{"n":` + strings.Repeat("1", c.n) + `}`), nil
}

func (c *tally) ask(q Question, request []byte) ([]byte, error) {
	if q == Page {
		return request, nil
	}
	return c.refusal.ask(q, request)
}

func TestHandles(t *testing.T) {
	var s Session
	first, err := s.add(&tally{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(first); err != nil {
		t.Fatal(err)
	}
	second, err := s.add(&tally{refusal: refusal{"tally"}})
	if err != nil {
		t.Fatal(err)
	}
	if second == first {
		t.Fatalf("handle %d was given out twice", first)
	}
	for _, h := range []Handle{0, first, second + 1, ^Handle(0)} {
		if _, err := s.Feed(h, nil); !errors.Is(err, fault.Closed) {
			t.Errorf("Feed(%d) = %v, want closed", h, err)
		}
	}
	if _, err := s.Feed(second, []byte("ab")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(second, Page, nil); !errors.Is(err, fault.BadUsage) {
		t.Errorf("Ask before Finish = %v, want bad-usage", err)
	}
	if b, err := s.Finish(second); err != nil || string(b) != `{"n":11}` {
		t.Errorf("Finish = %s, %v", b, err)
	}
	if _, err := s.Feed(second, nil); !errors.Is(err, fault.Closed) {
		t.Errorf("Feed after Finish = %v, want closed", err)
	}
	if b, err := s.Ask(second, Page, []byte("{}")); err != nil || string(b) != "{}" {
		t.Errorf("Ask = %s, %v", b, err)
	}
	if _, err := s.Ask(second, Series, nil); !errors.Is(err, fault.Unsupported) {
		t.Errorf("Ask(Series) = %v, want unsupported", err)
	}
	for range slots - 1 {
		if _, err := s.add(&tally{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.add(&tally{}); !errors.Is(err, fault.TooLarge) {
		t.Errorf("one stream too many = %v, want too-large", err)
	}
}

func TestInstance(t *testing.T) {
	var p Instance
	say := func(text string) int32 { return int32(copy(p.Reserve(int32(len(text))), text)) }
	h, _ := p.session.add(&tally{left: 3, refusal: refusal{"tally"}})
	if got := p.Feed(h, say("abc")); got != Done {
		t.Fatalf("Feed = %d: %s", got, p.Result())
	}
	for i, piece := range []string{"de", "", "f"} {
		if got := p.Merge(h, say(piece), i < 2); got != Done {
			t.Fatalf("Merge = %d: %s", got, p.Result())
		}
	}
	if p.Progress(h) != Done || string(p.Result()) != `{"records":0,"between":false}` {
		t.Errorf("Progress: %s", p.Result())
	}
	if p.Progress(h+1) != Failed {
		t.Errorf("Progress of nobody: %s", p.Result())
	}
	steps := 1
	for p.Step(h, 1) == Again && string(p.Result()) == "-" {
		steps++
	}
	if steps != 3 {
		t.Errorf("%d steps, want 3", steps)
	}
	if p.State(h) != Done || string(p.Result()) != "xxxxxx" {
		t.Errorf("State: %s", p.Result())
	}
	if p.Finish(h) != Done || string(p.Result()) != `{"n":111111}` {
		t.Errorf("Finish: %s", p.Result())
	}
	if p.Ask(h, Page, say("{}")) != Done || string(p.Result()) != "{}" {
		t.Errorf("Ask: %s", p.Result())
	}
	if p.Close(h) != Done || p.Close(h) != Failed {
		t.Errorf("Close twice: %s", p.Result())
	}
	for name, status := range map[string]Status{
		"length beyond the reserved": p.Call(0, 1<<20),
		"negative length":            p.Call(0, -1),
		"name beyond the input":      p.Call(3, 2),
		"negative name":              p.Call(-1, 2),
		"unknown operation":          p.Call(say("no-such"), 7),
	} {
		if status != Failed {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if p.Reserve(-1) != nil || p.Reserve(LargestInput+1) != nil {
		t.Error("Reserve outside its range gave a buffer")
	}
	if len(p.Reserve(0)) == 0 {
		t.Error("Reserve(0) has no address")
	}
}

// A failed call's result is the error envelope, with the words of the fault.
func TestEnvelope(t *testing.T) {
	var p Instance
	h, _ := p.session.add(&tally{failure: &fault.Error{Code: fault.BadValue, Package: "connlog", Source: "a\"b", Record: 7, Line: 12,
		Field: "event_type", Value: `"open"`, Expected: "retry", Message: "m"}})
	p.Reserve(1)
	if p.Feed(h, 1) != Failed {
		t.Fatal("no failure")
	}
	want := `{"code":"bad-value","text":"connlog: a\"b: record 7, line 12: m: event_type is \"open\", expected retry","package":"connlog",` +
		`"message":"m","source":"a\"b","record":7,"line":12,"field":"event_type","value":"\"open\"","expected":"retry"}`
	if got := string(p.Result()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(AppendError(nil, errors.New("odd"))); !strings.HasPrefix(got, `{"code":"crashed","text":"abi: odd"`) {
		t.Errorf("a foreign error: %s", got)
	}
}

func TestVersion(t *testing.T) {
	var s Session
	b, err := s.Call("version", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ABI        int
		Version    string
		Operations []string
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if got.ABI != Number || got.Version != Product || len(got.Operations) != len(operations()) {
		t.Errorf("version = %s", b)
	}
}

// Whatever the other side sends, the seam answers with JSON or an error of a known form, and never panics.
func FuzzInstance(f *testing.F) {
	for _, o := range operations() {
		f.Add([]byte(o.name), []byte("{}"), []byte{0, 1, 2, 3, 4, 5, 6, 7})
	}
	for _, s := range streams() {
		f.Add([]byte(s.name), []byte("{}\n[]"), []byte{0, 1, 1, 2, 3, 4, 5, 6, 7})
	}
	f.Fuzz(func(t *testing.T, name, request, script []byte) {
		var p Instance
		whole := append(append([]byte{}, name...), request...)
		fill := func() int32 { return int32(copy(p.Reserve(int32(len(whole))), whole)) }
		check := func(s Status) {
			if s == Failed && !json.Valid(p.Result()) {
				t.Fatalf("the error is not JSON: %q", p.Result())
			}
		}
		status := p.Call(int32(len(name)), fill())
		check(status)
		h := p.Open(int32(len(name)), fill())
		for i, c := range script {
			if i > 64 {
				break
			}
			n := fill()
			switch c % 12 {
			case 0, 1:
				check(p.Feed(h, n))
			case 2:
				if p.State(h) == Done {
					state := append([]byte{}, p.Result()...)
					copy(p.Reserve(int32(len(state))), state)
					check(p.Merge(h, int32(len(state)), false))
				}
			case 3:
				check(p.Merge(h, n, c%2 == 0))
			case 4:
				check(p.Progress(h))
				check(p.Step(h, int32(c)))
			case 5:
				check(p.Finish(h))
			case 6:
				check(p.Ask(h, Page, n))
			case 7:
				check(p.Ask(h, Series, n))
			case 8:
				check(p.Ask(h, Client, n))
			case 9:
				check(p.Close(h))
			case 10:
				h += Handle(c)
			case 11:
				check(p.Feed(h, int32(c)-20))
			}
		}
	})
}
