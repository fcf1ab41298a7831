package format_test

import (
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// The recipes of the README's "Which logs?": what the commands print, and how it is read with the options given there.
func TestRecipes(t *testing.T) {
	const line = `192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws HTTP/1.1" 502 157 "-" "sdk/4.5" "-" rt=0.004`
	const want = `attempt upstream 2026-11-30T16:46:05.996Z ±1s (end-duration) peer=192.0.2.10 path="/ws" status=502 duration=4ms agent="sdk/4.5"`
	finer := strings.Replace(strings.Replace(want, "05.996Z ±1s", "06.119456789Z ±1ns", 1), "(end-duration)", "(end-duration)", 1)
	for _, c := range []struct {
		recipe string
		o      connlog.Options
		in     string
		want   string
	}{
		{"kubectl logs deploy/gateway", connlog.Options{}, line, want},
		{"kubectl logs -l app=gateway --prefix --timestamps", connlog.Options{},
			"[pod/gateway-7d4b9c6f5-x2x7k/nginx] 2026-11-30T16:46:06.123456789Z " + line, finer},
		{"docker compose logs -t gateway", connlog.Options{}, "gateway-1  | 2026-11-30T16:46:06.123456789Z " + line, finer},
		{"journalctl -u nginx -o json", connlog.Options{},
			`{"__REALTIME_TIMESTAMP":"1796057166123456","_HOSTNAME":"gw","SYSLOG_IDENTIFIER":"nginx","MESSAGE":"` + strings.ReplaceAll(line, `"`, `\"`) + `","PRIORITY":"6"}`,
			strings.Replace(finer, "119456789Z ±1ns", "119456Z ±1µs", 1)},
		{"aws s3 cp … -", connlog.Options{},
			`https 2026-11-30T16:46:06.123456Z app/edge/50dc6c495c0c9188 192.0.2.10:46532 10.0.0.5:8080 0.001 0.003 0.000 502 502 157 256 "GET https://ws.example.com:443/ws HTTP/1.1" "sdk/4.5" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/t/7 "Root=1-58337262-36d228ad5d99923122bbe354" "ws.example.com" "arn:aws:acm:eu-west-1:1:certificate/1" 0 2026-11-30T16:46:06.119000Z "forward" "-" "-" "10.0.0.5:8080" "502" "-" "-"`,
			`attempt upstream 2026-11-30T16:46:06.119Z ±1µs (end-duration) peer=192.0.2.10 port=46532 path="/ws" status=502 duration=4456µs host="ws.example.com:443" agent="sdk/4.5" id=eb0c`},
		{"logcli query … -o raw", connlog.Options{}, line, want},
		{"logcli query … -o jsonl", connlog.Options{},
			`{"labels":{"app":"gateway"},"line":"` + strings.ReplaceAll(line, `"`, `\"`) + `","timestamp":"2026-11-30T16:46:06.123456789Z"}`, finer},
		{"HAProxy in JSON", connlog.Options{Format: "json", Map: []connlog.Role{{Name: "start", Field: "ts"}, {Name: "client", Field: "client"}, {Name: "path", Field: "path"},
			{Name: "status", Field: "status"}, {Name: "duration_ms", Field: "ta_ms"}, {Name: "agent", Field: "ua"}}},
			`{"ts":"01/Dec/2026:00:27:26.243","client":"192.0.2.10","port":51250,"method":"GET","path":"/ws","status":429,"ta_ms":3,"state":"--","ua":"probe\/1 \"q\""}`,
			`attempt limited 2026-12-01T00:27:26.243Z ±1ms (end-duration) peer=192.0.2.10 port=51250 path="/ws" status=429 duration=3ms agent="probe/1 \"q\""`},
		{"EMQX's rule events", connlog.Options{},
			`{"username":"u","timestamp":1796057166870,"sockname":"10.0.0.5:8083","receive_maximum":32,"proto_ver":5,"proto_name":"MQTT","peername":"192.0.2.10:37058","node":"emqx@10.0.0.5","mountpoint":"undefined","keepalive":60,"is_bridge":false,"expiry_interval":0,"event":"client.connected","connected_at":1796057166869,"conn_props":{"Receive-Maximum":32},"client_attrs":{},"clientid":"dev-1","clean_start":true}` + "\n" +
				`{"username":"u","timestamp":1796057256871,"sockname":"10.0.0.5:8083","reason":"keepalive_timeout","proto_ver":5,"proto_name":"MQTT","peername":"192.0.2.10:37058","node":"emqx@10.0.0.5","event":"client.disconnected","disconnected_at":1796057256870,"disconn_props":{},"connected_at":1796057166869,"client_attrs":{},"clientid":"dev-1"}` + "\n" +
				`{"timestamp":1796057258870,"peername":"2001:db8::10:3705","event":"client.connected","connected_at":1796057258869,"clientid":"dev-2"}`,
			`attempt ok 2026-11-30T16:46:06.870Z ±1ms (start) peer=192.0.2.10 port=37058 conn="dev-1"
close 2026-11-30T16:47:36.871Z ±1ms (end) peer=192.0.2.10 port=37058 conn="dev-1" duration=90002ms by=proxy-timeout cause="keepalive_timeout"
attempt ok 2026-11-30T16:47:38.870Z ±1ms (start) peer=2001:db8::10 port=3705 conn="dev-2"`},
		{"Mosquitto with log_timestamp_format %Y-%m-%dT%H:%M:%S", connlog.Options{}, `2026-11-30T16:47:10: New client connected from 192.0.2.10:37058 as dev-1 (p2, c1, k60, u'bob').`,
			`attempt ok 2026-11-30T16:47:10Z ±1s (end) peer=192.0.2.10 port=37058 conn="dev-1" over=mqtt`},
		{"Mosquitto with log_timestamp_format %d/%b/%Y:%H:%M:%S", connlog.Options{}, `30/Nov/2026:16:47:10: New client connected from 192.0.2.10:37058 as dev-1 (p2, c1, k60).`,
			`attempt ok 2026-11-30T16:47:10Z ±1s (end) peer=192.0.2.10 port=37058 conn="dev-1" over=mqtt`},
		{"Mosquitto with log_timestamp false under docker compose logs -t", connlog.Options{}, `mqtt-1  | 2026-11-30T16:47:10.5Z New client connected from 192.0.2.10:37058 as dev-1 (p2, c1, k60).`,
			`attempt ok 2026-11-30T16:47:10.500Z ±100ms (end) peer=192.0.2.10 port=37058 conn="dev-1" over=mqtt`},
	} {
		cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
		p, err := connlog.Sniff(cat, []byte(c.in+"\n"), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.recipe, err)
			continue
		}
		r, err := connlog.NewReader(p, cat, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		var b connlog.Batch
		r.Feed([]byte(c.in+"\n"), true)
		for r.Next(&b) {
			for i := range b.Events {
				got += show(&b, &b.Events[i]) + "\n"
			}
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s (%v %v):\ngot  %swant %s\n%+v", c.recipe, p.Wrappers, p.Formats, got, c.want, r.Counts)
		}
	}
}
