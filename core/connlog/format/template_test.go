package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
	"github.com/stormlint/stormlint/core/fault"
)

// Layouts as operators write them, in the three languages, and what a line of each gives.
func TestLayouts(t *testing.T) {
	for _, c := range []struct{ name, layout, line, want string }{
		{"auto", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time "$http_user_agent" "$http_x_forwarded_for"`,
			`192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws?t=1 HTTP/1.1" 101 4 1.531 "wsprobe/1.2 \x22q\x22" "203.0.113.9, 198.51.100.7"`,
			`attempt ok 2026-11-30T16:46:04.469Z ±1s (end-duration) peer=192.0.2.10 forwarded="203.0.113.9, 198.51.100.7" path="/ws" status=101 agent="wsprobe/1.2 \"q\""
close 2026-11-30T16:46:06Z ±1s (end) peer=192.0.2.10 forwarded="203.0.113.9, 198.51.100.7" path="/ws" status=101 duration=1531ms agent="wsprobe/1.2 \"q\""`},
		{"auto", `$msec|$remote_addr|$request_method|$request_uri|$status|${request_time}s|$http_upgrade`,
			`1796057166.869|2001:db8::10|GET|/chat?id=2|429|0.004s|websocket`,
			`attempt limited 2026-11-30T16:46:06.865Z ±1ms (end-duration) peer=2001:db8::10 path="/chat" status=429 duration=4ms`},
		{"auto", `$msec|$remote_addr|$request_method|$request_uri|$status|${request_time}s|$http_upgrade`,
			`1796057166.869|2001:db8::10|GET|/chat?id=2|429|0.004s|-`, `ignored`},
		{"apache", `%h %l %u %t "%r" %>s %b %D "%{User-Agent}i"`,
			`192.0.2.10 - frank [30/Nov/2026:16:46:05 +0000] "GET /ws HTTP/1.1" 101 - 1566240 "wsprobe/1.2.3"`,
			`attempt ok 2026-11-30T16:46:05Z ±1s (start) peer=192.0.2.10 path="/ws" status=101 agent="wsprobe/1.2.3"
close 2026-11-30T16:46:06.566240Z ±1s (start+duration) peer=192.0.2.10 path="/ws" status=101 duration=1566240µs agent="wsprobe/1.2.3"`},
		{"apache", `%v:%p %h %l %u %t "%r" %>s %O %{ms}T`,
			`ws.example.com:443 192.0.2.10 - - [30/Nov/2026:16:46:05 +0000] "GET /ws HTTP/1.1" 503 339 12`,
			`attempt upstream 2026-11-30T16:46:05Z ±1s (start) peer=192.0.2.10 path="/ws" status=503 duration=12ms host="ws.example.com"`},
		{"tomcat", `%h %l %u %t "%r" %s %b %D %F "%{User-Agent}i" "%{X-Forwarded-For}i" %{begin:msec}t %{end:msec}t`,
			`127.0.0.16 - - [30/Nov/2026:19:10:56 +0000] "GET /ws HTTP/1.1" 101 - 1290 1 "wsprobe/2.0 (sdk-js 4.5.6)" "203.0.113.9, 198.51.100.7" 1796065856353 1796065856354`,
			`attempt ok 2026-11-30T19:10:56Z ±1s (end) peer=127.0.0.16 forwarded="203.0.113.9, 198.51.100.7" path="/ws" status=101 agent="wsprobe/2.0 (sdk-js 4.5.6)"`},
		{"undertow", `%h %l %u %t "%r" %s %b %D %T "%{i,User-Agent}" "%{i,X-Forwarded-For}"`,
			`127.0.0.22 - - [30/Nov/2026:19:15:13 +0000] "GET /ws HTTP/1.1" 429 - 7 0.007 "wsprobe/2.0 (sdk-js 4.5.6)" "-"`,
			`attempt limited 2026-11-30T19:15:12.993Z ±1s (end-duration) peer=127.0.0.22 path="/ws" status=429 duration=7ms agent="wsprobe/2.0 (sdk-js 4.5.6)"`},
		{"aiohttp", `%a %t "%r" %s %b "%{Referer}i" "%{User-Agent}i" %Tf`,
			`127.0.0.12 [30/Nov/2026:19:06:55 +0000] "GET /ws HTTP/1.1" 101 0 "-" "wsprobe/2.0" 1.204567`,
			`attempt ok 2026-11-30T19:06:55Z ±1s (start) peer=127.0.0.12 path="/ws" status=101 agent="wsprobe/2.0"
close 2026-11-30T19:06:56.204567Z ±1s (start+duration) peer=127.0.0.12 path="/ws" status=101 duration=1204567µs agent="wsprobe/2.0"`},
		{"template", `{time} {client} {event} {*}`, `2026-11-30T16:46:05.123Z 192.0.2.10 connect whatever token=x`,
			`attempt ok 2026-11-30T16:46:05.123Z ±1ms (start) peer=192.0.2.10`},
		{"template", `[{time}] {event} id={conn} code={code} after {duration_ms}ms`, `[2026/11/30 16:46:05] disconnect id=a7 code=1006 after 1531ms`,
			`close 2026-11-30T16:46:05Z ±1s (end) conn="a7" code=1006 duration=1531ms`},
		{"template", `{time} {event} {client} wait={interval_ms}`, `1796057166.869 reconnect 192.0.2.10 wait=1500`,
			`attempt unknown 2026-11-30T16:46:06.869Z ±1ms (start) peer=192.0.2.10 interval=1500ms`},
		{"template", `{time} {event} {client} wait={interval_ms}`, `1796057166.869 message 192.0.2.10 wait=1500`, `ignored`},
		{"template", `{time} {event} {client} wait={interval_ms}`, `yesterday message 192.0.2.10 wait=1500`, `line does not fit the format`},
		{"template", `{start} {client} {method} {path} {status} {duration}`, `2026-11-30T16:46:05Z 192.0.2.10 GET /ws?x=1 101 30.5s`,
			`attempt ok 2026-11-30T16:46:05Z ±1s (start) peer=192.0.2.10 path="/ws" status=101
close 2026-11-30T16:46:35.500Z ±1s (start+duration) peer=192.0.2.10 path="/ws" status=101 duration=30500ms`},
	} {
		plan, err := connlog.Sniff(connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}, []byte(c.line+"\n"), connlog.Options{Format: c.name, Layout: c.layout})
		if err != nil {
			if c.want != "line does not fit the format" {
				t.Errorf("%s: %v", c.layout, err)
			}
			continue
		}
		f, err := format.Find(plan.Formats[0].Name).Configure(&connlog.Setup{Layout: c.layout})
		if err != nil {
			t.Errorf("%s: %v", c.layout, err)
			continue
		}
		var b connlog.Batch
		b.Reset([]byte(c.line))
		reason := f.Read(&b, connlog.Record{Span: connlog.Span{Len: uint32(len(c.line))}, Written: connlog.None})
		got := string(reason)
		for i := range b.Events {
			got += show(&b, &b.Events[i]) + "\n"
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s (%s):\ngot  %swant %s", c.layout, plan.Formats[0].Name, got, c.want)
		}
	}
}

func TestLayoutsRefused(t *testing.T) {
	for layout, want := range map[string]string{
		"nothing":                   "roles",
		"$remote_addr [$time_local": "status",
		"$remote_addr $status":      "request or the path",
		"${remote_addr $status":     "closing brace",
		"%h %t %>s":                 "request or the path",
		"%h %{User-Agent":           "closing brace",
		"%h %":                      "letter",
		"{time} {whatever}":         "one of",
		"{time} {client":            "closing brace",
	} {
		_, err := format.Find("template").Configure(&connlog.Setup{Layout: layout})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.BadValue || !strings.Contains(f.Error(), want) {
			t.Errorf("%q: %v, want %q", layout, err, want)
		}
	}
	if _, err := format.Find("haproxy").Configure(&connlog.Setup{Layout: "$x"}); !errors.Is(err, fault.BadUsage) {
		t.Errorf("haproxy takes a layout: %v", err)
	}
}
