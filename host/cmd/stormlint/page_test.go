package main

import (
	"bytes"
	"strings"
	"testing"
)

// An address that is not surely the loopback's is refused, and the forms that are taken are said.
func TestPageListen(t *testing.T) {
	for listen, want := range map[string]string{
		"127.1:0":      "localhost, or one of 127.0.0.0/8 or [::1] written in full",
		"0.0.0.0:0":    "localhost, or one of",
		":0":           "or --public besides",
		"192.0.2.1:80": "or --public besides",
		"9090":         "HOST:PORT",
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.NewReader(""), &stdout, &stderr, []string{"page", "--listen", listen})
		if code != exitBad || stdout.Len() > 0 || !strings.Contains(strings.Join(strings.Fields(stderr.String()), " "), want) {
			t.Errorf("%s: exit %d, %s%s", listen, code, stdout.String(), stderr.String())
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"} {
		if !own(host) {
			t.Errorf("%s is refused", host)
		}
	}
}
