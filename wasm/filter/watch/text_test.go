package watch

import (
	"strings"
	"testing"
)

const jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

// What a client calls itself is shown without what may be a secret, however long it is; ordinary words stay.
func TestMasks(t *testing.T) {
	var m Masks
	const hex = "9f86d081884c7d659a2feaa0c55ad015"
	for _, c := range []struct{ text, want string }{ // "" wants it as it is
		{"app/1", ""},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36", ""},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148", ""},
		{"okhttp/4.12.0", ""},
		{"app/1 (token=s3cr3tvalue)", "app/1 (token=***"},
		{"Bearer s3cr3t.value.of.mine", "Bearer ***"},
		{"app/1 " + jwt, "app/1 ***"},
		{"app/1 " + hex, "app/1 ***"},
		{"anna@example.org", "***@***"},
		{strings.Repeat(hex+" ", 30) + hex[:5], strings.Repeat("*** ", 30) + hex[:5]},
		{strings.Repeat(hex+" ", 31) + hex + hex, strings.Repeat("*** ", 31)},
	} {
		if c.want == "" {
			c.want = c.text
		}
		for range 2 { // looked through, and remembered
			if got := string(m.shown(c.text)); got != c.want {
				t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
			}
		}
	}
	for text, want := range map[string]string{"/a/b": "/a/b", strings.Repeat("/a", 200): strings.Repeat("/a", 128) + "/", strings.Repeat("x", 300): "", strings.Repeat("/a", 120) + "/" + jwt: strings.Repeat("/a", 120) + "/"} {
		if got := cut(text, longestText); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

func FuzzMasks(f *testing.F) {
	f.Add("app/1 " + jwt)
	f.Fuzz(func(t *testing.T, text string) {
		var m Masks
		once := string(m.shown(text))
		if again := string(m.shown(text)); again != once || len(once) > longestText {
			t.Errorf("%q, then %q", once, again)
		}
	})
}
