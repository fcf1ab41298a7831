package jitter

import (
	"math/rand/v2"
	"testing"
	"time"
)

func waits(ms ...float64) []Delay {
	list := make([]Delay, len(ms))
	for i, x := range ms {
		list[i] = Delay{Wait: time.Duration(x * 1e6), Attempt: int32(i + 1)}
	}
	return list
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name   string
		delays []Delay
		o      Options
		kind   Kind
		family Family
		base   time.Duration
		spec   string
	}{
		{"too few", waits(1000, 2000, 4000, 8000), Options{}, Undecided, Unknown, 0, ""},
		{"doubling", waits(1041, 2055, 4032, 8070, 16049, 30044, 30061, 30038, 30090, 30052), Options{}, Locked, Exponential, time.Second, "exp:1s:30s:2"},
		{"fixed", waits(5041, 5055, 5032, 5070, 5049, 5044, 5061), Options{}, Locked, Fixed, 5 * time.Second, "fixed:5s"},
		{"linear", waits(2041, 4055, 6032, 8070, 10049, 12044, 14061), Options{}, Locked, Linear, 2 * time.Second, "linear:2s:5m0s"},
		{"no wait", waits(41, 55, 32, 70, 49, 44, 61, 38, 90, 52), Options{}, Locked, Immediate, 0, "immediate"},
		{"whole seconds", waits(2000, 3000, 3000, 2000, 3000, 3000, 3000, 2000, 3000, 3000), Options{Resolution: time.Second}, Locked, Fixed, 2650 * time.Millisecond, "fixed:2.65s"},
	} {
		v := Fit(c.delays, c.o)
		if v.Kind != c.kind || v.Family != c.family {
			t.Errorf("%s: %v %v (log odds %.1f), want %v %v", c.name, v.Kind, v.Family, v.LogOdds, c.kind, c.family)
			continue
		}
		if off := v.Base - c.base; off < -50*time.Millisecond || off > 50*time.Millisecond {
			t.Errorf("%s: base %v, want %v", c.name, v.Base, c.base)
		}
		_ = c.spec
	}
}

// A gateway that closes a second late must not turn a hot loop into a backoff of a second with confidence in its base,
// nor full jitter into equal jitter where other waits tell the truth.
func TestLateClose(t *testing.T) {
	late := func(list []Delay, every int) []Delay {
		for i := range list {
			if i%every == 0 {
				list[i].Late, list[i].Attempt = 1, 1
				list[i].Wait += time.Second
			} else {
				list[i].Attempt = int32(i%every + 1)
			}
		}
		return list
	}
	// Every session is accepted and cut: only late waits. Base 0.2 or 1.2 s, in step either way.
	v := Fit(late(waits(241, 255, 232, 270, 249, 244, 261, 238, 290, 252), 1), Options{})
	if v.Kind != Locked {
		t.Errorf("fixed:200ms behind a late close: %v %v base %v", v.Kind, v.Family, v.Base)
	}
	// Four refusals after every cut: the refusals have exact waits.
	r := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		list := late(seen(r, rule{family: Full, base: 2000, cap: 2000, m: 1}.delays(r, 40), 1, 0), 5)
		if v := Fit(list, Options{Resolution: time.Millisecond}); v.Kind != Jittered || v.Family != Full {
			t.Errorf("full jitter behind a late close: %v %v offset %v spread %v", v.Kind, v.Family, v.Offset, v.Spread)
		}
	}
}

func TestGroups(t *testing.T) {
	groups, singles, flagged, wrong := 0, 0, 0, 0
	for _, n := range []int{10, 20, 50} {
		for i := range 400 {
			r := rand.New(rand.NewPCG(3, uint64(n*1000+i)))
			f := []Family{Fixed, Linear, Exponential}[i%3]
			x := draw(r, f)
			groups++
			if IsGroup(together(r, x, 3, n), Options{}) {
				flagged++
			}
			single := draw(r, eight[i%8])
			singles++
			if IsGroup(seen(r, single.delays(r, n), 1, 0), Options{}) {
				wrong++
			}
		}
	}
	t.Logf("seed 3: groups of three flagged %d of %d, single clients %d of %d", flagged, groups, wrong, singles)
	if flagged*100 < groups*99 || wrong*1000 > singles {
		t.Errorf("flagged %d of %d groups and %d of %d single clients", flagged, groups, wrong, singles)
	}
}

// together is what one key shows of several clients that were cut off at one instant.
func together(r *rand.Rand, x rule, clients, n int) []Delay {
	type try struct{ start, end float64 }
	var all []try
	for range clients {
		now := way(r)
		for _, w := range x.delays(r, n) {
			now += w + way(r)
			start := now
			now += way(r)
			all = append(all, try{start, now})
		}
	}
	for i := range all {
		for j := i; j > 0 && all[j].start < all[j-1].start; j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	var list []Delay
	end := 0.0
	for i, a := range all[:n] {
		list = append(list, Delay{Wait: time.Duration(max(0, a.start-end) * 1e6), Attempt: int32(i + 1)})
		end = a.end
	}
	return list
}

func TestFitAllocatesNothing(t *testing.T) {
	list := waits(1041, 2055, 4032, 8070, 16049, 30044, 30061)
	if n := testing.AllocsPerRun(20, func() { Fit(list, Options{}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
