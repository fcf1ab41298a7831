package lint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

var update = flag.Bool("update", false, "write testdata/libraries.md anew; read the difference before committing it")

// entry is one library of testdata/schedules.json: the first 52 use older words, the last 14 the linter's own.
type entry struct {
	Name     string   `json:"name"`
	Expected []want   `json:"expected_lint"`
	Further  []want   `json:"further_rules"`
	Measured []string `json:"measured"`
	On       map[string]struct {
		Certain []string `json:"certain"`
		NotHere []string `json:"not_here"`
	} `json:"on_measured"`
}

type want struct {
	Rule     string `json:"rule"`
	Why      string `json:"why"`
	Severity string `json:"severity"`
	Scenario string `json:"scenario"`
	MayFire  bool   `json:"may_fire"`
}

const oldEntries = 52

func entries(t *testing.T) []entry {
	t.Helper()
	data, err := os.ReadFile("testdata/schedules.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []entry
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(schedules) {
		t.Fatalf("%d entries, %d lists of schedules", len(list), len(schedules))
	}
	return list
}

// schedules are the catalogue's names for the entries of schedules.json, in its order. An entry's verdict is that of all
// its schedules together.
var schedules = [][]string{
	{"reconnecting-websocket"},
	{"partysocket"},
	{"sockette"},
	{"socket.io-client"},
	{"engine.io-client"},
	{"phoenix"},
	{"phoenix_live_view"},
	{"graphql-ws"},
	{"subscriptions-transport-ws"},
	{"@microsoft/signalr"},
	{"pusher-js", "pusher-js/drop"},
	{"centrifuge"},
	{"mqtt"},
	{"y-websocket"},
	{"@liveblocks/core"},
	{"@colyseus/sdk"},
	{"tmi.js"},
	{"viem"},
	{"web3-providers-ws"},
	{"ethers"},
	{"@slack/socket-mode"},
	{"@discordjs/ws"},
	{"@firebase/database"},
	{"eventsource"},
	{"webpack-dev-server"},
	{"ioredis"},
	{"ioredis/5"},
	{"amqp-connection-manager"},
	{"@apollo/client"},
	{"p-retry"},
	{"retry"},
	{"exponential-backoff"},
	{"@smithy/util-retry"},
	{"google-gax"},
	{"@azure/core-rest-pipeline"},
	{"axios-retry", "axios-retry/exponential"},
	{"cenkalti/backoff"},
	{"hashicorp/go-retryablehttp", "hashicorp/go-retryablehttp/linear"},
	{"grpc-go"},
	{"k8s.io/apimachinery", "k8s.io/apimachinery/jitter"},
	{"centrifuge-go"},
	{"nats.go", "nats.go/cluster"},
	{"aws-sdk-go-v2", "aws-sdk-go-v2/legacy"},
	{"paho.mqtt.golang"},
	{"slack-go/slack"},
	{"bwmarrin/discordgo"},
	{"websockets"},
	{"python-socketio"},
	{"tenacity"},
	{"urllib3"},
	{"socket.io-client-java"},
	{"socket.io-client-swift"},
	{"websocket-client"},
	{"paho-mqtt"},
	{"nats-py"},
	{"redis-py"},
	{"discord.py"},
	{"backoff"},
	{"hivemq-mqtt-client"},
	{"lettuce"},
	{"resilience4j"},
	{"jnats"},
	{"rabbitmq-amqp-client"},
	{"backoff-rs"},
	{"backon"},
	{"async-nats"},
}

// silent says why something that an entry expects does not fire; "entry: word".
var silent = map[string]string{
	"backoff (crate): gives-up":           "after 15 minutes, not after a number of attempts, which is what a SPEC can say",
	"pusher-js: zero-delay":               "a server asks for it with a close code of 4200 to 4299: no part of the schedule, seen by a run under such a close",
	"amqp-connection-manager: zero-delay": "only after a connect timeout: no part of the schedule, seen by a run under the hang scenario",
	"mqtt (MQTT.js): cap-too-low":         "a constant wait: no-growth judges it, cap-too-small is about growing ones",
	"@discordjs/ws: cap-too-low":          "a constant wait: no-growth judges it, cap-too-small is about growing ones",
}

// further says why something fires at medium or above that an entry does not expect; "entry: rule".
var further = map[string]string{
	"phoenix_live_view: early-reset":                                     "the socket is phoenix's, and so is its reset on open; the description is of what LiveView adds",
	"subscriptions-transport-ws: narrow-first-delay":                     "the first wave is 95 ms wide, which the description gives and does not judge",
	"webpack-dev-server client: additive-constant":                       "what its weak-jitter is made of: 100 ms beside waits of up to 8.5 minutes",
	"webpack-dev-server client: narrow-first-delay":                      "the first wave is 100 ms wide",
	"ioredis: additive-constant":                                         "what its weak-jitter is made of: 200 ms beside waits of up to 5 s",
	"ioredis: narrow-first-delay":                                        "the first wave is 200 ms wide",
	"@smithy/util-retry (AWS SDK for JavaScript v3): narrow-first-delay": "made for requests to a large service, with a retry budget beside it; as a reconnect schedule its first wave of 50 ms is narrow",
	"google-gax: narrow-first-delay":                                     "made for requests; as a reconnect schedule its first wave of 100 ms is narrow",
	"axios-retry: weak-jitter":                                           "the exponential option adds 0 to 20 %: a spread of 0.17, as its note says",
	"axios-retry: narrow-first-delay":                                    "the exponential option's first wave is 40 ms wide",
	"grpc-go: weak-jitter":                                               "±20 % is a spread of 0.33; simulated, the first wave of 100,000 clients is 251 times a capacity of 1,000 a second",
	"centrifuge-go: narrow-first-delay":                                  "the first wave is 200 ms wide",
	"nats.go: zero-delay":                                                "in a cluster the first tries are immediate, which is expected as immediate-first-retry; a constant 0 is also an atom at 0",
	"nats.go: narrow-first-delay":                                        "the first wave is 100 ms wide",
	"aws-sdk-go-v2: narrow-first-delay":                                  "made for requests to a large service, with a retry budget beside it; as a reconnect schedule its first wave of 50 ms is narrow",
	"python-socketio: weak-jitter":                                       "±0.5 s beside 5 s is a spread of 0.18, at three of the four attempts up to the plateau",
	"urllib3 Retry: no-growth":                                           "0 for ever does not grow; the description names the jitter and the zero only",
}

// Every library fires what its description expects, and nothing else at medium or above without a reason.
func TestLibraries(t *testing.T) {
	words := map[string]finding.Word{}
	for _, w := range finding.Words() {
		words[w.Word] = w
	}
	usedSilent, usedFurther := map[string]bool{}, map[string]bool{}
	table := &strings.Builder{}
	fmt.Fprintln(table, "| library | schedules | finds at medium or above | info and low | expected, and not found | found, and not expected |\n|---|---|---|---|---|---|")
	for i, e := range entries(t) {
		fired := map[string]finding.Severity{}
		var specs []string
		for _, name := range schedules[i] {
			l := libraryNamed(t, name)
			if l.Spec == "" {
				specs = append(specs, "none of its own")
				continue
			}
			specs = append(specs, "`"+l.Spec+"`")
			r, err := lint.Spec("lib:"+name, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				fired[f.Rule] = max(fired[f.Rule], f.Severity)
			}
		}
		expected := map[string]bool{}
		var missing, extra []string
		for _, w := range e.Expected {
			rules := []string{w.Rule}
			if i < oldEntries {
				word, ok := words[w.Rule]
				if !ok {
					t.Errorf("%s: the word %s is not in the published map", e.Name, w.Rule)
				}
				rules = word.Rules
			}
			found := false
			for _, rule := range rules {
				expected[rule] = true
				if _, ok := fired[rule]; ok {
					found = true
				}
			}
			key := e.Name + ": " + w.Rule
			switch reason := silent[key]; {
			case !found && reason != "":
				usedSilent[key] = true
				missing = append(missing, w.Rule+": "+reason)
			case !found:
				t.Errorf("%s: %s is expected (%s) and does not fire", e.Name, w.Rule, w.Why)
			}
		}
		for _, w := range e.Further {
			rule := w.Rule
			if i < oldEntries {
				for _, r := range words[w.Rule].Rules {
					expected[r] = true
				}
				continue
			}
			severity, known := finding.ParseSeverity(w.Severity)
			got, ok := fired[rule]
			switch {
			case !known:
				t.Errorf("%s: %s has the severity %q", e.Name, rule, w.Severity)
			case w.MayFire:
				expected[rule] = true
			case w.Scenario != "":
			case !ok:
				if reason := silent[e.Name+": "+rule]; reason == "" {
					t.Errorf("%s: %s is listed (%s) and does not fire", e.Name, rule, w.Why)
				} else {
					usedSilent[e.Name+": "+rule] = true
					missing = append(missing, rule+": "+reason)
				}
			case got > severity && severity >= finding.Medium || got >= finding.Medium && severity < finding.Medium:
				t.Errorf("%s: %s fires at %v, listed as %v", e.Name, rule, got, severity)
			}
		}
		for rule, severity := range fired {
			if severity < finding.Medium || expected[rule] {
				continue
			}
			key := e.Name + ": " + rule
			if reason := further[key]; reason != "" {
				usedFurther[key] = true
				extra = append(extra, rule+": "+reason)
			} else {
				t.Errorf("%s: %s fires at %v without a reason", e.Name, rule, severity)
			}
		}
		slices.Sort(extra)
		fmt.Fprintf(table, "| %s | %s | %s | %s | %s | %s |\n", e.Name, strings.Join(specs, "<br>"),
			list(fired, finding.Medium, finding.Critical), list(fired, finding.Info, finding.Low), strings.Join(missing, "<br>"), strings.Join(extra, "<br>"))
	}
	for key := range silent {
		if !usedSilent[key] {
			t.Errorf("healed, or never needed: silent %q", key)
		}
	}
	for key := range further {
		if !usedFurther[key] {
			t.Errorf("healed, or never needed: further %q", key)
		}
	}
	const path = "testdata/libraries.md"
	text := "# What the linter finds in real libraries\n\nWritten by `go test ./core/lint -run TestLibraries -update`. The first 52 descriptions use older words:\n\n| older word | rules | |\n|---|---|---|\n"
	for _, w := range finding.Words() {
		text += "| " + w.Word + " | " + strings.Join(w.Rules, ", ") + " | " + w.Note + " |\n"
	}
	text += "\n" + table.String()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != text {
		t.Errorf("%s is out of date (%v): run with -update and read the difference", path, err)
	}
}

func list(fired map[string]finding.Severity, from, to finding.Severity) string {
	var words []string
	for rule, severity := range fired {
		if severity >= from && severity <= to {
			words = append(words, fmt.Sprintf("%d%s %s", finding.Critical-severity, rule, severity))
		}
	}
	slices.Sort(words)
	for i := range words {
		words[i] = words[i][1:]
	}
	return strings.Join(words, ", ")
}

func libraryNamed(t *testing.T, name string) backoff.Library {
	t.Helper()
	for _, l := range backoff.Libraries() {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no library %s in the catalogue", name)
	return backoff.Library{}
}

// What was really measured is called in step, or not, as the measurement says; and shows what it can show.
func TestMeasured(t *testing.T) {
	on := map[string]struct{ certain, notHere []string }{}
	for _, e := range entries(t) {
		for file, m := range e.On {
			on[file] = struct{ certain, notHere []string }{m.Certain, m.NotHere}
		}
	}
	files, err := filepath.Glob("testdata/measured/*.json")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Locked     any         `json:"locked"`
			Waits      [][]float64 `json:"waits_ms"`
			Around     []float64   `json:"waits_around"`
			Resolution float64     `json:"resolution_ms"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		request := map[string]any{"scenario": lint.Refused, "runs": m.Waits, "resolution_ms": m.Resolution}
		if m.Waits == nil { // one client, 1,120 failures, of which the file keeps those around the first zero
			run := []float64{}
			for range 1000 {
				run = append(run, 5000)
			}
			request = map[string]any{"scenario": lint.Failures, "runs": [][]float64{append(run, m.Around...)}}
		}
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := lint.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := lint.Observed(runs, lint.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fired := map[string]bool{}
		for _, f := range r.Findings {
			fired[f.Rule] = true
		}
		if m.Waits == nil {
			if !fired["overflow"] {
				t.Errorf("%s: the waits fall to 0 and overflow does not fire", name)
			}
			continue
		}
		locked := fired["fixed-locked"] || fired["growth-locked"] || fired["shared-seed"]
		if is, ok := m.Locked.(bool); ok && is != locked {
			t.Errorf("%s: in step %v, measured %v", name, locked, is)
		} else if !ok && m.Locked != "either" {
			t.Errorf("%s: locked is %v", name, m.Locked)
		}
		for _, rule := range on[name].certain {
			if !fired[rule] {
				t.Errorf("%s: %s is certain and does not fire", name, rule)
			}
		}
		for _, rule := range on[name].notHere {
			if fired[rule] && m.Locked != "either" && rule != "growth-locked" {
				t.Errorf("%s: %s cannot be seen here and fires", name, rule)
			}
		}
	}
}

// Schedules that people should copy: nothing at high or above, as a policy and as runs.
func TestGoodControls(t *testing.T) {
	const seed = 5
	for _, spec := range []string{
		"lib:centrifuge", "lib:cenkalti/backoff", "lib:@azure/core-rest-pipeline", "lib:backoff-rs", "lib:resilience4j", "lib:backoff",
		"full:1s:30s", "equal:1s:30s", "decorrelated:1s:30s", "full:1s:60s", "full:1s:30s,floor=500ms", "window:25s", "window:5s",
	} {
		r, err := lint.Spec(spec, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if worst, _ := r.Worst(); worst >= finding.High {
			t.Errorf("%s: %v", spec, r.Findings[0])
		}
		if spec == "window:25s" && (len(r.Findings) != 1 || r.Findings[0].Rule != "unbounded-attempts") {
			t.Errorf("%s is not clean: %v", spec, r.Findings)
		}
		for _, k := range []int{20, 50} {
			runs := draw(t, spec, k, 12, seed)
			r, err := lint.Observed([]lint.Runs{{Delays: runs}}, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				if f.Severity >= finding.High || f.Rule == "weak-jitter" && f.Severity >= finding.Medium {
					t.Errorf("%s, %d runs, seed %d: %v %s", spec, k, seed, f.Severity, f.Message)
				}
			}
		}
	}
}
