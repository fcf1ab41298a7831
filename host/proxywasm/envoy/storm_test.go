//go:build envoy

package envoy

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// report is what is looked at of an analysis.
type report struct {
	Clients []struct {
		Client   string
		Attempts int
		Refused  int
		Schedule struct {
			Verdict, Family string
			BaseMS          float64 `json:"base_ms"`
		}
	}
	Input struct {
		Formats []json.RawMessage
		Skipped []json.RawMessage
	}
	Findings []struct{ Rule, Severity string }
}

func analyze(t *testing.T, file string) (r report) {
	t.Helper()
	out, err := exec.Command(*linter, "analyze", "--show-addresses", "--all", "-o", "json", file).Output()
	if err != nil {
		t.Fatalf("analyze %s: %v", file, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// storm lets clients in, drops them, and has them come back: a crowd without jitter, and one with. Envoy's access log and
// the filter's own lines tell them apart.
func storm(t *testing.T, p *proxy, b *backend) {
	const each, tries, wait = 6, 11, 250 * time.Millisecond
	const seed = 12
	d := p.doors[1]
	var all sync.WaitGroup
	client := func(from string, next func() time.Duration) {
		if _, status, _ := d.dial(t, from, nil); status != 101 {
			t.Errorf("%s: first handshake: %d", from, status)
		}
		for range tries {
			time.Sleep(next())
			if _, status, _ := d.dial(t, from, nil); status != 429 {
				t.Errorf("%s: %d", from, status)
			}
		}
	}
	for i := range each {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() { client("127.0.20."+strconv.Itoa(1+i), func() time.Duration { return wait }) })
		all.Go(func() {
			client("127.0.21."+strconv.Itoa(1+i), func() time.Duration { return time.Duration(rng.Int64N(int64(2 * wait))) })
		})
	}
	all.Wait()
	b.drop()
	p.wait("the access log is whole", 10*time.Second, func() bool {
		text, _ := os.ReadFile(d.log)
		return strings.Count(string(text), "\n") == 2*each*(tries+1)
	})
	for _, file := range []string{d.log, p.log} {
		r := analyze(t, file)
		locked, jittered, accused := 0, 0, 0
		for _, c := range r.Clients {
			steady := strings.HasPrefix(c.Client, "127.0.20.")
			if !steady && !strings.HasPrefix(c.Client, "127.0.21.") {
				continue // of other tests
			}
			if c.Attempts != tries+1 || c.Refused != tries {
				t.Errorf("%s: %d attempts, %d refused", c.Client, c.Attempts, c.Refused)
			}
			switch v := c.Schedule; {
			case steady && v.Verdict == "locked" && v.Family == "fixed" && v.BaseMS > 240 && v.BaseMS < 300:
				locked++
			case !steady && v.Verdict == "jittered":
				jittered++
			case !steady && v.Verdict == "locked":
				accused++
				t.Logf("%s: %+v", c.Client, v)
			default:
				t.Logf("%s: %+v", c.Client, v)
			}
		}
		// Few waits on a busy machine may leave a client with jitter undecided; called in step it may never be.
		if locked < each-1 || jittered < 1 || accused > 0 {
			t.Errorf("%s: of %d clients each, %d are found in step and %d with jitter", file, each, locked, jittered)
		}
	}
}
