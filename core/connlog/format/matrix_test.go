package format_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// odd is an input and what it gives: records, used, ignored, what was skipped for which reason, the formats and the clients.
type odd struct{ name, in, want string }

func matrix() []odd {
	line := func(host string) string {
		return host + ` - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 101 4 "-" "wsprobe/1.2.3" rt=1.531`
	}
	const good = `192.0.2.10`
	ok := line(good) + "\n"
	const envoy = `[2026-11-30T16:46:05.590Z] "GET /ws HTTP/1.1" 101 - 0 0 3000 - "192.0.2.10" "wsprobe/1.2.3" "52aP" "ws.example.com" "198.51.100.7:80"`
	const haproxy = `192.0.2.11:43000 [30/Nov/2026:16:46:05.590] fe be/s1 0/0/0/1/1541 101 202 - - ---- 3/1/2/2/0 0/0 "GET /ws HTTP/1.1"`
	return []odd{
		{"plain", ok + ok, "2 2 0, nginx, 192.0.2.10"},
		{"byte order mark", "\ufeff" + ok + ok, "2 2 0, nginx, 192.0.2.10"},
		{"CRLF", strings.ReplaceAll(ok+ok, "\n", "\r\n"), "2 2 0, nginx, 192.0.2.10"},
		{"no line end at the end", ok + strings.TrimSuffix(ok, "\n"), "2 2 0, nginx, 192.0.2.10"},
		{"cut last line", ok + ok + ok[:40], "3 2 0, cut off at the end of the input=1, nginx, 192.0.2.10"},
		{"blank lines", "\n" + ok + "\n\n  \n" + ok, "2 2 0, nginx, 192.0.2.10"},
		{"a hole of NULs", ok + strings.Repeat("\x00", 100) + ok, "2 2 0, nginx, 192.0.2.10"},
		{"NULs inside", ok + strings.Repeat(ok[:20]+"\x00\x00\n", 2) + ok, "4 2 0, NUL bytes=2, nginx, 192.0.2.10"},
		{"two lines in one", ok + strings.TrimSuffix(ok, "\n") + ok, "2 1 0, several lines in one=1, nginx, 192.0.2.10"},
		{"lone carriage returns", ok + strings.Repeat(strings.TrimSuffix(ok, "\n")+"\r", 3) + "\n" + ok, "3 2 0, several lines in one=1, nginx, 192.0.2.10"},
		{"an ordinary line and an attempt in one", ok + strings.TrimSuffix(strings.Replace(ok, "101", "200", 1), "\n") + "\u2028" + ok, "2 1 0, several lines in one=1, nginx, 192.0.2.10"},
		{"two lines of Envoy in one", envoy + "\n" + envoy + envoy + "\n", "2 1 0, several lines in one=1, envoy, 192.0.2.10"},
		{"two lines of HAProxy in one", haproxy + "\n" + haproxy + " " + haproxy + "\n", "2 1 0, several lines in one=1, haproxy, 192.0.2.11"},
		{"a second date that is no line", strings.Replace(ok, "wsprobe", "from [30/Nov/2026:16:46:06 +0000] GET /ws on", 1), "1 1 0, nginx, 192.0.2.10"},
		{"rubbish", ok + "what is this?\n" + ok, "3 2 0, line does not fit the format=1, nginx, 192.0.2.10"},
		{"a stamp that cannot be", ok + strings.Replace(ok, "30/Nov", "31/Nov", 1), "2 1 0, timestamp cannot be read=1, nginx, 192.0.2.10"},
		{"a date whose day and month could be exchanged", `{"time":"11/12/2026, 4:46:05 PM","event":"connect","ip":"192.0.2.11"}` + "\n" + `{"time":"2026-11-30T16:46:05Z","event":"connect","ip":"192.0.2.12"}` + "\n",
			"2 1 0, timestamp does not tell the day from the month=1, json, 192.0.2.12"},
		{"a leap second", strings.Replace(ok, "16:46:06", "23:59:60", 1), "1 1 0, nginx, 192.0.2.10"},
		{"IPv6", line("2001:db8::10") + "\n", "1 1 0, nginx, 2001:db8::10"},
		{"IPv6 in full", line("0:0:0:0:0:0:0:1") + "\n", "1 1 0, nginx, 0:0:0:0:0:0:0:1"},
		{"IPv4 in IPv6", line("::ffff:192.0.2.10") + "\n", "1 1 0, nginx, ::ffff:192.0.2.10"},
		{"a host name", line("client.example.com") + "\n", "1 1 0, nginx, client.example.com"},
		{"unix socket", line("unix:") + "\n", "1 1 0, nginx, unix:"},
		{"anonymised", line("192.0.2.x") + "\n", "1 1 0, nginx, 192.0.2.x"},
		{"two formats in one file", ok + `192.0.2.11:43000 [30/Nov/2026:16:46:05.590] fe be/s1 0/0/0/1/1541 101 202 - - ---- 3/1/2/2/0 0/0 "GET /ws HTTP/1.1"` + "\n" + ok,
			"3 3 0, nginx+haproxy, 192.0.2.10 192.0.2.11"},
		{"nginx's error log alone", "2026/11/30 16:46:06 [error] 12#12: *5 upstream timed out while reading upstream, client: 192.0.2.1, request: \"GET /ws HTTP/1.1\"\n", "1 0 1, nginx-error, "},
		{"nginx's error log beside", ok + "2026/11/30 16:46:06 [error] 12#12: *5 upstream timed out while reading upstream, client: 192.0.2.1, request: \"GET /ws HTTP/1.1\"\n" + ok, "3 2 1, nginx+nginx-error, 192.0.2.10"},
		{"an application beside", ok + `{"time":1796057324979,"event":"connect","id":"52aP","ip":"192.0.2.12"}` + "\n" + "INFO:     192.0.2.13:50559 - \"WebSocket /ws\" [accepted]\n",
			"3 2 0, no timestamp=1, uvicorn+nginx+json, 192.0.2.10 192.0.2.12"},
		{"an application that begins to log later", strings.Repeat(ok, 200) + strings.Repeat(`{"time":1796057324979,"event":"connect","id":"52aP","ip":"192.0.2.12"}`+"\n", 100),
			"300 300 0, nginx+json, 192.0.2.10 192.0.2.12"},
		{"an array", `[{"time":1796057324979,"event":"connect","id":"52aP","ip":"192.0.2.12"},` + "\n" + `{"time":1796057324980,"event":"disconnect","id":"52aP"}]`,
			"2 2 0, json, 192.0.2.12"},
		{"a lost quote in a one-line array", `[{"time":1796057324979,"event":"connect","id":"52aP,"ip":"192.0.2.11"},{"time":1796057324979,"event":"connect","id":"52aQ","ip":"192.0.2.12"},{"time":1796057324980,"event":"disconnect","id":"52aQ"}]`,
			"3 2 0, not valid JSON=1, json, 192.0.2.12"},
		{"a lost bracket in a one-line array", `[{"time":1796057324979,"event":"connect","id":"52aP","ip":"192.0.2.11",{"time":1796057324979,"event":"connect","id":"52aQ","ip":"192.0.2.12"}]`,
			"2 1 0, not valid JSON=1, json, 192.0.2.12"},
		{"an array without its brackets", `{"time":1796057324979,"event":"connect","id":"52aP","ip":"192.0.2.12"},{"time":1796057324980,"event":"disconnect","id":"52aP"}`,
			"2 2 0, json, 192.0.2.12"},
		{"objects on several lines", "{\n \"time\": 1796057324979,\n \"event\": \"connect\",\n \"ip\": \"192.0.2.12\"\n}\n{\n \"time\": 1796057324980,\n \"event\": \"disconnect\",\n \"ip\": \"192.0.2.12\"\n}\n",
			"2 2 0, json, 192.0.2.12"},
		{"duplicate keys", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1","ip":"192.0.2.12"}` + "\n", "1 1 0, json, 192.0.2.12"},
		{"escaped keys", `{"time":1796057324979,"event":"connect","\u0069p":"192.0.2.12"}` + "\n", "1 1 0, json, 192.0.2.12"},
		{"a tail of blanks", "nginx-1  | " + line(good) + "         \n", "1 1 0, nginx, 192.0.2.10"},
	}
}

// Bad and odd inputs, and what each gives.
func TestMatrix(t *testing.T) {
	for _, c := range matrix() {
		cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
		p, err := connlog.Sniff(cat, []byte(c.in), connlog.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := connlog.NewReader(p, cat, 0)
		if err != nil {
			t.Fatal(err)
		}
		var clients, formats []string
		seen := map[string]bool{}
		var b connlog.Batch
		r.Feed([]byte(c.in), true)
		for r.Next(&b) {
			for i := range b.Events {
				if s := string(b.Text(b.Events[i].Client)); s != "" && !seen[s] {
					seen[s], clients = true, append(clients, s)
				}
			}
		}
		for _, f := range p.Formats {
			formats = append(formats, f.Name)
		}
		got := fmt.Sprint(r.Counts.Records, r.Counts.Used, r.Counts.Ignored)
		for _, s := range r.Counts.Skipped {
			got += fmt.Sprintf(", %s=%d", s.Reason, s.Count)
		}
		got += ", " + strings.Join(formats, "+") + ", " + strings.Join(clients, " ")
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A stamp without a zone is read in the zone given, summer time included.
func TestZoneOfStamps(t *testing.T) {
	berlin := &stamp.Zone{Name: "Europe/Berlin", Steps: []stamp.Step{{From: 0, Offset: 3600}, {From: 1774746000, Offset: 7200}, {From: 1792890000, Offset: 3600}}}
	for in, want := range map[string]string{
		"30/Nov/2026:16:46:05.590": "2026-11-30T15:46:05.590Z",
		"30/Jul/2026:16:46:05.590": "2026-07-30T14:46:05.590Z",
		"25/Oct/2026:02:30:00.000": "2026-10-25T00:30:00Z", // told twice: the first passing
		"29/Mar/2026:02:30:00.000": "2026-03-29T01:30:00Z", // never was
	} {
		f, err := format.Find("haproxy").Configure(&connlog.Setup{Zone: berlin})
		if err != nil {
			t.Fatal(err)
		}
		rec := `192.0.2.10:43000 [` + in + `] fe be/s1 0/0/0/1/1541 101 202 - - ---- 3/1/2/2/0 0/0 "GET /ws HTTP/1.1"`
		var b connlog.Batch
		b.Reset([]byte(rec))
		f.Read(&b, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
		if got := show(&b, &b.Events[0]); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// --group-by field:NAME takes the field's value, whether it plays another part or none.
func TestGroupByField(t *testing.T) {
	for _, c := range []struct{ field, in, want string }{
		{"sdk.version", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1","sdk":{"version":"4.5"}}`, "4.5"},
		{"sdk.version", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1","sdk.version":"4.5"}`, "4.5"},
		{"ip", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1"}`, "192.0.2.1"},
		{"user_agent", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1","user_agent":"sdk/1"}`, "sdk/1"},
		{"req.headers.host", `{"time":1796057324979,"event":"connect","ip":"192.0.2.1","req":{"headers":{"host":"a.example"}}}`, "a.example"},
		{"request.host", `{"ts":1796066153.8,"logger":"http.log.access.log0","request":{"client_ip":"127.0.0.12","method":"GET","host":"b.example","uri":"/ws","headers":{"Upgrade":["websocket"]}},"duration":1.2,"status":101}`, "b.example"},
		{"ServiceName", `{"ClientHost":"192.0.2.10","DownstreamStatus":0,"Duration":1503344820,"ServiceAddr":"198.51.100.20:9001","StartUTC":"2026-11-30T16:56:10.06Z","RequestMethod":"GET","RequestPath":"/ws","ServiceName":"chat@file"}`, "chat@file"},
		{"upstream_cluster", `{"start_time":"2026-11-30T19:15:56.388Z","method":"GET","path":"/ws","protocol":"HTTP/1.1","response_code":101,"response_flags":"UC","duration":405,"upstream_cluster":"chat","downstream_remote_address":"203.0.113.42:1"}`, "chat"},
		{"remote_addr", `{"time_iso8601":"2026-11-30T16:46:06+00:00","remote_addr":"192.0.2.10","request":"GET /ws HTTP/1.1","status":101,"request_time":1.531}`, "192.0.2.10"},
		{"client_ip", `{"timestamp":"2026-11-30T16:46:06Z","client_ip":"192.0.2.9","event_type":"connect"}`, "192.0.2.9"},
	} {
		cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
		p, err := connlog.Sniff(cat, []byte(c.in+"\n"), connlog.Options{Group: "field:" + c.field})
		if err != nil {
			t.Fatal(err)
		}
		r, err := connlog.NewReader(p, cat, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b connlog.Batch
		r.Feed([]byte(c.in+"\n"), true)
		if !r.Next(&b) {
			t.Errorf("%s: %+v as %v", c.in, r.Counts, p.Formats)
			continue
		}
		if got := string(b.Text(b.Events[0].Group)); got != c.want {
			t.Errorf("field:%s of %s (%s): %q, want %q", c.field, c.in, p.Formats[0].Name, got, c.want)
		}
	}
}

// A duration whose unit nothing tells is left out, until the operator says it.
func TestUnitsAreNotGuessed(t *testing.T) {
	apache := func(took string) string {
		return `192.0.2.10 - - [30/Nov/2026:16:46:05 +0000] "GET /ws HTTP/1.1" 101 - "-" "sdk/1" ` + took + "\n"
	}
	caddy := func(took string) string {
		return `{"ts":1796066153.878,"logger":"http.log.access.log0","request":{"client_ip":"192.0.2.10","method":"GET","uri":"/ws","headers":{"Upgrade":["websocket"]}},"duration":` + took + `,"status":101}` + "\n"
	}
	for _, c := range []struct {
		in, want string
		o        connlog.Options
	}{
		{apache("1566240") + apache("1009380"), "1566240", connlog.Options{}},
		{apache("1566") + apache("0"), "", connlog.Options{}},
		{apache("2") + apache("0"), "2000000", connlog.Options{Format: "apache", Layout: `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %T`}},
		{apache("1566") + apache("0"), "1566000", connlog.Options{Format: "apache", Layout: `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %{ms}T`}},
		{caddy("1.20329"), "1203290", connlog.Options{}},
		{caddy("1203"), "", connlog.Options{}},
		{caddy(`"1.2s"`), "1200000", connlog.Options{}},
		{caddy("1203"), "1203000", connlog.Options{Map: []connlog.Role{{Name: "duration_ms", Field: "duration"}}}},
		{caddy("1203000000"), "1203000", connlog.Options{Map: []connlog.Role{{Name: "duration_ns", Field: "duration"}}}},
	} {
		cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
		p, err := connlog.Sniff(cat, []byte(c.in), c.o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := connlog.NewReader(p, cat, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		var b connlog.Batch
		r.Feed([]byte(c.in), true)
		for r.Next(&b) {
			for i := range b.Events {
				if e := &b.Events[i]; e.Kind == connlog.Close && got == "" && e.Duration != connlog.None {
					got = fmt.Sprint(e.Duration / 1000)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s %v: a life of %q µs, want %q", c.in, c.o, got, c.want)
		}
	}
}

// A client can write as many dates into its user agent as it likes: the search for a second line in a record stays short.
func TestManyDates(t *testing.T) {
	cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	for _, date := range []string{"[30/Nov/2026", "[30/Nov/2026 ", "10:00:00", " 10:00:00 ", `- - [30/Nov/2026:10:00:00 +0000] `} {
		in := []byte(`192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 101 0 "-" "` + strings.Repeat(date, 100_000) + "\"\n")
		p, err := connlog.Sniff(cat, in, connlog.Options{Format: "nginx"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := connlog.NewReader(p, cat, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.Feed(in, true)
		for b := new(connlog.Batch); r.Next(b); {
		}
		if r.Counts.Used != 1 || r.Counts.Records != 1 {
			t.Errorf("%s: %+v", date, r.Counts)
		}
	}
}
