//go:build envoy

package envoy

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMinute waits for a real minute: one line a minute for all workers, with the figures of a crowd that comes back in
// step, and the same figures in the gauges.
func TestMinute(t *testing.T) {
	const clients, tries, wait = 40, 11, 400 * time.Millisecond
	b := serve(t)
	p := configure(t, build(t, ""), b.port(), `{"mode": "enforce", "key": "header:x-client", "rate": 0.001, "burst": 1, "share": "minute", "log": 0}`).run(4)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for range tries {
				p.doors[0].dial(t, "127.0.13."+strconv.Itoa(1+c), http.Header{"X-Client": {"client" + strconv.Itoa(c)}})
				time.Sleep(wait)
			}
		})
	}
	all.Wait()
	type line struct {
		From, Scope                          string
		Workers, Attempts, Admitted, Refused int
		Clients                              int
		Peak                                 int `json:"peak_100ms"`
		Together                             struct{ P, Factor float64 }
		Followed, Judged                     int
		WithoutJitter                        *float64 `json:"without_jitter"`
	}
	var sum line
	var text []string
	seen := 0
	p.wait("the minute's line", 100*time.Second, func() bool {
		log, _ := os.ReadFile(p.log)
		lines := strings.Split(string(log), "minute {")[1:]
		for _, l := range lines[min(seen, len(lines)):] {
			if !strings.Contains(l, "}\n") && !strings.HasSuffix(l, "}") {
				return false // half a line
			}
			l, _, _ = strings.Cut("{"+l, "\n")
			var m line
			if err := json.Unmarshal([]byte(l), &m); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			seen++
			text = append(text, l)
			sum.Attempts, sum.Refused, sum.Admitted = sum.Attempts+m.Attempts, sum.Refused+m.Refused, sum.Admitted+m.Admitted
			sum.Clients, sum.Workers, sum.Judged, sum.Peak = max(sum.Clients, m.Clients), max(sum.Workers, m.Workers), max(sum.Judged, m.Judged), max(sum.Peak, m.Peak)
			if m.Scope != "process" {
				t.Errorf("scope %q", m.Scope)
			}
			if m.Judged > 0 && (m.WithoutJitter == nil || *m.WithoutJitter < 0.8) {
				t.Errorf("a crowd in step: %s", l)
			}
			if m.Attempts > 100 && m.Together.P > 0.001 {
				t.Errorf("they came together: %s", l)
			}
		}
		return sum.Attempts >= clients*tries
	})
	t.Log(strings.Join(text, "\n"))
	if sum.Attempts != clients*tries || sum.Admitted != clients || sum.Refused != clients*(tries-1) || sum.Clients < clients*9/10 || sum.Clients > clients*11/10 || sum.Workers < 2 || sum.Judged < clients/4 || sum.Peak < clients/4 {
		t.Errorf("%d attempts of %d clients: %q", clients*tries, clients, text)
	}
	if len(text) == 1 {
		if n := p.metric("stormlint_minute_attempts{}"); n != sum.Attempts {
			t.Errorf("the gauge says %d attempts", n)
		}
	}
}
