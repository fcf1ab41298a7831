package jsonwrite_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stormlint/stormlint/core/jsonwrite"
)

func TestShape(t *testing.T) {
	b := jsonwrite.Object(nil)
	b = jsonwrite.Key(b, "a")
	b = jsonwrite.Array(b)
	b = jsonwrite.Int(b, -1)
	b = jsonwrite.Uint(b, math.MaxUint64)
	b = jsonwrite.Object(b)
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Bool(b, true)
	b = jsonwrite.Null(b)
	b = jsonwrite.Time(b, 0, 1e9)
	b = jsonwrite.Strings(b, []string{"x,", "["})
	b = jsonwrite.Raw(b, []byte(`{"k":1}`))
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Key(b, "b")
	b = jsonwrite.String(b, "")
	b = jsonwrite.End(b, '}')
	want := `{"a":[-1,18446744073709551615,{},true,null,"1970-01-01T00:00:00Z",["x,","["],{"k":1}],"b":""}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int // -1: Float
		want     string
	}{
		{0.1, -1, "0.1"}, {1e21, -1, "1e+21"}, {1e-7, -1, "1e-7"}, {123456789, -1, "123456789"},
		{math.NaN(), -1, "null"}, {math.Inf(1), -1, "null"}, {math.Copysign(0, -1), -1, "0"},
		{1234.5678, 2, "1234.57"}, {0.125, 2, "0.12"}, {0.375, 2, "0.38"}, {100, 2, "100"}, {-0.001, 2, "0"}, {1e30, 0, "1000000000000000019884624838656"},
		{math.NaN(), 2, "null"},
	} {
		got := ""
		if c.decimals < 0 {
			got = string(jsonwrite.Float(nil, c.v))
		} else {
			got = string(jsonwrite.Fixed(nil, c.v, c.decimals))
		}
		if got != c.want {
			t.Errorf("%v with %d decimals: %s, want %s", c.v, c.decimals, got, c.want)
		}
	}
	for ns, want := range map[int64]string{0: "0", 1: "0.000001", 1_500_000: "1.5", -1_000_000: "-1", -1 << 63: "-9223372036854.775808"} {
		if got := string(jsonwrite.Millis(nil, ns)); got != want {
			t.Errorf("Millis(%d) = %s, want %s", ns, got, want)
		}
	}
}

// Whatever the bytes, the output is valid JSON that reads back as encoding/json's own spelling does.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", `"\`, "\x00\x1f\x7f", "\u2028\u2029", "<script>&", "\xff\xfe", "日本", "\ud7ff\U0010ffff", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := jsonwrite.String(nil, s)
		var got, want string
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		std, _ := json.Marshal(s)
		if err := json.Unmarshal(std, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q reads back as %q, want %q", s, got, want)
		}
		if string(jsonwrite.Bytes(nil, []byte(s))) != string(b) {
			t.Fatal("Bytes differs from String")
		}
	})
}
