package wrapper_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

func catalogue() connlog.Catalogue {
	return connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
}

// read sniffs and reads an input and prints what came of it.
func read(t testing.TB, input string, o connlog.Options) string {
	p, err := connlog.Sniff(catalogue(), []byte(input), o)
	if err != nil {
		t.Fatalf("%.80q: %v", input, err)
	}
	r, err := connlog.NewReader(p, catalogue(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", strings.Join(p.Wrappers, "+"), p.Formats[0].Name)
	var b connlog.Batch
	r.Feed([]byte(input), true)
	for r.Next(&b) {
		for i := range b.Events {
			e := &b.Events[i]
			fmt.Fprintf(&out, "%s %s %s %s %s", e.Kind, civil.AppendRFC3339(nil, e.Time, e.Resolution), b.Text(e.Client), b.Text(e.Path), b.Text(e.UserAgent))
			if e.Count > 1 {
				fmt.Fprintf(&out, " x%d", e.Count)
			}
			out.WriteString("\n")
		}
	}
	for _, s := range r.Counts.Skipped {
		fmt.Fprintf(&out, "skipped %d: %s\n", s.Count, s.Reason)
	}
	return out.String()
}

// The same line of nginx in nine wrappers gives the same two events, with the milliseconds of the wrapper's stamp.
func TestWrappers(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/logs/constructed-wrappers.log")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	const fine = "attempt 2026-11-30T16:46:05.338%s 192.0.2.10 /ws wsprobe/1.2.3\nclose 2026-11-30T16:46:06.869%s 192.0.2.10 /ws wsprobe/1.2.3\n"
	const coarse = "attempt 2026-11-30T16:46:04Z 192.0.2.10 /ws wsprobe/1.2.3\nclose 2026-11-30T16:46:06Z 192.0.2.10 /ws wsprobe/1.2.3\n"
	for i, want := range []string{
		"docker nginx\n" + fmt.Sprintf(fine, "412345Z", "412345Z"),
		"cri nginx\n" + fmt.Sprintf(fine, "412345Z", "412345Z"),
		"journald nginx\n" + fmt.Sprintf(fine, "412Z", "412Z"),
		"fluentbit nginx\n" + fmt.Sprintf(fine, "412Z", "412Z"),
		"filebeat nginx\n" + fmt.Sprintf(fine, "Z", "Z"),
		" json\n" + fmt.Sprintf(fine, "Z", "Z"),
		"otlp json\nclose 2026-11-30T16:46:06.869412345Z 192.0.2.10 /ws wsprobe/1.2.3\n",
		"syslog nginx\n" + coarse,
		"syslog nginx\n" + fmt.Sprintf(fine, "412Z", "412Z"),
	} {
		if got := read(t, lines[i]+"\n", connlog.Options{}); got != want {
			t.Errorf("line %d:\ngot  %swant %s", i+1, got, want)
		}
	}
}

const (
	plain  = `192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 101 4 "-" "wsprobe/1.2.3" rt=1.531`
	quoted = `192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] \"GET /ws HTTP/1.1\" 101 4 \"-\" \"wsprobe/1.2.3\" rt=1.531`
	events = "attempt 2026-11-30T16:46:04Z 192.0.2.10 /ws wsprobe/1.2.3\nclose 2026-11-30T16:46:06Z 192.0.2.10 /ws wsprobe/1.2.3\n"
	millis = "attempt 2026-11-30T16:46:05.338Z 192.0.2.10 /ws wsprobe/1.2.3\nclose 2026-11-30T16:46:06.869Z 192.0.2.10 /ws wsprobe/1.2.3\n"
)

func TestLayers(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"nginx-1    | " + plain + "          ", "compose nginx\n" + events},
		{"\x1b[36mnginx-1    |\x1b[0m " + plain, "compose nginx\n" + events},
		{"nginx-1    | 2026-11-30T16:46:06.869Z " + plain, "compose+stamped nginx\n" + millis},
		{"2026-11-30T16:46:06.869Z " + plain, "stamped nginx\n" + millis},
		{"2026-11-30T16:46:06.869Z stdout F " + plain, "cri nginx\n" + millis},
		{"[pod/gw-0/nginx] " + plain, "kubectl nginx\n" + events},
		{"[pod/gw-0/nginx] 2026-11-30T16:46:06.869Z " + plain, "kubectl+stamped nginx\n" + millis},
		{`gw-687cf57f46-dx6v7 nginx ` + plain, "kubectl nginx\n" + events},
		{"\x1b[1;31mgw-687cf57f46-dx6v7\x1b[0m \x1b[32mnginx\x1b[0m " + plain, "kubectl nginx\n" + events},
		{"2026-11-30T16:46:06.869412+00:00 gw-1 nginx[812]: " + plain, "syslog nginx\n" + strings.ReplaceAll(strings.ReplaceAll(millis, "869Z", "869412Z"), "338Z", "338412Z")},
		{"Nov 30 16:46:06 gw-1 nginx[812]: " + plain, "syslog nginx\n" + events},
		{"<190>Nov 30 16:46:06 gw-1 nginx: " + plain, "syslog nginx\n" + events},
		{"172 <190>1 2026-11-30T16:46:06.869Z gw-1 nginx - - [x@1 a=\"]\"] " + plain, "syslog nginx\n" + millis},
		{"Nov 30 16:46:06 gw-1 nginx: message repeated 3 times: [ " + plain + " ]", "syslog nginx\n" + strings.ReplaceAll(events, "1.2.3\n", "1.2.3 x3\n")},
		{"Nov 30 16:46:06 gw-1 nginx: " + plain + "\nNov 30 16:46:07 gw-1 last message repeated 2 times", "syslog nginx\n" + events + strings.ReplaceAll(events, "1.2.3\n", "1.2.3 x2\n")},
		{`{"events":[{"timestamp":1796057166869,"message":"` + quoted + `"}]}`, "cloudwatch nginx\n" + millis},
		{`{"timestamp":1796057166869,"message":"` + quoted + `"}`, "cloudwatch-line nginx\n" + millis},
		{`{"preview":false,"result":{"_raw":"` + quoted + `","_time":"2026-11-30T16:46:06.869+00:00"}}`, "splunk-result nginx\n" + millis},
		{`{"labels":{"app":"gw"},"line":"` + quoted + `","timestamp":"2026-11-30T16:46:06.869Z"}`, "loki-line nginx\n" + millis},
		{`{"data":{"resultType":"streams","result":[{"stream":{"app":"gw"},"values":[["1796057166869000000","` + quoted + `"]]}]}}`, "loki nginx\n" + strings.ReplaceAll(strings.ReplaceAll(millis, "869Z", "869000000Z"), "338Z", "338000000Z")},
		{`{"textPayload":"` + quoted + `","timestamp":"2026-11-30T16:46:06.869Z","insertId":"x"}`, "gcp-payload nginx\n" + millis},
		{`{"log":"{\"time\":1796057166869,\"event\":\"connect\",\"ip\":\"192.0.2.10\"}\n","stream":"stdout","time":"2026-11-30T16:46:07Z"}`, "docker json\nattempt 2026-11-30T16:46:06.869Z 192.0.2.10  \n"},
		{`{"log":"<190>1 2026-11-30T16:46:06.869Z gw-1 nginx 812 - - ` + quoted + `\n","stream":"stdout","time":"2026-11-30T16:46:06.9Z"}`, "docker+syslog nginx\n" + millis},
		{`{"MESSAGE":[49,57,50,46,48,46,50,46,49,48,32,45,32,45,32,91,51,48,47,78,111,118,47,50,48,50,54,58,49,54,58,52,54,58,48,54,32,43,48,48,48,48,93,32,34,71,69,84,32,47,119,115,32,72,84,84,80,47,49,46,49,34,32,49,48,49,32,52,32,34,45,34,32,34,255,34],"__REALTIME_TIMESTAMP":"1796057166869000"}`,
			"journald nginx\nclose 2026-11-30T16:46:06.869000Z 192.0.2.10 /ws \xff\n"},
		// uvicorn has no time of its own: the wrapper's is the only one.
		{`{"log":"INFO:     192.0.2.10:50559 - \"WebSocket /ws?token=x\" [accepted]\n","stream":"stderr","time":"2026-11-30T16:46:06.869Z"}`, "docker uvicorn\nattempt 2026-11-30T16:46:06.869Z 192.0.2.10 /ws \n"},
		{"2026-11-30T16:46:06.869Z stderr F INFO:     192.0.2.10:50559 - \"WebSocket /ws\" [accepted]", "cri uvicorn\nattempt 2026-11-30T16:46:06.869Z 192.0.2.10 /ws \n"},
	} {
		if got := read(t, c.in+"\n", connlog.Options{}); got != c.want {
			t.Errorf("%.100q\ngot  %swant %s", c.in, got, c.want)
		}
	}
}

// A partial line of CRI goes on in the next line of its stream; another stream's lines may stand between.
func TestPartial(t *testing.T) {
	in := "2026-11-30T16:46:06.869Z stdout P " + plain[:40] + "\n2026-11-30T16:46:06.870Z stderr F something else [5]\n2026-11-30T16:46:06.871Z stdout F " + plain[40:] + "\n"
	want := "attempt 2026-11-30T16:46:05.340Z 192.0.2.10 /ws wsprobe/1.2.3\nclose 2026-11-30T16:46:06.871Z 192.0.2.10 /ws wsprobe/1.2.3\n"
	if got := read(t, in, connlog.Options{Format: "nginx"}); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// A syslog header has no year: the last that does not lie after the day on which the file was written.
func TestYear(t *testing.T) {
	line := "Dec 31 23:59:58 gw-1 web: INFO:     192.0.2.10:50559 - \"WebSocket /ws\" [accepted]\n"
	for _, c := range []struct {
		o    connlog.Options
		want string
	}{
		{connlog.Options{}, "skipped 1: no timestamp\n"},
		{connlog.Options{Year: 2025}, "attempt 2025-12-31T23:59:58Z 192.0.2.10 /ws \n"},
		{connlog.Options{Day: civil.Days(2026, 12, 31)}, "attempt 2026-12-31T23:59:58Z 192.0.2.10 /ws \n"},
		{connlog.Options{Day: civil.Days(2027, 1, 2)}, "attempt 2026-12-31T23:59:58Z 192.0.2.10 /ws \n"},
	} {
		if got := read(t, line, c.o); got != "syslog uvicorn\n"+c.want {
			t.Errorf("%+v: got %s", c.o, got)
		}
	}
}

func FuzzPeel(f *testing.F) {
	data, err := os.ReadFile("../../../testdata/logs/constructed-wrappers.log")
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range bytes.Split(data, []byte{'\n'}) {
		f.Add(l)
	}
	for _, s := range []string{"nginx-1  | x", "\x1b[36mx |", "[pod/a/b] [1", "<1>1 - - - - - [", "message repeated 2 times: [x]", `{"data":{"result":[{"values":[["1","a"],[]]}]}}`, `{"MESSAGE":[1,256]}`, `{"events":[{}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var b connlog.Batch
		for _, w := range wrapper.All() {
			b.Reset(line)
			r := connlog.Record{Span: connlog.Span{Len: uint32(len(line))}, Written: connlog.None}
			w.Match(line)
			out, reason := w.Peel(nil, &b, r)
			if reason != connlog.Used && len(out) > 0 {
				t.Fatalf("%s: %s with %d records", w.Name(), reason, len(out))
			}
			for _, one := range out {
				b.Text(one.Span)
			}
		}
	})
}

// Envoy's own log with a filter's lines in it: what the filter wrote is read, the rest is ignored, and an access log that
// runs into the same output is still read.
func TestEnvoyWasm(t *testing.T) {
	const want = "envoy-wasm base\n" +
		"attempt 2026-11-30T23:35:01.001Z 192.0.2.7 /ws app/1\n" +
		"attempt 2026-11-30T23:35:02.001Z 192.0.2.7 /ws app/1\n"
	object := func(second string) string {
		return `{"timestamp":"2026-11-30T23:35:0` + second + `.001Z","client_ip":"192.0.2.7","event_type":"retry","outcome":"limited","status":429,"user_agent":"app/1","path":"/ws"}`
	}
	for name, input := range map[string]string{
		"envoy": "[2026-11-30 23:35:00.000][7][info][main] [source/server/server.cc:425] initializing epoch 0\n" +
			"[2026-11-30 23:35:00.001][7][warning][config] [source/server/options.cc:12] a thing\n" +
			"[2026-11-30 23:35:01.001][9][info][wasm] [source/extensions/common/wasm/context.cc:1160] wasm log stormlint stormlint: " + object("1") + "\n" +
			"[2026-11-30 23:35:01.500][9][warning][wasm] [source/extensions/common/wasm/context.cc:1160] wasm log stormlint stormlint: stormlint: handshakes refused: 3\n" +
			"[2026-11-30 23:35:02.001][9][info][wasm] [source/extensions/common/wasm/context.cc:1160] wasm log stormlint stormlint: " + object("2") + "\n",
		"istio": "2026-11-30T23:35:01.001Z\tinfo\tenvoy wasm external/envoy/source/extensions/common/wasm/context.cc:1160\twasm log apps.stormlint: " + object("1") + "\tthread=25\n" +
			"2026-11-30T23:35:02.001Z\tinfo\tenvoy wasm external/envoy/source/extensions/common/wasm/context.cc:1160\twasm log apps.stormlint: " + object("2") + "\tthread=25\n",
	} {
		if got := read(t, input, connlog.Options{}); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}
