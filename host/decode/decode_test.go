package decode

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
)

var records = []string{
	`{}`, `{"a":1}`, ` {"a" : 1 , "b" : [1,2,{"c":null}]} `, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}",
	`{"a":1e999}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":"` + "\n" + `"}`, `{"a":"\x"}`, `{"a":tru}`, `{"a"}`, `{"a":1,}`, `{,}`, `{"a":1} x`,
	`{"a":{"b":{"c":[[[]]]}}}`, `{"a":-0}`, `{"a":"\u0000"}`, `{"":""}`, "{\"a\":\"\u2028\"}", `{"a":1`, `{"a":"`, `{"a":[1,]}`, "{\"a\":1}\x00", `{"a":nul}`, `{"a":"\ud83d\ude00"}`,
	"{\"k\xff\":1}", `{"a":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
	`{"a":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`,
}

// Both libraries take every record apart into the same fields, or both refuse it.
func same(t *testing.T, record string) {
	std, wrong := Std().fields([]byte(record))
	fast, alsoWrong := Fastest().fields([]byte(record))
	shown := record[:min(len(record), 80)]
	if (wrong != nil) != (alsoWrong != nil) {
		t.Fatalf("%q: std says %v, %s says %v", shown, wrong, Fastest().Name, alsoWrong)
	}
	if wrong == nil && string(rewritten(std)) != string(rewritten(fast)) {
		t.Fatalf("%q: std gives %s, %s gives %s", shown, rewritten(std), Fastest().Name, rewritten(fast))
	}
	if wrong == nil && !json.Valid(rewritten(std)) {
		t.Fatalf("%q is written again as %s", shown, rewritten(std))
	}
}

func TestSame(t *testing.T) {
	for _, r := range records {
		same(t, r)
	}
}

func FuzzSame(f *testing.F) {
	for _, r := range records {
		if len(r) < 1000 { // deep nesting is the table's; here it only slows the search
			f.Add(r)
		}
	}
	f.Fuzz(same)
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"std": "std", "sonic": Fastest().Name} {
		l, err := Named(name)
		if err != nil || l.Name != want {
			t.Errorf("Named(%q) = %v, %v", name, l, err)
		}
	}
	if l, err := Named("own"); l != nil || err != nil {
		t.Errorf("Named(own) = %v, %v", l, err)
	}
	if _, err := Named("simd"); !errors.Is(err, fault.BadValue) {
		t.Errorf("Named(simd): %v", err)
	}
	var v struct{ A int }
	if err := Unmarshal([]byte(`{"a":3}`), &v); err != nil || v.A != 3 {
		t.Errorf("Unmarshal: %v %v", v, err)
	}
}
