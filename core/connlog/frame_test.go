package connlog

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// One byte too many, too few or another, anywhere in a one-line array: at most four of its elements are lost.
func TestDamagedArray(t *testing.T) {
	const n, most = 12, 4
	list := make([]string, n)
	for i := range list {
		list[i] = []string{good, good2, good3}[i%3]
	}
	for _, separator := range []string{",", ", ", " ,\t"} {
		text := "[" + strings.Join(list, separator) + "]"
		p := planOf(t, text)
		from, to := len(list[0])*2, strings.Index(text, list[6])
		for at := from; at < to; at++ {
			damaged := []string{text[:at] + text[at+1:]}
			for _, c := range `"{}[],:\` {
				damaged = append(damaged, text[:at]+string(c)+text[at:], text[:at]+string(c)+text[at+1:])
			}
			for _, in := range damaged {
				events, counts := read(t, p, in, 0)
				if counts.Used < n-most {
					t.Fatalf("%d of %d elements used of …%s…: %+v", counts.Used, n, in[max(0, at-60):at+80], counts)
				}
				if at%7 == 0 {
					if again, c := read(t, p, in, 0, 61); !reflect.DeepEqual(events, again) || !reflect.DeepEqual(c, counts) {
						t.Fatalf("in chunks: %s", in)
					}
				}
			}
		}
	}
}

// A lost quote, bracket or comma in a log of the usual shape costs the element that it is in, at times its neighbour.
func TestBackInStep(t *testing.T) {
	element := func(i int) string {
		return fmt.Sprintf(`{"timestamp":"2026-10-25T10:00:%02dZ","client_ip":"192.0.2.%d","event_type":"retry","retry_interval_ms":1000,"path":"/ws"}`, i%60, i%250)
	}
	for _, c := range []struct {
		name, old, new string
		lost           int64
	}{
		{"a quote inside a value", "192.0.2.50", `192.0"2.50`, 1},
		{"a quote lost at a value's begin", `"192.0.2.50`, `192.0.2.50`, 1},
		{"a quote lost at a value's end", `192.0.2.50"`, `192.0.2.50`, 1},
		{"a quote after a number", `192.0.2.50","event_type":"retry","retry_interval_ms":1000`, `192.0.2.50","event_type":"retry","retry_interval_ms":1000"`, 1},
		{"a backslash before the quote", `192.0.2.50"`, `192.0.2.50\"`, 1},
		{"a brace lost at the end", `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws"}`, `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws"`, 1},
		{"a bracket too many", `192.0.2.50"`, `192.0.2.50"]`, 1},
		{"a bracket opened", `"192.0.2.50"`, `["192.0.2.50"`, 1},
		{"torn off", `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws"}`, `192.0`, 2},
		{"torn off without a comma", `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws"},`, ``, 2},
		{"the last quote", `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws"`, `192.0.2.50","event_type":"retry","retry_interval_ms":1000,"path":"/ws`, 2},
		{"an array's end in the middle", `{"timestamp":"2026-10-25T10:00:50Z","client_ip":"192.0.2.50"`, `],{"timestamp":"2026-10-25T10:00:50Z","client_ip":"192.0.2.50"`, 0},
		{"another array behind a comma", `{"timestamp":"2026-10-25T10:00:50Z","client_ip":"192.0.2.50"`, `],[{"timestamp":"2026-10-25T10:00:50Z","client_ip":"192.0.2.50"`, 0},
	} {
		const n = 200
		list := make([]string, n)
		for i := range list {
			list[i] = element(i)
		}
		text := "[" + strings.Join(list, ",") + "]"
		in := strings.Replace(text, c.old, c.new, 1)
		if in == text {
			t.Fatalf("%s: nothing to replace", c.name)
		}
		_, counts := read(t, planOf(t, in), in, 0, 1000)
		if n-counts.Used != c.lost {
			t.Errorf("%s: %d lost, want %d: %+v", c.name, n-counts.Used, c.lost, counts)
		}
	}
}

// Objects without the array's brackets, one after another on a line or each over several lines, are read as its elements.
func TestNoBracket(t *testing.T) {
	pretty := strings.ReplaceAll(strings.ReplaceAll(good, ",", ",\n  "), "{", "{\n  ")
	for name, text := range map[string]string{
		"on one line":          good + "," + good2 + "," + good3,
		"closed":               good + "," + good2 + "," + good3 + "]",
		"a comma a line":       lines(good+",", good2+",", good3+","),
		"over several lines":   lines(pretty, good2, pretty),
		"cut in the third":     good + ", " + good2 + "," + good[:50],
		"a comma first":        "," + lines(good+",", good2),
		"two on several lines": pretty + "\n" + pretty,
	} {
		p := planOf(t, text)
		_, counts := read(t, p, text, 0, 40)
		want := int64(strings.Count(text, "event_type"))
		if counts.Used != want || p.Framing != Array {
			t.Errorf("%s: %+v, want %d used", name, counts, want)
		}
	}
	for name, text := range map[string]string{
		"lines":                lines(good, good2),
		"one line":             good,
		"a torn line":          good[:40] + "\n" + good,
		"an object, then text": good + ", and more\n" + "what, is, this\n",
		"several, then text":   pretty + "\nwhat, is, this\n",
	} {
		if p := planOf(t, text); p.Framing != Lines {
			t.Errorf("%s: read as an array", name)
		}
	}
}
