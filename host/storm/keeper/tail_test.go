package keeper

import (
	"strings"
	"testing"
)

// What a program said last is the cause of its end, not the trace that a runtime prints after it.
func TestTailTellsTheCause(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"", ""},
		{"connecting\nno such host\n", "no such host"},
		{"  only indented\n  twice\n", "twice"},
		{"node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '/x/client.js'\n    at Module._load (node:internal:1)\n" +
			"    at node:internal/main:28:49 {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n", "Error: Cannot find module '/x/client.js'"},
		{"file:///x.mjs:1\nfunction f() {\n   ^\n\nTypeError: no such thing\n    at f (file:///x.mjs:1:22)\n\nNode.js v20.20.2\n", "TypeError: no such thing"},
		{"Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    main()\nConnectionRefusedError: [Errno 111]\n", "ConnectionRefusedError: [Errno 111]"},
		{"panic: no policy\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:5 +0x1\nexit status 2\n", "panic: no policy"},
		{"Exception in thread \"main\" java.io.IOException: gone\n\tat Client.main(Client.java:3)\n", "Exception in thread \"main\" java.io.IOException: gone"},
		{"panic: long\n\n" + strings.Repeat("main.step()\n\t/x/main.go:5 +0x1\n", 80), "panic: long"},
	} {
		var kept tail
		kept.Write([]byte(c.said))
		if got := kept.last(); got != c.want {
			t.Errorf("of %q the line is %q, want %q", c.said, got, c.want)
		}
	}
}
