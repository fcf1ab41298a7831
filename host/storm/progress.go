package storm

import (
	"strconv"
	"strings"
	"time"
)

// Line is the snapshot as one line of at most 100 columns: where it stands, and the arrivals of the burst as a histogram.
func (s Snapshot) Line() string {
	var b strings.Builder
	if s.Burst == 0 {
		b.WriteString("connecting")
	} else {
		b.WriteString("burst " + strconv.Itoa(s.Burst) + " of " + strconv.Itoa(s.Bursts))
	}
	b.WriteString("  " + s.Elapsed.Round(time.Second).String() + "  " + strconv.Itoa(s.Open) + " of " + strconv.Itoa(s.Clients) + " open")
	if s.Failed > 0 {
		b.WriteString("  " + strconv.Itoa(s.Failed) + " failed")
	}
	values, _ := binned(s.Arrivals, 40)
	largest := int64(1)
	for _, v := range values {
		largest = max(largest, v)
	}
	marks := []rune(" ▁▂▃▄▅▆▇█")
	b.WriteString("  ")
	for _, v := range values {
		b.WriteRune(marks[(v*8+largest-1)/largest])
	}
	return b.String()
}
