//go:build !wasm

package plugin

import (
	"strconv"
	"strings"
	"testing"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"

	"github.com/stormlint/stormlint/wasm/filter/door"
)

// bench is the filter on the SDK's emulator, with clocks of its own.
type bench struct {
	t      *testing.T
	host   proxytest.HostEmulator
	steady int64
	wall   int64
}

const second = int64(1_000_000_000)

func start(t *testing.T, configuration string) *bench {
	t.Helper()
	b := &bench{t: t, steady: 100 * second, wall: 1_800_000_000 * second}
	draws := uint64(0)
	c := clocks{steady: func() int64 { return b.steady }, wall: func() int64 { return b.wall }, random: func() uint64 { draws++; return draws * 0x9e3779b97f4a7c15 }}
	o := proxytest.NewEmulatorOption().WithVMContext(&emulated{worker: &worker{clocks: c}}).WithPluginConfiguration([]byte(configuration)).
		WithProperty([]string{"source", "address"}, []byte("192.0.2.7:50312"))
	host, reset := proxytest.NewHostEmulator(o)
	t.Cleanup(reset)
	b.host = host
	if s := host.StartVM(); s != types.OnVMStartStatusOK {
		t.Fatalf("the VM did not start: %v", s)
	}
	return b
}

func (b *bench) configured() *bench {
	b.t.Helper()
	if s := b.host.StartPlugin(); s != types.OnPluginStartStatusOK {
		b.t.Fatalf("refused: %q", b.host.GetCriticalLogs())
	}
	return b
}

func (b *bench) pass(seconds float64) {
	b.steady += int64(seconds * 1e9)
	b.wall += int64(seconds * 1e9)
}

var upgrade = [][2]string{{":method", "GET"}, {":path", "/ws?token=secret"}, {":authority", "example.org"}, {"connection", "Upgrade"}, {"upgrade", "websocket"}, {"user-agent", "app/1"}}

// ask sends a request; refused is its answer's status, 0 when it was let in.
func (b *bench) ask(headers [][2]string) (id, refused uint32) {
	id = b.host.InitializeHttpContext()
	b.host.CallOnRequestHeaders(id, headers, false)
	if r := b.host.GetSentLocalResponse(id); r != nil {
		refused = r.StatusCode
	}
	return id, refused
}

func (b *bench) count(name string) int {
	b.t.Helper()
	v, err := b.host.GetCounterMetric(name)
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	return int(v)
}

func TestEnforce(t *testing.T) {
	for _, scope := range []string{"process", "worker"} {
		t.Run(scope, func(t *testing.T) { enforce(t, scope) })
	}
}

func enforce(t *testing.T, scope string) {
	b := start(t, `{"mode":"enforce","key":"ip","rate":2,"burst":5,"scope":"`+scope+`"}`).configured()
	for i := range 7 {
		id, refused := b.ask(upgrade)
		if want := uint32(0); i >= 5 {
			want = 429
			r := b.host.GetSentLocalResponse(id)
			h := map[string]string{}
			for _, f := range r.Headers {
				h[f[0]] = f[1]
			}
			if ms, err := strconv.Atoi(h["retry-after-ms"]); err != nil || ms < 500 || ms > 1500 || h["retry-after"] == "" || !strings.Contains(h["ratelimit-policy"], "scope="+scope) || !strings.Contains(string(r.Data), `"limit":"client"`) {
				t.Errorf("answer: %v %s", h, r.Data)
			}
			if refused != want {
				t.Errorf("%s: handshake %d: %d", scope, i, refused)
			}
		} else if refused != want {
			t.Errorf("%s: handshake %d: %d", scope, i, refused)
		}
		b.host.CompleteHttpContext(id)
	}
	if _, refused := b.ask([][2]string{{":method", "GET"}, {":path", "/"}}); refused != 0 {
		t.Error("an ordinary request is limited")
	}
	b.pass(0.5)
	if _, refused := b.ask(upgrade); refused != 0 {
		t.Error("a token has grown, and nobody gets it")
	}
	if got := b.count("stormlint.handshakes.outcome=refused.limit=client"); got != 2 {
		t.Errorf("counted %d refusals", got)
	}
	if got := b.count("stormlint.handshakes.outcome=admitted.limit=open"); got != 6 {
		t.Errorf("counted %d admissions", got)
	}
}

func TestShadowIsTheDefault(t *testing.T) {
	b := start(t, "").configured()
	for range 9 {
		if _, refused := b.ask(upgrade); refused != 0 {
			t.Fatal("shadow refuses")
		}
	}
	if b.count("stormlint.handshakes.outcome=would_refuse.limit=client") != 4 {
		t.Error("shadow does not count")
	}
	b.host.Tick()
	if w := b.host.GetWarnLogs(); len(w) != 1 || w[0] != "stormlint: handshakes that would have been refused (shadow): 4 by the client's limit, 0 by the fleet's, on this worker" {
		t.Errorf("%q", w)
	}
	b.host.Tick()
	if len(b.host.GetWarnLogs()) != 1 {
		t.Error("said again although nothing happened")
	}
}

// One line at the answer, one at the session's end, in the form that analyze reads; no query, no secret.
func TestLines(t *testing.T) {
	b := start(t, `{"mode":"enforce","key":"ip","burst":1}`).configured()
	id, _ := b.ask(upgrade)
	b.pass(0.05)
	b.host.CallOnResponseHeaders(id, [][2]string{{":status", "101"}}, false)
	b.pass(2)
	b.host.CompleteHttpContext(id)
	b.ask(upgrade) // 1 grew, 2.05 s have passed
	b.ask(upgrade)
	if n := len(b.host.GetInfoLogs()); n != 2 {
		t.Errorf("%d lines while handshakes wait", n)
	}
	b.host.Tick()
	want := []string{
		`{"timestamp":"2027-01-15T08:00:00.000Z","client_ip":"192.0.2.7","event_type":"connect","status":101,"user_agent":"app/1","path":"/ws","host":"example.org","conn":"3c6ef372fe94f82a","transport":"ws"}`,
		`{"timestamp":"2027-01-15T08:00:02.050Z","client_ip":"192.0.2.7","event_type":"disconnect","duration_ms":2050,"user_agent":"app/1","path":"/ws","host":"example.org","conn":"3c6ef372fe94f82a","transport":"ws","time_source":"printed_end"}`,
		`{"timestamp":"2027-01-15T08:00:02.050Z","client_ip":"192.0.2.7","event_type":"retry","outcome":"limited","status":429,"user_agent":"app/1","path":"/ws","host":"example.org","conn":"1715609f7c746c69","transport":"ws"}`,
	}
	got := b.host.GetInfoLogs()
	if len(got) != len(want) {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestBadConfiguration(t *testing.T) {
	b := start(t, `{"mode":"enforce","key":"ip","burst":0}`)
	if s := b.host.StartPlugin(); s != types.OnPluginStartStatusFailed {
		t.Fatal("taken")
	}
	if l := b.host.GetCriticalLogs(); len(l) != 1 || l[0] != "stormlint: bad configuration: filter: burst is 0, expected at least 1: a burst of 0 admits nobody" {
		t.Errorf("%q", l)
	}
	if _, refused := b.ask(upgrade); refused != 0 {
		t.Error("a filter that is not configured refuses")
	}
}

// A panic in any callback is recovered and counted, and the request passes.
func TestFaultsPass(t *testing.T) {
	b := start(t, `{"mode":"enforce","key":"ip"}`)
	b.configured()
	broken := &plugin{clocks: clocks{steady: func() int64 { return 0 }}, meters: newMeters()}
	s := &stream{plugin: broken, stage: asked}
	s.answer() // no wall clock: nil function
	s.stage = open
	s.end()
	broken.door = new(door.Door) // which has no settings
	if s, answered := broken.request(); s != nil || answered {
		t.Error("the request does not pass")
	}
	broken.settings = nil
	broken.tick()
	if got := b.count("stormlint.faults"); got != 3 {
		t.Errorf("%d faults counted", got)
	}
	if l := b.host.GetErrorLogs(); len(l) == 0 || !strings.HasPrefix(l[0], "stormlint: a fault of the filter, the request passes: response headers: ") {
		t.Errorf("%q", l)
	}
}
