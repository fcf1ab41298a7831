package storm

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/render"
)

// On a narrow terminal no line is wider than it, and why attempts failed is told whole.
func TestTextFitsTheTerminal(t *testing.T) {
	kinds := []Kind{badAccept, cut, timedOut, "503"}
	for _, width := range []int{60, 80, 100, 160} {
		b := Burst{Dropped: 18_000, Back: 17_000, P50: 36_600 * time.Millisecond, P99: Never, Last: Never, Peak: 17_120, Waste: 4.78,
			Errors: map[Kind]int{}, Arrivals: make([]int, 250)}
		for i := range b.Arrivals {
			b.Arrivals[i] = i + 1
		}
		for i, k := range kinds {
			b.Errors[k] = 12_345 * (i + 1)
		}
		text := string((&Report{Clients: 18_000, Policy: "full:1s:30s", Bursts: []Burst{b}}).Text(render.Options{Width: width}))
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("at %d columns a line has %d: %s", width, n, line)
			}
		}
		whole := strings.Join(strings.Fields(text), " ")
		for _, k := range kinds {
			if !strings.Contains(whole, "× "+string(k)) {
				t.Errorf("at %d columns %q is not told whole:\n%s", width, k, text)
			}
		}
	}
}
