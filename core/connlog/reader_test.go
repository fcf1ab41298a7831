package connlog

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

const (
	good  = `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}`
	good2 = `{"event_type":"connect", "timestamp":"2026-10-25 10:00:01.5+09:00", "client_ip":"2001:db8::1","x":{"a":[1,{"b":"}],["}]}}`
	good3 = `{"timestamp":1792922400123,"client_ip":"a\u0062","event_type":"disconnect","retry_interval_ms":null,"path":"/ws?token=hunter2"}`
)

// lines makes an input of one record a line; array wraps the same records into an array, over several lines.
func lines(records ...string) string { return strings.Join(records, "\n") + "\n" }
func array(records ...string) string { return "[\n" + strings.Join(records, ",\n  ") + "\n]\n" }

// read reads an input in chunks of the given sizes (the last one repeats) and gives events as our own form, and counts.
func read(t testing.TB, p *Plan, text string, part int, sizes ...int) (events []string, c Counts) {
	t.Helper()
	r, err := NewReader(p, Catalogue{}, part)
	if err != nil {
		t.Fatal(err)
	}
	return drain(r, text, sizes...), r.Counts
}

// drain reads a text in chunks of the given sizes; the last one repeats.
func drain(r *Reader, text string, sizes ...int) (events []string) {
	b := &Batch{}
	for i := 0; ; i++ {
		n := len(text)
		if len(sizes) > 0 {
			n = min(n, sizes[min(i, len(sizes)-1)])
		}
		chunk := []byte(text[:n]) // a copy, overwritten below: the reader may keep nothing of it
		text = text[n:]
		r.Feed(chunk, text == "")
		for r.Next(b) {
			for i := range b.Events {
				e := &b.Events[i]
				events = append(events, fmt.Sprintf("%d@%d %s", e.Record, e.Offset, Append(nil, b, e)))
			}
		}
		for i := range chunk {
			chunk[i] = '#'
		}
		if text == "" {
			return events
		}
	}
}

func planOf(t testing.TB, text string) *Plan {
	t.Helper()
	p, err := Sniff(Catalogue{}, []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAccounting(t *testing.T) {
	long := `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"` + strings.Repeat("x", 300) + `","event_type":"retry"}`
	for name, c := range map[string]struct {
		text string
		want string // records used ignored, then reason=count@first
	}{
		"empty":                 {"", "0 0 0"},
		"blank lines":           {"\n\n  \n", "0 0 0"},
		"lines":                 {lines(good, good2, good3), "3 3 0"},
		"no last line end":      {good + "\n" + good2, "2 2 0"},
		"crlf":                  {good + "\r\n" + good2 + "\r\n", "2 2 0"},
		"mark":                  {"\ufeff" + lines(good, good2), "2 2 0"},
		"mark and array":        {"\ufeff" + array(good, good2), "2 2 0"},
		"array":                 {array(good, good2, good3), "3 3 0"},
		"empty array":           {"[]", "0 0 0"},
		"one line array":        {"[" + good + "," + good2 + "]", "2 2 0"},
		"array cut in element":  {"[" + good + "," + good2[:40], "2 1 0 cut off at the end of the input=1@1"},
		"array cut after comma": {"[" + good + ",", "1 1 0"},
		"line cut":              {good + "\n" + good2[:40], "2 1 0 cut off at the end of the input=1@1"},
		"garbage after array":   {"[" + good + "] x\ny\n", "3 1 0 not valid JSON=2@1"},
		"two arrays":            {array(good) + array(good, good2), "3 3 0"},
		"missing comma":         {"[" + good + " " + good2 + "]", "2 2 0"},
		"scalars in array":      {`[` + good + `, 1, "a,]", null, [2,{}]]`, "5 1 0 not a JSON object=4@1"},
		"lost quote in array":   {"[" + good + ",\n{\"timestamp\":\"2026,\n" + good2 + "]", "3 2 0 not valid JSON=1@1"},
		"nul":                   {lines(good, "\x00\x00\x00"+good2, "\x00\x00", "a\x00b"), "4 2 0 NUL bytes=2@2"},
		"no timestamp":          {lines(`{"client_ip":"a","event_type":"retry"}`, good, `{}`), "3 1 0 no timestamp=2@0"},
		"bad values": {lines(
			`{"timestamp":true,"client_ip":"a","event_type":"retry"}`,
			`{"timestamp":"2026-10-25T10:00:00Z","client_ip":1,"event_type":"retry"}`,
			`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"a","event_type":"open"}`,
			`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"a","event_type":"retry","retry_interval_ms":"x"}`,
			`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"a","event_type":"retry","retry_interval_ms":1e400}`,
			`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"a","event_type":"retry","retry_interval_ms":1000.5}`),
			"6 1 0 client cannot be read=1@1 retry interval cannot be read=2@3 timestamp cannot be read=1@0 unknown event type=1@2"},
		"no object":   {lines("5", `"a"`, "null", "[1]", "x"), "5 0 0 not a JSON object=4@0 not valid JSON=1@4"},
		"long line":   {lines(good, long, good2), "3 2 0 line longer than the limit=1@1"},
		"long, array": {array(good, long, good2), "3 2 0 line longer than the limit=1@1"},
		"long, last":  {good + "\n" + long, "2 1 0 line longer than the limit=1@1"},
		"nested":      {lines(good, strings.Repeat("[", 90)+strings.Repeat("]", 90)), "2 1 0 not a JSON object=1@1"},
	} {
		p := planOf(t, c.text)
		p.LineLimit = 200
		for _, sizes := range [][]int{nil, {1}, {2}, {3, 1, 50}, {7}, {64}, {150}} {
			events, counts := read(t, p, c.text, 0, sizes...)
			got := fmt.Sprint(counts.Records, counts.Used, counts.Ignored)
			sum := counts.Used + counts.Ignored
			for _, s := range counts.Skipped {
				got += fmt.Sprintf(" %s=%d@%d", s.Reason, s.Count, s.First)
				sum += s.Count
			}
			if got != c.want || sum != counts.Records || int64(len(events)) != counts.Used {
				t.Errorf("%s in chunks of %v:\n got %s with %d events\nwant %s", name, sizes, got, len(events), c.want)
			}
			if counts.Lines != int64(strings.Count(c.text, "\n")) {
				t.Errorf("%s in chunks of %v: %d lines", name, sizes, counts.Lines)
			}
		}
	}
}

// hostile makes an input out of good and bad pieces, as lines or as an array.
func hostile(rng *rand.Rand) string {
	pieces := []string{good, good2, good3, good, good, `{}`, `5`, `{"a":"},{\"timestamp\":"}`, `{"x":[{"timestamp":1},{"y":2}]}`, `{"timestamp":"2026,`, good2[:50], "", "\x00" + good, `"},{"`,
		`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"` + strings.Repeat("y", 250) + `","event_type":"retry"}`, `{"a":"\\"}`, `{"a":"\"` + `"}`,
		good[:60] + `"` + good[60:], good[:len(good)-1], `{"a":[{"b":"c"d"},{"e":1}]}`, `],` + good, `],[` + good, `{"a":"x, {"`}
	n := rng.IntN(12)
	list := make([]string, n)
	for i := range list {
		list[i] = pieces[rng.IntN(len(pieces))]
	}
	var text string
	if rng.IntN(2) == 0 {
		text = strings.Join(list, []string{"\n", "\r\n", "\n\n"}[rng.IntN(3)])
	} else {
		text = "[" + strings.Join(list, []string{",", ",\n", " ,\n  ", "\n"}[rng.IntN(4)]) + "]"
	}
	if rng.IntN(4) == 0 {
		text = "\ufeff" + text
	}
	if rng.IntN(4) == 0 && len(text) > 0 {
		text = text[:rng.IntN(len(text))]
	}
	if rng.IntN(3) == 0 {
		text += "\n"
	}
	return text
}

// TestAnyChunks and any parts: the same events and the same accounts.
func TestAnyChunksAndParts(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 1500 {
		text := hostile(rng)
		p := planOf(t, text)
		p.LineLimit = 200
		wantEvents, want := read(t, p, text, 0)
		sizes := make([]int, 1+rng.IntN(5))
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(60)
		}
		if events, counts := read(t, p, text, 0, sizes...); !reflect.DeepEqual(events, wantEvents) || !reflect.DeepEqual(counts, want) {
			t.Fatalf("seed %d round %d: chunks of %v\n%q\n got %v %v\nwant %v %v", seed, round, sizes, text, events, counts, wantEvents, want)
		}
		var got Counts
		var all []string
		var base int64
		for part, from := 0, 0; part == 0 || from < len(text); part++ {
			to := len(text)
			if rng.IntN(4) != 0 {
				to = Boundary(p, []byte(text), from+rng.IntN(len(text)-from+1))
			}
			if to <= from {
				to = len(text)
			}
			events, counts := read(t, p, text[from:to], part, sizes...)
			for _, e := range events {
				var record, offset int64
				var rest string
				fmt.Sscanf(e, "%d@%d", &record, &offset)
				rest = e[strings.IndexByte(e, ' '):]
				all = append(all, fmt.Sprintf("%d@%d%s", record+base, offset+int64(from), rest))
			}
			got.Follow(&counts)
			base = got.Records
			from = to
		}
		if !reflect.DeepEqual(all, wantEvents) || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d round %d: parts\n%q\n got %v %v\nwant %v %v", seed, round, text, all, got, wantEvents, want)
		}
	}
}

func TestPlanAsJSON(t *testing.T) {
	p := &Plan{Framing: Array, Wrappers: []string{"docker"}, Formats: []Chosen{{"nginx", "a\"b"}, {"base", ""}}, Zone: nil, Year: 2026, Day: 5,
		Map: []Role{{"client", "peer.addr"}}, Paths: []string{"/ws*"}, Learned: []string{"/a/*"}, Group: "query:v", LineLimit: 7, Joined: true}
	for _, p := range []*Plan{p, {Formats: []Chosen{{"base", ""}}, Wrappers: []string{}, Paths: []string{}, Learned: []string{}}} {
		text := p.AppendJSON(nil)
		q, err := ParsePlan(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, q) {
			t.Errorf("\n got %#v\nwant %#v", q, p)
		}
	}
	for _, bad := range []string{`{`, `[]`, `{"framing":"x"}`, `{"x":1}`, `{"formats":[["a"]]}`, `{"zone":{"steps":[[1,2,3]]}}`} {
		if _, err := ParsePlan([]byte(bad)); err == nil {
			t.Errorf("ParsePlan(%s) took it", bad)
		}
	}
}

func TestQueryNeverSurvives(t *testing.T) {
	events, _ := read(t, &Plan{}, lines(good3, strings.Replace(good3, "/ws?token=hunter2", "/t/eyJhbGciOi.eyJz.c2ln/x", 1)), 0)
	text := strings.Join(events, "\n")
	if strings.Contains(text, "hunter2") || strings.Contains(text, "eyJ") || !strings.Contains(text, `"path":"/ws"`) || !strings.Contains(text, `"path":"/t/*/x"`) {
		t.Error(text)
	}
}
