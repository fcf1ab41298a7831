package connlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The records that are shown stand where the events that were read from them stand, however the input is framed and cut.
func TestShow(t *testing.T) {
	one := "[" + good + "," + good2 + ", " + good3 + "," + good + "]"
	for name, text := range map[string]string{
		"lines":                   lines(good, good2, good3, good),
		"lines, blanks between":   "\n" + good + "\n\n  \n" + good2 + "\r\n\r\n" + good3 + "\n",
		"lines, some unread":      lines(good, "no JSON", good2, `{"a":1}`, good3),
		"array over lines":        array(good, good2, good3),
		"array in one line":       one,
		"array with a lost quote": "[" + good + "," + strings.Replace(good2, `"event_type"`, `event_type"`, 1) + "," + good3 + "," + good + "]",
	} {
		p := planOf(t, text)
		want := map[int64]string{}
		events, counts := read(t, p, text, 0)
		for _, e := range events {
			var record, offset int64
			fmt.Sscanf(e, "%d@%d", &record, &offset)
			want[record] = fmt.Sprint(record, " ", offset)
		}
		all := make([]int64, counts.Records+3)
		for i := range all {
			all[i] = int64(len(all) - i - 1)
		}
		for _, size := range []int{len(text), 1, 7, 50} {
			r, err := NewReader(p, Catalogue{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := map[int64]string{}
			var order []int64
			r.Show(all, func(s Shown) {
				got[s.Record] = fmt.Sprint(s.Record, " ", s.Offset)
				order = append(order, s.Record)
				line := strings.Count(text[:s.Offset], "\n")
				if head := text[s.Offset : s.Offset+12]; int64(line) != s.Line || !strings.HasPrefix(s.Sample, head) && want[s.Record] != "" {
					t.Errorf("%s, pieces of %d: record %d at byte %d (%q) is on line %d, shown as line %d: %s", name, size, s.Record, s.Offset, head, line, s.Line, s.Sample)
				}
				if strings.Contains(s.Sample, "hunter2") {
					t.Errorf("%s: a secret is shown: %s", name, s.Sample)
				}
			})
			drain(r, text, size)
			for n, where := range want {
				if got[n] != where {
					t.Errorf("%s, pieces of %d: record %d is shown at %q, read at %q", name, size, n, got[n], where)
				}
			}
			if !slices.IsSorted(order) {
				t.Errorf("%s: shown in the order %v", name, order)
			}
		}
	}
}
