package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestFormatsVerb(t *testing.T) {
	const line = `nginx-1  | 192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws?token=abc HTTP/1.1" 101 4 "-" "wsprobe/1.2.3" rt=1.531` + "\n"
	for _, c := range []struct {
		args []string
		in   string
		code int
		want []string
	}{
		{[]string{"formats"}, "", 0, []string{"haproxy", "mosquitto", "Wrappers", "--log-format"}},
		{[]string{"formats", "-o", "json"}, "", 0, []string{`"name":"nginx"`, `"wrappers":["docker"`}},
		{[]string{"formats", "explain"}, line, 0, []string{"Wrapped in compose", "Read as nginx", "1531 ms", "wsprobe/1.2.3"}},
		{[]string{"formats", "explain", "-o", "json"}, line, 0, []string{`"wrappers":["compose"]`, `"kind":"close"`, `"duration":"1531 ms"`}},
		{[]string{"formats", "explain", "--format", "nosuch"}, line, 2, []string{"unknown format"}},
		{[]string{"formats", "explain", "--log-format", "nothing"}, line, 2, []string{"none of the first records"}},
		{[]string{"formats", "explain", "no/such/file"}, "", 2, []string{"no/such/file"}},
	} {
		var out, errs bytes.Buffer
		code := run(strings.NewReader(c.in), &out, &errs, c.args)
		all := out.String() + errs.String()
		if code != c.code {
			t.Errorf("%v: exit %d, want %d\n%s", c.args, code, c.code, all)
		}
		for _, w := range c.want {
			if !strings.Contains(all, w) {
				t.Errorf("%v: no %q in\n%s", c.args, w, all)
			}
		}
		if strings.Contains(all, "abc") {
			t.Errorf("%v: the token came out\n%s", c.args, all)
		}
	}
}
