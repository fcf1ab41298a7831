package compat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/timeline"
)

const dir = "../../../testdata/compat/"

// run analyses text in chunks of the given sizes (the last one repeats) as one part.
func run(text string, threshold int64, sizes ...int) (string, error) {
	a, err := New(Options{Threshold: threshold, Seed: 5}, timeline.Part{}, connlog.Lines)
	if err != nil {
		return "", err
	}
	feed(a, text, sizes)
	r, err := a.Finish()
	if err != nil {
		return "", err
	}
	return string(r.AppendJSON(nil)), nil
}

func feed(a *Accumulator, text string, sizes []int) {
	for i := 0; text != ""; i++ {
		n := len(text)
		if len(sizes) > 0 {
			n = min(n, sizes[min(i, len(sizes)-1)])
		}
		chunk := []byte(text[:n])
		if err := a.Feed(chunk); err != nil {
			panic(err)
		}
		for i := range chunk {
			chunk[i] = '"'
		}
		text = text[n:]
	}
}

// clients takes the clients out of a report.
func clients(t *testing.T, text string) any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err, text)
	}
	return r["analyzed_clients"]
}

func TestAsThePrototype(t *testing.T) {
	files, _ := filepath.Glob(dir + "*.threshold*.expected.json")
	if len(files) < 5 {
		t.Fatal("cases are missing")
	}
	for _, file := range files {
		name, rest, _ := strings.Cut(filepath.Base(file), ".threshold")
		threshold, _ := strconv.ParseInt(strings.TrimSuffix(rest, ".expected.json"), 10, 64)
		text, err := os.ReadFile(dir + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		want, _ := os.ReadFile(file)
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		for _, e := range elements {
			json.Compact(&lines, e)
			lines.WriteByte('\n')
		}
		indented := new(bytes.Buffer)
		json.Indent(indented, text, "", "  ")
		for _, form := range []string{string(text), lines.String(), "\ufeff" + indented.String()} {
			chunks := [][]int{nil, {3, 4096, 77}, {1}, {1000}}
			if testing.Short() {
				chunks = chunks[:2]
			}
			for _, sizes := range chunks {
				got, err := run(form, threshold, sizes...)
				if err != nil {
					t.Fatal(name, err)
				}
				if !reflect.DeepEqual(clients(t, got), clients(t, string(want))) {
					t.Errorf("%s in chunks of %v:\n got %s\nwant %s", name, sizes, got, want)
				}
			}
		}
	}
}

type measured struct {
	Fields []struct {
		Field     string
		JSON      string
		Absent    bool
		Accepted  bool
		As        json.RawMessage
		MayAccept string `json:"may_accept"`
		MayRefuse string `json:"may_refuse"`
	}
	Wholes []struct {
		Name, Text, Base64 string
		Accepted           bool
		Clients            json.RawMessage `json:"analyzed_clients"`
		MayAccept          string          `json:"may_accept"`
		MayRefuse          string          `json:"may_refuse"`
	}
}

func load(t *testing.T) (m measured) {
	t.Helper()
	text, err := os.ReadFile(dir + "validation.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestValidation walks the 236 measured cases.
func TestValidation(t *testing.T) {
	m := load(t)
	if len(m.Fields) != 195 || len(m.Wholes) != 41 {
		t.Fatal("cases are missing")
	}
	sound := map[string]string{"timestamp": `"2026-10-25T10:00:00Z"`, "client_ip": `"192.0.2.10"`, "event_type": `"retry"`, "retry_interval_ms": "1000"}
	for _, c := range m.Fields {
		var fields []string
		for _, name := range names {
			switch {
			case name != c.Field:
				fields = append(fields, strconv.Quote(name)+":"+sound[name])
			case !c.Absent:
				fields = append(fields, strconv.Quote(name)+":"+c.JSON)
			}
		}
		text := "[{" + strings.Join(fields, ",") + "}]"
		got, err := run(text, 5)
		if (err == nil) != c.Accepted && !(err == nil && c.MayAccept != "") && !(err != nil && c.MayRefuse != "") {
			t.Errorf("%s\naccepted: %v (%v), the prototype: %v", text, err == nil, err, c.Accepted)
			continue
		}
		var f *fault.Error
		if err != nil && json.Valid([]byte(text)) && errors.As(err, &f) && f.Code == fault.BadValue && (f.Field != c.Field || f.Record != 1 || f.Line != 1) {
			t.Errorf("%s\n%v", text, err)
		}
		if err != nil {
			continue
		}
		one := clients(t, got).([]any)[0].(map[string]any)
		var as any
		json.Unmarshal(c.As, &as)
		switch c.Field {
		case "client_ip":
			if one["client_ip"] != as {
				t.Errorf("%s\n%s", text, got)
			}
		case "retry_interval_ms":
			want := 0.0
			switch v := as.(type) {
			case float64:
				want = v
			case string:
				want, _ = strconv.ParseFloat(v, 64)
			}
			if one["avg_retry_interval_ms"] != want || one["has_jitter"] != (as == nil) {
				t.Errorf("%s\n%s", text, got)
			}
		}
	}
	for _, c := range m.Wholes {
		text := c.Text
		if c.Base64 != "" {
			raw, _ := base64.StdEncoding.DecodeString(c.Base64)
			text = string(raw)
		}
		for _, sizes := range [][]int{nil, {1}, {2, 50}} {
			got, err := run(text, 5, sizes...)
			if (err == nil) != c.Accepted && !(err == nil && c.MayAccept != "") && !(err != nil && c.MayRefuse != "") {
				t.Errorf("%s: accepted: %v (%v), the prototype: %v", c.Name, err == nil, err, c.Accepted)
			}
			if err == nil && c.Accepted {
				var want any
				json.Unmarshal(c.Clients, &want)
				if !reflect.DeepEqual(clients(t, got), want) {
					t.Errorf("%s: %s, the prototype: %s", c.Name, got, c.Clients)
				}
			}
		}
	}
}

const rec = `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}`

func TestRefusals(t *testing.T) {
	bad := `{"timestamp":"x","client_ip":1,"event_type":"y","retry_interval_ms":1.5}`
	for name, c := range map[string]struct{ text, want string }{
		"all fields":  {"[" + rec + ",\n\n" + bad + ",\n{}]", `compat: record 2, line 3: timestamp is "x", expected an ISO 8601 date and time, or a number of seconds or milliseconds since 1970; client_ip is 1, expected a string; event_type is "y", expected one of connect, disconnect, retry; retry_interval_ms is 1.5, expected a whole number of milliseconds, or null`},
		"missing":     {rec + "\n" + `{"timestamp":1,"event_type":"retry"}`, `compat: record 2, line 2: client_ip is missing, expected a string`},
		"masked":      {rec + "\n" + `{"timestamp":1,"client_ip":"a","event_type":"GET /ws?token=hunter2"}`, `compat: record 2, line 2: event_type is "GET /ws?***", expected one of connect, disconnect, retry`},
		"syntax":      {"[" + rec + "\n, {\"a\" 1}]", `compat: record 2, line 2: not valid JSON, unexpected "1"`},
		"cut":         {"[" + rec + ",{\"a\":", `compat: record 2, line 1: not valid JSON, it ends too early`},
		"cut array":   {"[" + rec, `compat: the input ends before its array does, expected ]`},
		"lone":        {rec + "\n", `compat: record 1: one object alone, expected a JSON array of objects, or two objects or more on lines of their own`},
		"lone bad":    {bad, `compat: record 1, line 1: timestamp is "x"`},
		"empty":       {" \n", `compat: the input holds no record, expected a JSON array of objects, or two objects or more on lines of their own`},
		"text":        {"hello\n", `compat: record 1, line 1: not valid JSON, unexpected "h"`},
		"comma":       {"[" + rec + ",]", `compat: record 2, line 1: a comma before the array's end, expected elements with one comma between them`},
		"no comma":    {"[" + rec + "\n" + rec + "]", `compat: record 2, line 2: two elements without a comma between them, expected elements with one comma between them`},
		"first comma": {"[," + rec + "]", `compat: record 1, line 1: a comma without an element before it, expected elements with one comma between them`},
		"after array": {"[" + rec + "]\nx", `compat: record 2, line 2: text after the array's end, expected nothing`},
		"two a line":  {rec + rec + "\n", `compat: record 1, line 1: not one object on its line, unexpected "{"`},
		"over lines":  {"{\"timestamp\":\n1}\n" + rec, `compat: record 1, line 1: not valid JSON, it ends too early`},
		"empties":     {"{}\n{}", `compat: record 1, line 1: timestamp is missing, expected`},
		"number":      {"[5]", `compat: record 1, line 1: not an object: 5, expected a JSON array of objects, or two objects or more on lines of their own`},
		"half":        {"[" + strings.Replace(rec, "192.0", `\ud800`, 1) + "]", `compat: record 1, line 1: text that is not Unicode, expected valid UTF-8, and no halves of surrogate pairs`},
		"half, extra": {"[" + strings.Replace(rec, "{", `{"x":["\ud800"],`, 1) + "]", `compat: record 1, line 1: text that is not Unicode`},
	} {
		for _, sizes := range [][]int{nil, {1}, {7, 30}} {
			got, err := run(c.text, 5, sizes...)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s in chunks of %v:\n got %v %s\nwant %s", name, sizes, err, got, c.want)
			}
		}
	}
}

func TestLineLimit(t *testing.T) {
	long := strings.Replace(rec, "192", strings.Repeat("x", 500), 1)
	for _, text := range []string{"[" + rec + "," + long + "," + rec + "]", rec + "\n" + long + "\n" + rec} {
		for _, size := range []int{1, 64, 1 << 20} {
			a, _ := New(Options{LineLimit: 300}, timeline.Part{}, connlog.Lines)
			feed(a, text, []int{size})
			_, err := a.Finish()
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.TooLarge || f.Record != 2 {
				t.Errorf("chunks of %d: %v", size, err)
			}
			if cap(a.carry) > 4096 {
				t.Errorf("chunks of %d: %d bytes kept", size, cap(a.carry))
			}
		}
	}
}

// some makes an input of random records, sometimes with a bad one.
func some(rng *rand.Rand) string {
	n := rng.IntN(14)
	list := make([]string, n)
	for i := range list {
		client := []string{"a", "192.0.2." + strconv.Itoa(rng.IntN(5)), "2001:db8::aaaa:bbbb:" + strconv.Itoa(rng.IntN(5)), "", "exactly15bytes!", "exactly16 bytes!", `\u00e9\n`}[rng.IntN(7)]
		interval := []string{"1000", "0", "-5", "9223372036854775807", "-9223372036854775808", "null", `"42"`, "2147483648", "1e3"}[rng.IntN(9)]
		list[i] = fmt.Sprintf(`{"timestamp":%d,"client_ip":"%s","event_type":"retry","retry_interval_ms":%s}`, rng.IntN(1e9), client, interval)
		switch rng.IntN(40) {
		case 0:
			list[i] = `{"timestamp":true}`
		case 1:
			list[i] = `{}`
		case 2:
			list[i] = `[{"a":"},{"}]`
		case 3:
			list[i] = rec[:rng.IntN(len(rec))]
		}
	}
	if rng.IntN(2) == 0 {
		return strings.Join(list, "\n") + []string{"", "\n", " \n\n"}[rng.IntN(3)]
	}
	return "[" + strings.Join(list, []string{",", ",\n ", "\n,"}[rng.IntN(3)]) + []string{"]", "]\n", "", ",]", "] x"}[max(0, rng.IntN(12)-7)]
}

// TestSplitsAndMerges cuts inputs at record boundaries, analyses the parts in any chunks, merges their states in any order
// and over any tree, and wants the bytes, or the error, of the whole.
func TestSplitsAndMerges(t *testing.T) {
	const seed = 17
	rng := rand.New(rand.NewPCG(seed, 0))
	refused := 0
	rounds := 2500
	if testing.Short() {
		rounds = 250
	}
	for round := range rounds {
		text := some(rng)
		want, wantErr := run(text, 5)
		if wantErr != nil {
			refused++
		}
		plan, err := connlog.Sniff(connlog.Catalogue{}, []byte(text), connlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var parts []*Accumulator
		for from := 0; len(parts) == 0 || from < len(text); {
			to := connlog.Boundary(plan, []byte(text), from+1+rng.IntN(len(text)-from+1))
			if rng.IntN(3) == 0 || to <= from {
				to = len(text)
			}
			a, err := New(Options{Threshold: 5, Seed: rng.Uint64()}, timeline.Part{Index: uint32(len(parts))}, plan.Framing)
			if err != nil {
				t.Fatal(err)
			}
			feed(a, text[from:to], []int{1 + rng.IntN(50), 1 + rng.IntN(200)})
			parts = append(parts, a)
			from = to
		}
		n := len(parts)
		for len(parts) > 1 {
			i, j := rng.IntN(len(parts)), rng.IntN(len(parts))
			if i == j {
				continue
			}
			if err := parts[i].Merge(parts[j].State()); err != nil {
				t.Fatal(err)
			}
			parts = append(parts[:j], parts[j+1:]...)
		}
		got := ""
		r, err := parts[0].Finish()
		if err == nil {
			got = string(r.AppendJSON(nil))
		}
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("seed %d round %d, %d parts:\n%s\n got %s %v\nwant %s %v", seed, round, n, text, got, err, want, wantErr)
		}
	}
	if refused*2500 < 400*rounds || refused*2500 > 2100*rounds {
		t.Errorf("%d of %d inputs were refused: a lopsided test", refused, rounds)
	}
}

func TestSources(t *testing.T) {
	make := func(source uint32, text string) *Accumulator {
		a, err := New(Options{Threshold: 5}, timeline.Part{Source: source}, connlog.Lines)
		if err != nil {
			t.Fatal(err)
		}
		feed(a, text, nil)
		return a
	}
	other := strings.Replace(rec, "192", "10", 1)
	a, b := make(1, "["+rec+"]"), make(0, other+"\n"+rec)
	if err := a.Merge(b.State()); err != nil {
		t.Fatal(err)
	}
	r, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if r.Clients != 2 || string(r.Client(0, nil).IP) != "10.0.2.10" || r.Client(1, nil).Total != 2 {
		t.Error(string(r.AppendJSON(nil)))
	}
	b.Merge(make(2, "[1]").State())
	if _, err := b.Finish(); err == nil {
		t.Error("a bad source was forgotten")
	}
	c := make(0, "[]")
	c.Merge(b.State())
	if _, err := c.Finish(); !errors.Is(err, fault.BadState) {
		t.Error(err)
	}
}

func FuzzState(f *testing.F) {
	a, _ := New(Options{}, timeline.Part{}, connlog.Lines)
	feed(a, rec+"\n{}", nil)
	f.Add(a.State())
	f.Fuzz(func(t *testing.T, state []byte) {
		a, _ := New(Options{}, timeline.Part{}, connlog.Lines)
		if err := a.Merge(state); err != nil {
			if !errors.Is(err, fault.BadState) || a.table.n != 0 {
				t.Fatal(err, a.table.n)
			}
			return
		}
		if r, err := a.Finish(); err == nil {
			r.AppendJSON(nil)
		}
		a.State()
	})
}
