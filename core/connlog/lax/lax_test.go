package lax

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stormlint/stormlint/core/jsonscan"
)

type field struct {
	Field     string          `json:"field"`
	JSON      string          `json:"json"`
	Absent    bool            `json:"absent"`
	Accepted  bool            `json:"accepted"`
	As        json.RawMessage `json:"as"`
	UnixUS    *int64          `json:"unix_us"`
	MayRefuse string          `json:"may_refuse"`
}

func TestAsThePrototype(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/compat/validation.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Fields []field }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range all.Fields {
		if f.Absent || !json.Valid([]byte(f.JSON)) || f.JSON == "null" {
			continue
		}
		raw := []byte(f.JSON)
		switch f.Field {
		case "retry_interval_ms":
			n++
			v, ok := Int(raw)
			if ok != f.Accepted && f.MayRefuse == "" {
				t.Errorf("Int(%s) accepted: %v, the prototype: %v", f.JSON, ok, f.Accepted)
			}
			want := string(f.As)
			if s, isText := jsonscan.Text(f.As); isText {
				want = s
			}
			if ok && strconv.FormatInt(v, 10) != want {
				t.Errorf("Int(%s) = %d, the prototype: %s", f.JSON, v, want)
			}
		case "timestamp":
			n++
			us, ok := Time(raw)
			if ok != f.Accepted {
				t.Errorf("Time(%s) accepted: %v, the prototype: %v", f.JSON, ok, f.Accepted)
			} else if ok && us != *f.UnixUS {
				t.Errorf("Time(%s) = %d, the prototype: %d", f.JSON, us, *f.UnixUS)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d values tested", n)
	}
}

func TestInt(t *testing.T) {
	for _, c := range []struct {
		raw string
		v   int64
		ok  bool
	}{
		{`"-9223372036854775808"`, -1 << 63, true}, {`"9223372036854775807"`, 1<<63 - 1, true}, {`"9223372036854775808"`, 0, false},
		{`"-9223372036854775809"`, 0, false}, {`"_"`, 0, false}, {`"-"`, 0, false}, {`"1_.0"`, 0, false}, {`"."`, 0, false}, {`-1.0`, -1, true},
		{`9223372036854775807.0`, 0, false}, {`0.5e1`, 5, true}, {`""`, 0, false}, {`"1.0.0"`, 0, false},
	} {
		if v, ok := Int([]byte(c.raw)); ok != c.ok || ok && v != c.v {
			t.Errorf("Int(%s) = %d, %v, want %d, %v", c.raw, v, ok, c.v, c.ok)
		}
	}
}

func FuzzNeverPanics(f *testing.F) {
	for _, s := range []string{`"2026-10-25T10:00:00.5+09:00"`, `"2026-10-25"`, `-1.5`, `" +1_0.0 "`, `true`, `"\u221201"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if jsonscan.Check(raw) != nil {
			return
		}
		raw = bytes.TrimSpace(raw)
		Int(raw)
		if us, ok := Time(raw); ok && (us < first*1e6-86400e6 || us > (last+1)*1e6+86400e6) {
			t.Errorf("Time(%s) = %d lies outside the years 1 to 9999", raw, us)
		}
	})
}
