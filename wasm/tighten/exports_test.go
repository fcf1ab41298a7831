package main

import (
	"strings"
	"testing"
)

// exported is a module that exports memories of these names, and nothing else.
func exported(names ...string) []byte {
	content := appendUnsigned(nil, uint64(len(names)))
	for _, n := range names {
		content = append(appendUnsigned(content, uint64(len(n))), n...)
		content = append(content, 2, 0)
	}
	return append(append([]byte(preamble+"\x05\x03\x01\x00\x01"), exportSection, byte(len(content))), content...)
}

func TestWithout(t *testing.T) {
	got, err := without(exported("a", "b", "cc", "d"), []string{"cc", "a"})
	if want := exported("b", "d"); err != nil || string(got) != string(want) {
		t.Errorf("%q, %v; wanted %q", got, err, want)
	}
	for names, part := range map[string]string{"a,e": `["e"]`, "a,a": `["a"]`, "a,b,cc,d": "cannot be called"} {
		if _, err := without(exported("a", "b", "cc", "d"), strings.Split(names, ",")); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", names, err)
		}
	}
	whole := exported("a", "b")
	for n := range len(whole) {
		if _, err := without(whole[:n], []string{"a"}); err == nil {
			t.Errorf("the first %d bytes are taken for a module", n)
		}
	}
}
