package analyze

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/report"
)

// visit is one handshake of a fleet behind a gateway.
type visit struct {
	client   int
	at, life time.Duration
	status   int
	edge     bool // the gateway refused it itself
	gateway  int
}

// fleetOf makes the visits of clients over a stretch of time, with a storm in the middle: everybody falls and comes back.
func fleetOf(r *rand.Rand, clients int, length time.Duration, storm bool) (list []visit) {
	for c := range clients {
		at := time.Duration(r.Int64N(int64(length) / 4))
		for at < length {
			life := time.Duration(r.ExpFloat64() * float64(length) / 4)
			if storm && at < length/2 && at+life > length/2 {
				life = length/2 - at
			}
			if r.IntN(5) == 0 {
				list = append(list, visit{client: c, at: at, life: 3 * time.Millisecond, status: 503, edge: r.IntN(4) == 0})
				at += time.Second + time.Duration(r.Int64N(int64(2*time.Second)))
				continue
			}
			list = append(list, visit{client: c, at: at, life: life, status: 101})
			at += life + 200*time.Millisecond + time.Duration(r.Int64N(int64(3*time.Second)))
		}
	}
	slices.SortStableFunc(list, func(a, b visit) int { return int(a.at - b.at) })
	return list
}

var midnight = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// The logs that servers would have written of the visits.
func edgeLog(list []visit, extra func(int) string) []byte {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b visit) int { return int(a.at + a.life - b.at - b.life) })
	var b []byte
	for i, v := range list {
		end := midnight.Add(v.at + v.life)
		b = fmt.Appendf(b, "192.0.2.%d - - [%s] \"GET /ws HTTP/1.1\" %d 4096 \"-\" \"sdk/1.2\" rt=%.3f%s\n", 1+v.client, end.Format("02/Jan/2006:15:04:05 -0700"), v.status, v.life.Seconds(), extra(i))
	}
	return b
}

func appLog(list []visit, client func(visit) string) []byte {
	var b []byte
	for _, v := range list {
		if v.edge {
			continue
		}
		answer := "[accepted]"
		if v.status != 101 {
			answer = fmt.Sprint(v.status)
		}
		b = fmt.Appendf(b, "%s INFO:     %s - \"WebSocket /ws?v=4\" %s\n", strings.Replace(midnight.Add(v.at+4*time.Millisecond).Format("2006-01-02 15:04:05.000"), ".", ",", 1), client(v), answer)
	}
	return b
}

// baseLog is what an application writes in the base form, its clock ahead by a skew.
func baseLog(list []visit, address string, skew time.Duration) []byte {
	var b []byte
	for i, v := range list {
		event := "connect"
		if v.status != 101 {
			event = "retry"
		}
		b = fmt.Appendf(b, `{"timestamp":"%s","client_ip":"%s%d","event_type":"%s","request_id":"req-%d"}`+"\n", midnight.Add(v.at+skew).Format("2006-01-02T15:04:05.000Z"), address, 1+v.client, event, i*7919)
	}
	return b
}

func analyzed(t *testing.T, o Options, logs map[string][]byte) *report.Report {
	t.Helper()
	var names []string
	for name := range logs {
		names = append(names, name)
	}
	slices.Sort(names)
	var inputs []input
	for _, name := range names {
		inputs = append(inputs, sniffed(t, name, logs[name]))
	}
	rep, err := merged(t, o, inputs).Finish()
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestTiers(t *testing.T) {
	none := func(int) string { return "" }
	proxy := func(v visit) string { return fmt.Sprint("10.0.0.1:", 40000+v.client) }
	trusted := func(v visit) string { return fmt.Sprintf("192.0.2.%d:0", 1+v.client) }
	seeds := []uint64{1, 2, 3, 4, 5, 6}
	if testing.Short() {
		seeds = seeds[:2]
	}
	for _, seed := range seeds {
		for _, c := range []struct {
			name    string
			clients int
			length  time.Duration
			storm   bool
			logs    func(list []visit) map[string][]byte
			left    string // the source that is left out
		}{
			{"the application sees its proxy", 30, 20 * time.Minute, false, func(l []visit) map[string][]byte {
				return map[string][]byte{"edge": edgeLog(l, none), "app": appLog(l, proxy)}
			}, "app"},
			{"the application sees its proxy, a storm", 200, 10 * time.Minute, true, func(l []visit) map[string][]byte {
				return map[string][]byte{"edge": edgeLog(l, none), "app": appLog(l, proxy)}
			}, "app"},
			{"the application believes its proxy", 30, 20 * time.Minute, true, func(l []visit) map[string][]byte {
				return map[string][]byte{"edge": edgeLog(l, none), "app": appLog(l, trusted)}
			}, "app"},
			{"few clients", 4, 30 * time.Minute, false, func(l []visit) map[string][]byte {
				return map[string][]byte{"edge": edgeLog(l, none), "app": appLog(l, trusted)}
			}, "app"},
			{"two gateways with request ids", 30, 20 * time.Minute, true, func(l []visit) map[string][]byte {
				id := func(i int) string { return fmt.Sprintf(" rid=%016x", i*7919) }
				outer := edgeLog(l, id)
				inner := bytes.ReplaceAll(outer, []byte("\n192.0.2."), []byte("\n10.0.0."))
				return map[string][]byte{"inner": inner, "outer": outer}
			}, ""}, // of equal rows the first named is kept
			{"the base form with request ids, clocks 3 s apart", 30, 20 * time.Minute, true, func(l []visit) map[string][]byte {
				return map[string][]byte{"app": baseLog(l, "10.0.0.", 3*time.Second), "edge": baseLog(l, "192.0.2.", 0)}
			}, ""},
			{"the same file twice", 30, 20 * time.Minute, true, func(l []visit) map[string][]byte {
				return map[string][]byte{"a": edgeLog(l, none), "b": edgeLog(l, none)}
			}, "b"},
			{"gateways that share the load by turns", 30, 20 * time.Minute, true, func(l []visit) map[string][]byte {
				var one, two []visit
				for i, v := range l {
					if i%2 == 0 {
						one = append(one, v)
					} else {
						two = append(two, v)
					}
				}
				return map[string][]byte{"edge-1": edgeLog(one, none), "edge-2": edgeLog(two, none)}
			}, ""},
			{"gateways that share a storm at random", 250, 5 * time.Minute, true, func(l []visit) map[string][]byte {
				var one, two []visit
				for _, v := range l {
					if rand.New(rand.NewPCG(seed, uint64(v.at))).IntN(2) == 0 {
						one = append(one, v)
					} else {
						two = append(two, v)
					}
				}
				return map[string][]byte{"edge-1": edgeLog(one, none), "edge-2": edgeLog(two, none)}
			}, ""},
			{"an application of other clients", 30, 20 * time.Minute, false, func(l []visit) map[string][]byte {
				other := fleetOf(rand.New(rand.NewPCG(seed, 99)), 30, 20*time.Minute, false)
				return map[string][]byte{"edge": edgeLog(l, none), "app": appLog(other, proxy)}
			}, ""},
			{"one day's file and the next", 30, 20 * time.Minute, false, func(l []visit) map[string][]byte {
				return map[string][]byte{"1": appLog(l[:len(l)/2], proxy), "2": appLog(l[len(l)/2:], proxy)}
			}, ""},
		} {
			list := fleetOf(rand.New(rand.NewPCG(seed, 1)), c.clients, c.length, c.storm)
			rep := analyzed(t, Options{}, c.logs(list))
			left := ""
			for _, s := range rep.Input.Sources {
				if s.ToldBy != "" {
					left += s.Name
				}
			}
			if strings.Contains(c.name, "request ids") {
				if left == "" {
					t.Errorf("seed %d: %s: left out %q", seed, c.name, left)
				}
			} else if left != c.left {
				t.Errorf("seed %d: %s: left out %q, want %q; %q", seed, c.name, left, c.left, rep.Warnings)
			}
			if c.left != "" {
				if alone := analyzed(t, Options{}, map[string][]byte{"edge": c.logs(list)[map[string]string{"app": "edge", "b": "a"}[c.left]]}); alone.Totals.Attempts != rep.Totals.Attempts || alone.Totals.Clients != rep.Totals.Clients {
					t.Errorf("seed %d: %s: %d attempts of %d clients, the outermost alone %d of %d", seed, c.name, rep.Totals.Attempts, rep.Totals.Clients, alone.Totals.Attempts, alone.Totals.Clients)
				}
				if !slices.ContainsFunc(rep.Warnings, func(s string) bool { return strings.Contains(s, "stands behind it") }) {
					t.Errorf("seed %d: %s: not said: %q", seed, c.name, rep.Warnings)
				}
				if both := analyzed(t, Options{Tiers: true}, c.logs(list)); both.Totals.Attempts <= rep.Totals.Attempts {
					t.Errorf("seed %d: %s: --include tiers does not count both", seed, c.name)
				}
			}
		}
	}
}

// The two logs of testdata/tiers are a fleet's at a gateway and at the application behind it; the command line reads them
// in a golden test.
func TestTiersCorpus(t *testing.T) {
	list := fleetOf(rand.New(rand.NewPCG(7, 1)), 14, 15*time.Minute, true)
	for name, want := range map[string][]byte{
		"edge-nginx.log":  edgeLog(list, func(int) string { return "" }),
		"app-uvicorn.log": appLog(list, func(v visit) string { return fmt.Sprint("10.0.0.1:", 40000+v.client*97) }),
	} {
		file := "../../testdata/tiers/" + name
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v); run with -update", file, err)
		}
	}
}

// Stamps in the hour that is passed twice are counted and said.
func TestRepeatedHour(t *testing.T) {
	berlin := &stamp.Zone{Name: "Europe/Berlin", Steps: []stamp.Step{{From: 0, Offset: 3600}, {From: 1774746000, Offset: 7200}, {From: 1792890000, Offset: 3600}}}
	line := func(clock string) string {
		return "192.0.2.10:43000 [25/Oct/2026:" + clock + ".590] fe be/s1 0/0/0/1/1541 101 202 - - ---- 3/1/2/2/0 0/0 \"GET /ws HTTP/1.1\"\n"
	}
	text := []byte(line("01:59:59") + line("02:00:00") + line("02:30:00") + line("02:59:59") + line("02:10:00") + line("03:00:00"))
	for _, c := range []struct {
		zone *stamp.Zone
		want string
	}{
		{berlin, "h.log: 4 stamps without a zone can mean two instants: on 2026-10-25 the clocks of Europe/Berlin went back to 02:00 and passed the time after it twice. The first passing is taken; those of the second are too early by as much as the clocks went back."},
		{nil, ""},
	} {
		plan, err := connlog.Sniff(every, text, connlog.Options{Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(Options{}, plan, every, Part{Name: "h.log"})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Feed(text); err != nil {
			t.Fatal(err)
		}
		rep, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rep.Warnings, "|"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Where lines run on, the second passing of the hour is known: one clock, no step of it, and the same however the input is cut.
func TestSecondPassing(t *testing.T) {
	berlin := &stamp.Zone{Name: "Europe/Berlin", Steps: []stamp.Step{{From: 0, Offset: 3600}, {From: 1774746000, Offset: 7200}, {From: 1792890000, Offset: 3600}}}
	var text []byte
	for i := range 240 { // a refusal a minute from 00:30 local on, for four hours
		local := time.Date(2026, 10, 24, 22, 30, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute)
		offset := 2 * time.Hour
		if local.Unix() >= 1792890000 {
			offset = time.Hour
		}
		text = fmt.Appendf(text, "[W %s web:2348] 403 GET /ws (192.0.2.%d) 0.52ms\n", local.Add(offset).Format("060102 15:04:05"), i%3)
	}
	plan, err := connlog.Sniff(every, text, connlog.Options{Zone: berlin})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Splits() {
		t.Error("which passing it is depends on the lines before, and the plan can be split")
	}
	if far, err := connlog.Sniff(every, bytes.ReplaceAll(text, []byte("26102"), []byte("26052")), connlog.Options{Zone: berlin}); err != nil || !far.Splits() {
		t.Error("a log of May is not split:", err)
	}
	for _, size := range []int{len(text), 1000, 77} {
		a, err := New(Options{}, plan, every, Part{Name: "h.log"})
		if err != nil {
			t.Fatal(err)
		}
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			if err := a.Feed(rest[:min(size, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		state, err := a.State()
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(Options{}, plan, every, Part{Source: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Merge(state); err != nil {
			t.Fatal(err)
		}
		rep, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		want := "h.log: 120 stamps without a zone can mean two instants: on 2026-10-25 the clocks of Europe/Berlin went back to 02:00 and passed the time after it twice. " +
			"The lines run on and their stamps go back there once: 60 before that are taken for the first passing, 60 after it for the second."
		if !slices.Contains(rep.Warnings, want) {
			t.Errorf("got %q, want %q", rep.Warnings, want)
		}
		if got := rep.Input.To - rep.Input.From; got != int64(239*time.Minute) {
			t.Errorf("the log is %v long", time.Duration(got))
		}
		for _, f := range rep.Findings {
			if f.Rule == "clock-step" {
				t.Errorf("the summer time's end is taken for a clock that was set back: %s", f.Message)
			}
		}
	}
}

// A log of Traefik without an established WebSocket says why it may have none.
func TestUnopened(t *testing.T) {
	line := func(status string) string {
		return `192.0.2.10 - - [30/Nov/2026:16:56:10 +0000] "GET /ws HTTP/1.1" ` + status + ` 0 "-" "-" 1 "r@file" "http://198.51.100.20:9001" 1503ms` + "\n"
	}
	for in, want := range map[string]int{line("502") + line("429"): 1, line("502") + line("0"): 0} {
		rep := analyzed(t, Options{}, map[string][]byte{"t.log": []byte(in)})
		if len(rep.Warnings) != want {
			t.Errorf("%s: %q", in, rep.Warnings)
		}
	}
}
