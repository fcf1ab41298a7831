package jitter

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
)

// delaysOf reads waits from bytes: nine each, a length that may be anything, an attempt, late hops.
func delaysOf(data []byte) (list []Delay) {
	for len(data) >= 9 {
		wait := time.Duration(binary.LittleEndian.Uint64(data))
		switch data[8] >> 6 {
		case 0:
			wait %= 100 * time.Second
		case 1:
			wait %= 100 * time.Millisecond
		case 2:
			wait = wait % 100 * time.Second
		}
		list = append(list, Delay{Wait: wait, Attempt: int32(data[8]>>2&15) - 1, Late: data[8] & 3})
		data = data[9:]
	}
	return list
}

// Whatever the waits, there is a verdict with sound figures, the same each time, whose SPEC can be read back.
func FuzzFit(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	seed := make([]byte, 0, 9*20)
	for i := range 20 {
		seed = binary.LittleEndian.AppendUint64(seed, uint64(1000<<min(i, 5))*uint64(time.Millisecond))
		seed = append(seed, byte(min(i+2, 15))<<2)
	}
	for o := range uint8(8) {
		f.Add(seed, o)
		f.Add(seed[:9*11], o)
	}
	f.Fuzz(func(t *testing.T, data []byte, options uint8) {
		o := Options{Resolution: []time.Duration{0, time.Millisecond, time.Second, time.Minute}[options&3], Lossy: options&4 > 0, Quiet: options&8 > 0}
		list := delaysOf(data)
		v := Fit(list, o)
		if v != Fit(list, o) && v.LogOdds == v.LogOdds {
			t.Fatalf("two answers to one question: %+v", v)
		}
		check(t, v)
		var s Sketch
		for i := range 5 {
			s.Add(uint64(i)<<60, list[min(len(list), i*3):])
		}
		check(t, s.Verdict(o).Verdict)
		for _, x := range s.Spreads() {
			if math.IsNaN(x) || x > 1 {
				t.Fatalf("spread %v", x)
			}
		}
	})
}

func check(t *testing.T, v Verdict) {
	t.Helper()
	for _, x := range []float64{v.LogOdds, v.Spread, v.Multiplier} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%+v", v)
		}
	}
	if v.Base < 0 || v.Cap < 0 || v.Width < 0 || v.Spread < 0 || v.Spread > 1 || v.Kind == Locked && v.Family.kind() != Locked {
		t.Fatalf("%+v", v)
	}
	if text := v.Spec(); text != "" {
		if _, err := backoff.Parse(text); err != nil {
			t.Fatalf("SPEC %s of %+v: %v", text, v, err)
		}
	}
}
