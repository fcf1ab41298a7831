package fleet

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var full = flag.Bool("accuracy", false, "run the whole accuracy tables (./build.sh bench accuracy)")

func TestFalseAlarms(t *testing.T) {
	const seed = 20261130
	nulls, allowed := 90, 1
	if *full {
		nulls, allowed = 2000, 6
	}
	alarms, spurious := 0, 0
	for i := range nulls {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		resolution := []int64{1_000_000, second}[i%2]
		length, rate := []int64{120, 3600, 86400}[i%3]*second, []float64{8, 2, 0.2}[i%3]*(0.5+r.Float64())
		var c Counts
		from := day0 + r.Int64N(86400*second)
		swing(r, &c, from, from+length, rate, resolution)
		o := Options{Resolution: resolution}
		if h := Clumping(&c, o); h.Clumped {
			alarms++
		}
		spurious += len(Waves(&c, o)) + len(Periodic(&c, o))
	}
	t.Logf("seed %d: %d false alarms in %d logs without a herd, daily swing of a half, at 0.1 %%; %d waves and beats in them", seed, alarms, nulls, spurious)
	if alarms > allowed || spurious > allowed {
		t.Errorf("%d false alarms, %d waves and beats; at most %d", alarms, spurious, allowed)
	}
}

func TestPower(t *testing.T) {
	const seed = 7
	runs := 20
	if *full {
		runs = 200
	}
	for _, rule := range rules {
		for _, clients := range []int{10, 100} {
			for _, resolution := range []int64{1_000_000, second} {
				found := 0
				factor := 0.0
				for i := range runs {
					r := rand.New(rand.NewPCG(seed, uint64(clients*1000+i)))
					var c Counts
					at := day0 + r.Int64N(86400*second)
					herd(r, &c, at, clients, 8, resolution, rule.wait)
					swing(r, &c, at-60*second, at+120*second, float64(clients)*8/120, resolution)
					h := Clumping(&c, Options{Resolution: resolution})
					if h.Clumped {
						found++
					}
					for _, s := range h.Scales {
						factor = max(factor, s.Factor)
					}
				}
				t.Logf("%-20s %3d clients, stamps %4d ms: found %d of %d, factor up to %.0f", rule.name, clients, resolution/1_000_000, found, runs, factor)
				if clients == 100 && found < runs {
					t.Errorf("%s: a herd of 100 clients was missed %d times of %d", rule.name, runs-found, runs)
				}
			}
		}
	}
}

// A storm of a minute in a day of ordinary traffic must be found as surely as alone.
func TestStormInADay(t *testing.T) {
	for i := range 10 {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		var c Counts
		swing(r, &c, day0, day0+86400*second, 1, 1_000_000)
		at := day0 + 3600*second*int64(2+2*i)
		herd(r, &c, at, 150, 6, 1_000_000, rules[1].wait)
		h := Clumping(&c, Options{})
		if !h.Clumped {
			t.Errorf("run %d: not found, p %g", i, h.P)
			continue
		}
		worst := h.Scales[0]
		for _, s := range h.Scales {
			if s.P < worst.P {
				worst = s
			}
		}
		if worst.From > at+segment || worst.From < at-segment {
			t.Errorf("run %d: found at %d s, the storm is at %d s", i, (worst.From-day0)/second, (at-day0)/second)
		}
		waves := Waves(&c, Options{})
		if len(waves) < 4 || waves[0].From > at+3*second || waves[0].From < at || waves[0].Width > 2*second {
			t.Errorf("run %d: waves %+v", i, waves)
		}
	}
}

// The moving sums against every block of a dense array.
func TestClumpingOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var c Counts
	dense := make([]uint64, 8*240) // eighths of a second
	start := floorDiv(day0, segment) * segment
	for range 3000 {
		i := r.IntN(len(dense))
		if r.IntN(4) == 0 {
			i = 400 + r.IntN(8)
		}
		dense[i]++
		c.Add(start+int64(i)*finest, 1)
	}
	h := Clumping(&c, Options{})
	for k, s := range h.Scales {
		size := 1 << k
		var oracle [2]float64 // blocks laid from the start, and one bin earlier
		for laid := range oracle {
			squares, events := 0.0, 0.0
			for b := -laid * size; b+4*size <= len(dense); b += 4 * size {
				if b <= 0 || b+4*size > len(dense)-4*size*(1-laid) && b+4*size >= len(dense)-laid*size {
					continue // the log's ends
				}
				var n [4]float64
				for i := range 4 * size {
					n[i/size] += float64(dense[b+i])
				}
				if sum := n[0] + n[1] + n[2] + n[3]; sum >= 2 {
					d := n[0] - n[1] - n[2] + n[3]
					squares += d * d
					events += sum
				}
			}
			oracle[laid] = squares / events
		}
		if math.Abs(s.Factor-oracle[0]) > 1e-9 && math.Abs(s.Factor-oracle[1]) > 1e-9 {
			t.Errorf("scale %d: factor %v, oracle %v", k, s.Factor, oracle)
		}
	}
}

func TestPeriodic(t *testing.T) {
	// 1,500 devices that report every 10 minutes, all due within 30 s, and ordinary traffic beside them.
	r := rand.New(rand.NewPCG(3, 3))
	var c Counts
	for cycle := range int64(12) {
		for range 1500 {
			c.Add(day0+cycle*600*second+200*second+r.Int64N(30*second), 1)
		}
	}
	swing(r, &c, day0, day0+7200*second, 2, 1_000_000)
	list := Periodic(&c, Options{})
	if len(list) != 1 || list[0].Length != 600*second || list[0].Share < 0.5 {
		t.Fatalf("beats %+v", list)
	}
	offset := (day0 + 200*second) % (600 * second)
	if d := offset - list[0].Offset; d < 0 || d > 60*second {
		t.Errorf("offset %d s, want %d s within a tenth", list[0].Offset/second, offset/second)
	}
}

func TestCapacityAndStall(t *testing.T) {
	var tried, open Counts
	for s := range int64(1200) {
		at := day0 + s*second
		n, ok := uint32(5), uint32(5)
		if s >= 600 && s < 800 {
			n, ok = 60, 1
		}
		if s >= 800 && s < 830 {
			n, ok = 60, 40
		}
		tried.Add(at, n)
		open.Add(at, ok)
	}
	if c := CapacitySeen(&open); c != 40 {
		t.Errorf("capacity seen %v", c)
	}
	list := Stalls(&tried, &open)
	if len(list) != 1 || list[0].From != day0+600*second || list[0].To != day0+800*second {
		t.Errorf("stalls %+v", list)
	}
}

func TestLifetimes(t *testing.T) {
	var a, b, whole Lifetimes
	for i := range int64(1000) {
		life := 300*second + i*1_000_000
		whole.Add(life)
		if i%3 == 0 {
			a.Add(life)
		} else {
			b.Add(life)
		}
	}
	a.Merge(b)
	if a != whole {
		t.Errorf("merged %+v, whole %+v", a, whole)
	}
	if cv := whole.CV(); cv < 0.0009 || cv > 0.001 {
		t.Errorf("cv %v", cv)
	}
}
