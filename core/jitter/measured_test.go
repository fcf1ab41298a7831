package jitter

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// TestMeasured judges the waits that real libraries produced: no wrong verdict, alone or pooled.
func TestMeasured(t *testing.T) {
	data, err := os.ReadFile("testdata/measured.json")
	if err != nil {
		t.Fatal(err)
	}
	var libraries []struct {
		Library, Clock, Alone, Pooled string
		Waits                         [][]float64 `json:"waits_ms"`
	}
	if err := json.Unmarshal(data, &libraries); err != nil {
		t.Fatal(err)
	}
	var decided, undecided, wrong, byVariation, all int
	for _, x := range libraries {
		// Real time has noise; on a virtual clock a wait is what the library asked for.
		for _, quiet := range []bool{x.Clock == "virtual", false} {
			o := Options{Resolution: time.Millisecond, Quiet: quiet}
			var s Sketch
			for i, run := range x.Waits {
				list := waits(run...)
				s.Add(uint64(i)*0x9e3779b97f4a7c15, list)
				v := Fit(list, o)
				switch {
				case v.Kind == Undecided:
					undecided++
				case x.Alone == "either" || v.Kind.String() == x.Alone:
					decided++
				case !quiet && x.Clock == "virtual" && decayed[x.Library]:
					undecided++
				default:
					wrong++
					t.Errorf("%s, client %d, quiet %v: %v %v, want %s (log odds %.1f)", x.Library, i, quiet, v.Kind, v.Family, x.Alone, v.LogOdds)
				}
				if !quiet && x.Alone != "either" {
					all++
					if variation(run) != x.Alone {
						byVariation++
					}
				}
			}
			v := s.Verdict(o)
			if v.Kind != Undecided && x.Pooled != "either" && v.Kind.String() != x.Pooled {
				t.Errorf("%s, pooled, quiet %v: %v %v, want %s (log odds %.1f)", x.Library, quiet, v.Kind, v.Family, x.Pooled, v.LogOdds)
			}
			if v.DrawnOnce != (x.Library == "reconnecting-websocket") {
				t.Errorf("%s: drawn once is %v", x.Library, v.DrawnOnce)
			}
		}
	}
	t.Logf("%d libraries: %d right, %d undecided, %d wrong; by variation (5 %%) %d of %d wrong", len(libraries), decided, undecided, wrong, byVariation, all)
}

// decayed are libraries whose waits are so short that a network would hide their jitter: measured on a virtual clock and
// read as if through a network, either answer is as good.
var decayed = map[string]bool{"py_redis_ping_refused_defaults": true, "py_redis_retries_forever": true}

// variation is the usual test: a standard deviation below 5 % of the mean.
func variation(run []float64) string {
	n, sum, squares := float64(len(run)), 0.0, 0.0
	for _, x := range run {
		sum += x
		squares += x * x
	}
	mean := sum / n
	if sd2 := squares/n - mean*mean; sd2 < 0.0025*mean*mean {
		return "locked"
	}
	return "jittered"
}
