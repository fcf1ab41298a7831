package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stormlint/stormlint/core/fault"
)

// texts is the table that every test of this file walks and that seeds the fuzz target.
var texts = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `truex`, `0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5e`, `1e+5`, `1E-05`, `1e400`, `-1.5e-3`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `18446744073709551616`, `+1`, `NaN`,
	`""`, `"a"`, `"`, `"\`, `"\"`, `"\u12"`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"\udc00\ud800x"`, `"\ud800\u0041"`, `"\ud83d\ud83d\ude00"`, `"\x"`,
	"\"a\nb\"", "\"a\tb\"", "\"\x7f\"", "\"\xff\"", "\"\xe3\x81\x82\"", "\"\xed\xa0\x80\"", "\"\x00\"", `"\/\b\f\n\r\t\\\""`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[[[]]]`, `[`, `]`, `[}`, `[1}`, `{"a":[1]}`, `{"a":[1}`, `[[]]`, `[{}]`, `[{},{}]`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,"a":1}`, `{"a" : 1 , "b":2}`, `{"a"}`, `{"a":}`, `{a:1}`, `{'a':1}`, `{"a":1 "b":2}`, `{"a":1}}`, `{"a":1} x`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "{\"\xff\":1,\"\ufffd\":2}", `{"\ud800":1,"` + "\ufffd" + `":2}`, "\ufeff{}", "{}\x00", "{\"a\":1}\n", " \t\r\n{\"a\":1}",
	`{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1000}`,
	`{"long key beyond eight bytes":"long value beyond eight bytes, with \"quotes\" and é","b":{"c":[{"d":null},true,false,-1.5e+10,[]]}}`,
	`{"a":"12345678"}`, `{"a":"1234567"}`, `{"a":"123456789","bcdefghijklmnop":"\\"}`, "{\"a\":\"12345678\x1f\"}", "{\"a\x01\":1}", "{\"é\":1}", `{"":""}`,
}

func deep(open, close string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(close, n)
}

// agree compares every layer with encoding/json on one text.
func agree(t *testing.T, data []byte) {
	valid := json.Valid(data)
	if err := Check(data); (err == nil) != valid {
		t.Fatalf("Check(%q) = %v, encoding/json says valid = %v", cut(data), err, valid)
	}
	got := map[string]json.RawMessage{}
	err := Object(data, func(key, value []byte) error {
		got[string(key)] = bytes.Clone(value)
		return nil
	})
	if trimmed := bytes.Trim(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(data, &want)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("Object(%q) = %v, encoding/json: %v", cut(data), err, wantErr)
		}
		if err == nil {
			if len(got) != len(want) {
				t.Fatalf("Object(%q): %d keys, encoding/json has %d", cut(data), len(got), len(want))
			}
			for k, v := range want {
				if !bytes.Equal(got[k], v) {
					t.Fatalf("Object(%q)[%q] = %q, encoding/json: %q", cut(data), k, got[k], v)
				}
			}
		}
	} else if err == nil {
		t.Fatalf("Object(%q) took what is no object", cut(data))
	}
	if err != nil && !errors.Is(err, fault.BadSyntax) {
		t.Fatalf("Object(%q): %v has no code", cut(data), err)
	}
	if !valid {
		return
	}
	value := bytes.Trim(data, " \t\r\n")
	switch KindOf(value) {
	case String:
		var want string
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if s, ok := Text(value); !ok || s != want {
			t.Fatalf("Text(%q) = %q, %v, encoding/json: %q", value, s, ok, want)
		}
		if w := Whole(value); w != whole(value) {
			t.Fatalf("Whole(%q) = %v", value, w)
		}
	case Number:
		var f float64
		wantErr := json.Unmarshal(data, &f)
		if g, ok := Float(value); ok != (wantErr == nil) || ok && (g != f || 1/g != 1/f) {
			t.Fatalf("Float(%q) = %v, %v, encoding/json: %v, %v", value, g, ok, f, wantErr)
		}
		var i int64
		wantErr = json.Unmarshal(data, &i)
		if g, ok := Int(value); ok != (wantErr == nil) || ok && g != i {
			t.Fatalf("Int(%q) = %v, %v, encoding/json: %v, %v", value, g, ok, i, wantErr)
		}
	case List:
		var want []json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := Array(data, func(i int, v []byte) error {
			if i != n || !bytes.Equal(v, want[i]) {
				t.Fatalf("Array(%q)[%d] = %q, encoding/json: %q", cut(data), i, v, want[n])
			}
			n++
			return nil
		}); err != nil || n != len(want) {
			t.Fatalf("Array(%q): %v, %d elements, encoding/json has %d", cut(data), err, n, len(want))
		}
	}
}

// whole is the slow meaning of Whole: decode escapes to UTF-16 and look at each unit.
func whole(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	s := string(raw[1 : len(raw)-1])
	var units []uint16
	for len(s) > 0 {
		if s[0] != '\\' {
			r, n := utf8.DecodeRuneInString(s)
			units = append(units, 'x')
			_ = r
			s = s[n:]
		} else if s[1] == 'u' {
			units = append(units, uint16(hex4([]byte(s[2:6]))))
			s = s[6:]
		} else {
			units = append(units, 'x')
			s = s[2:]
		}
	}
	for i := 0; i < len(units); i++ {
		if utf16.IsSurrogate(rune(units[i])) {
			if i+1 == len(units) || utf16.DecodeRune(rune(units[i]), rune(units[i+1])) == utf8.RuneError {
				return false
			}
			i++
		}
	}
	return true
}

func cut(data []byte) []byte { return data[:min(len(data), 200)] }

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range texts {
		agree(t, []byte(s))
		agree(t, []byte(`{"k":`+s+`}`))
		agree(t, []byte(`[`+s+`, `+s+`]`))
		agree(t, []byte(`{`+s+`:1}`))
		for i := range len(s) {
			agree(t, []byte(s[:i]))
		}
	}
	for _, n := range []int{63, 64, 65, 127, 128, 129, 9998, 9999, 10000, 10001} {
		agree(t, []byte(deep("[", "]", n)))
		agree(t, []byte(deep(`{"a":`, "}", n)[:n*5]+"1"+strings.Repeat("}", n)))
		agree(t, []byte(deep(`{"a":[`, "]}", n/2)))
		agree(t, []byte(`{"a":`+deep("[", "]", n)+`}`))
		agree(t, []byte(deep("[", "]", n)+"]"))
		agree(t, []byte(strings.Repeat("[", n)))
	}
}

func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s))
		f.Add([]byte(`{"k":` + s + `,"l":[` + s + `]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1 "b":2}`: `jsonscan: not valid JSON at byte 7: "b":2}`,
		`{"a":1`:        `jsonscan: JSON text ends too early, at byte 6`,
		`[1]`:           `jsonscan: [1], expected a JSON object`,
		`{"a":tru}`:     `jsonscan: not valid JSON at byte 8: }`,
		`{} x`:          `jsonscan: not valid JSON at byte 3: x`,
	} {
		err := Object([]byte(text), func(_, _ []byte) error { return nil })
		if err == nil || err.Error() != want {
			t.Errorf("Object(%s)\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	var (
		b  bool
		s  string
		i  int
		n  int64
		u  uint64
		x  float64
		r  []byte
		ss []string
		xs []float64
	)
	text := `{"b":true,"s":"a\u0062","i":-7,"n":9223372036854775807,"u":18446744073709551615,"x":1.5,"r":{"a":[1]},"ss":["x","y"],"xs":[1,2.5],"i":null}`
	err := Object([]byte(text), func(key, value []byte) error {
		into := map[string]any{"b": &b, "s": &s, "i": &i, "n": &n, "u": &u, "x": &x, "r": &r, "ss": &ss, "xs": &xs}[string(key)]
		return Read("test", string(key), value, into)
	})
	if err != nil || !b || s != "ab" || i != -7 || n != 1<<63-1 || u != 1<<64-1 || x != 1.5 || string(r) != `{"a":[1]}` || len(ss) != 2 || ss[1] != "y" || xs[1] != 2.5 {
		t.Fatal(err, b, s, i, n, u, x, string(r), ss, xs)
	}
	for value, want := range map[string]string{
		`1.5`:   "test: f is 1.5, expected a whole number",
		`"1"`:   `test: f is "1", expected a whole number`,
		`1e400`: "test: f is 1e400, expected a whole number",
	} {
		if err := Read("test", "f", []byte(value), &i); err == nil || err.Error() != want {
			t.Errorf("Read(%s)\n got %v\nwant %s", value, err, want)
		}
	}
	if err := Read("test", "f", []byte(`[1,"a"]`), &xs); err == nil || err.Error() != `test: f[1] is "a", expected a number` {
		t.Error(err)
	}
}

func TestFieldsDoesNotAllocate(t *testing.T) {
	data := []byte(texts[len(texts)-9])
	if n := testing.AllocsPerRun(100, func() {
		f := Fields{Data: data}
		f.Open(0, 0)
		for f.Next() {
		}
	}); n != 0 {
		t.Errorf("%v allocations an object", n)
	}
}
