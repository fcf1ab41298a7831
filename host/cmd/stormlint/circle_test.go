package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// The circle closes: analyze names the policy that storm ran, from the events of the clients and from the access log of the
// gateway in each of its forms. An outage that refuses leaves no line at the gateway, so its clients are turned away.
//
// Sockets and waits are real, so a machine that is busy blurs the schedule itself: there the answer may rightly be another. A
// run that is not named right is therefore made again, but only when a sleeper beside it was late by more than such waits bear;
// on a machine that was on time the first answer counts.
func TestCircle(t *testing.T) {
	for _, c := range []struct{ spec, family, verdict string }{
		{"fixed:300ms", "fixed", "locked"},
		{"exp:100ms:2s", "exponential", "locked"},
		{"full:100ms:2s", "full", "jittered"},
		{"equal:100ms:2s", "equal", "jittered"},
		{"decorrelated:100ms:2s", "decorrelated", "jittered"},
	} {
		t.Run(c.spec, func(t *testing.T) {
			t.Parallel()
			const bearable = 10 * time.Millisecond
			for again := 5; ; again-- {
				late := lateness()
				wrong := circle(t, c.spec, c.family, c.verdict)
				by := late()
				if wrong == "" {
					return
				}
				if by < bearable || again == 0 {
					t.Fatalf("%s; one sleeper of a hundred was late by %v or more", wrong, by)
				}
				t.Logf("again, the machine was late by %v: %s", by, wrong)
			}
		})
	}
}

// lateness starts to measure how late this machine lets a sleeper run; the function it gives ends that, and tells what one
// wait of a hundred is late by.
func lateness() func() time.Duration {
	const step = 5 * time.Millisecond
	end, told := make(chan struct{}), make(chan time.Duration)
	go func() {
		var list []time.Duration
		for last := time.Now(); ; {
			select {
			case <-end:
				slices.Sort(list)
				told <- list[len(list)*99/100]
				return
			case <-time.After(step):
				now := time.Now()
				list = append(list, now.Sub(last)-step)
				last = now
			}
		}
	}()
	return func() time.Duration {
		close(end)
		return <-told
	}
}

// circle runs the storm of a policy, asks analyze for it, and says what is wrong.
func circle(t *testing.T, spec, family, verdict string) string {
	t.Helper()
	dir := t.TempDir()
	seen := filepath.Join(dir, "clients.ndjson")
	f, err := os.Create(seen)
	if err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	form := map[string]gateway.LogFormat{"fixed": gateway.Nginx, "exponential": gateway.Envoy}[family] // the others: OwnJSON
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{AccessLog: log, LogFormat: form})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := backoff.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	away := func() int {
		g.TurnAway(true)
		time.AfterFunc(8*time.Second, func() { g.TurnAway(false) })
		return g.Drop()
	}
	r, err := storm.Run(t.Context(), storm.Options{URI: g.URI(), Clients: 30, Policy: policy, Interval: 500 * time.Millisecond, Drop: away, Log: f, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if b := r.Bursts[0]; b.Dropped != 30 || b.Back != 30 {
		return fmt.Sprintf("%d dropped, %d back", b.Dropped, b.Back)
	}
	access := filepath.Join(dir, "access.log")
	if err := os.WriteFile(access, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return cmp.Or(named(t, seen, family, verdict), named(t, access, family, verdict))
}

// named asks analyze for the schedules in a log, and says what is wrong with them. Of thirty clients three in five must be of the
// family. No client in step may be called jittered; of a dozen waits that are drawn a few in a hundred grow so evenly that the
// opposite happens.
func named(t *testing.T, log, family, verdict string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(strings.NewReader(""), &stdout, &stderr, []string{"analyze", "-o", "json", "--all", log}); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	var report struct {
		Clients []struct {
			Schedule struct{ Family, Verdict string }
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	families := map[string]int{}
	for _, c := range report.Clients {
		families[c.Schedule.Family+" "+c.Schedule.Verdict]++
		if c.Schedule.Family == family && c.Schedule.Verdict == verdict {
			right++
		}
		if c.Schedule.Verdict != verdict && c.Schedule.Verdict != "undecided" {
			wrong++
		}
	}
	most := 0
	if verdict == "jittered" {
		most = 3
	}
	if len(report.Clients) != 30 || right < 18 || wrong > most {
		return fmt.Sprintf("%s: %d clients, %v, want %s %s", filepath.Base(log), len(report.Clients), families, family, verdict)
	}
	return ""
}
