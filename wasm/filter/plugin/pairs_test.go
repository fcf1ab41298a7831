//go:build !wasm

package plugin

import (
	"testing"

	"github.com/stormlint/stormlint/wasm/filter/door"
)

const all = ^uint64(0)

func TestPairs(t *testing.T) {
	list := appendPairs(nil, []door.Header{{Name: ":path", Value: []byte("/ws")}, {Name: "x-empty"}, {Name: "x-odd", Value: []byte("\xff\x00")}})
	got, ok := parsePairs(list, all, nil)
	if want := [][2]string{{":path", "/ws"}, {"x-empty", ""}, {"x-odd", "\xff\x00"}}; !ok || len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%q %v", got, ok)
	}
	if got, ok = parsePairs(list, 1<<len("x-empty"), got[:0]); !ok || len(got) != 1 || got[0][0] != "x-empty" {
		t.Errorf("those of a wanted length: %q %v", got, ok)
	}
	for n := range len(list) {
		if got, ok := parsePairs(list[:n], all, nil); ok && n > 0 {
			t.Errorf("cut at %d: %q", n, got)
		}
	}
	for _, bad := range []string{"\xff\xff\xff\xff", "\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff  ", "\x01\x00\x00\x00\x01\x00\x00\x00\xfe\xff\xff\xff  "} {
		if got, ok := parsePairs([]byte(bad), all, nil); ok {
			t.Errorf("%q: %q", bad, got)
		}
	}
}

// A stream that a host ends twice is used again once; what it does not know is nobody's.
func TestEndedTwice(t *testing.T) {
	p := &plugin{clocks: clocks{wall: func() int64 { return 1 }}}
	w := &worker{}
	w.create(1, 0)
	w.plugins[1], w.last = p, context{}
	w.create(2, 1)
	w.streams.find(2).stream = p.stream()
	w.end(2)
	w.end(2)
	w.response(2)
	if w.request(2) || w.configure(9, 0) {
		t.Error("a number that nobody has does something")
	}
	w.tick(9)
	if a, b := p.stream(), p.stream(); len(p.idle) != 0 || a == b {
		t.Error("two requests share a stream")
	}
	w.end(1)
	if w.create(3, 1); w.streams.find(3) != nil || w.plugin(1) != nil {
		t.Error("a configuration lives on after its end")
	}
}

func FuzzPairs(f *testing.F) {
	f.Add(appendPairs(nil, []door.Header{{Name: ":method", Value: []byte("GET")}, {Name: "upgrade", Value: []byte("websocket")}}))
	f.Add([]byte("\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, list []byte) {
		pairs, ok := parsePairs(list, all, nil)
		if !ok {
			return
		}
		headers := make([]door.Header, len(pairs))
		for i, p := range pairs {
			headers[i] = door.Header{Name: p[0], Value: []byte(p[1])}
		}
		again, ok := parsePairs(appendPairs(nil, headers), all, nil)
		if !ok || len(again) != len(pairs) {
			t.Fatalf("%q written and read is %q", pairs, again)
		}
		for i := range pairs {
			if again[i] != pairs[i] {
				t.Errorf("%q written and read is %q", pairs[i], again[i])
			}
		}
	})
}
