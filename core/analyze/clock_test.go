package analyze

import (
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
)

// A clock that is set back is told from lines out of order, whatever the cut between parts.
func TestClockSteps(t *testing.T) {
	minutes := func(from, to int64) (list []int64) {
		for m := from; m < to; m++ {
			for range 7 {
				list = append(list, m)
			}
		}
		return list
	}
	for _, c := range []struct {
		name  string
		lines []int64
		want  []step
	}{
		{"forward", minutes(0, 200), nil},
		{"an hour back", append(minutes(0, 120), minutes(60, 180)...), []step{{60, 59}}},
		{"a pause", append(minutes(0, 60), minutes(600, 660)...), nil},
		{"one early line", append(append(minutes(0, 60), 3), minutes(60, 120)...), nil},
		{"four early lines", append(append(minutes(0, 60), 3, 3, 4, 4), minutes(60, 120)...), nil},
		{"two steps", append(append(minutes(0, 60), minutes(30, 90)...), minutes(80, 100)...), []step{{30, 29}, {80, 9}}},
		{"within a minute", []int64{5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 6}, nil},
	} {
		for cut := range len(c.lines) {
			var a, b, whole wallClock
			for i, m := range c.lines {
				k := &a
				if i >= cut {
					k = &b
				}
				k.see(&connlog.Event{Kind: connlog.Close, Time: m*60e9 + int64(i%60)*1e9}, true)
			}
			for _, k := range []*wallClock{&a, &b} {
				if !k.valid() {
					t.Fatal("invalid")
				}
				for i := 0; i < len(k.runs); i += 2 {
					whole.add(k.runs[i], k.runs[i+1])
				}
			}
			got := whole.steps()
			if len(got) != len(c.want) {
				t.Fatalf("%s, cut at %d: %v, want %v", c.name, cut, got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Fatalf("%s, cut at %d: %v, want %v", c.name, cut, got, c.want)
				}
			}
		}
	}
}
