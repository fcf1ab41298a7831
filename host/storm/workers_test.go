package storm_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// Two pairs of processes make one storm: every client is counted once, and their log has whole lines.
func TestWorkers(t *testing.T) {
	t.Parallel()
	work := []string{os.Args[0], "work"}
	log, err := os.OpenFile(filepath.Join(t.TempDir(), "events"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	g, err := storm.StartGateways(t.Context(), work, 2, gateway.Options{Capacity: 1000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := backoff.Parse("full:300ms:2s")
	if err != nil {
		t.Fatal(err)
	}
	r, err := storm.Run(t.Context(), storm.Options{URI: g.URIs()[0], Workers: g.URIs(), Self: work, Clients: 61, Policy: policy, Bursts: 2,
		Interval: 100 * time.Millisecond, Drop: g.Drop, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for i, b := range r.Bursts {
		arrivals := 0
		for _, n := range b.Arrivals {
			arrivals += n
		}
		if b.Dropped != 61 || b.Back != 61 || arrivals != 61+b.Failed {
			t.Errorf("burst %d: %d dropped, %d back, %d arrivals, %d failed", i, b.Dropped, b.Back, arrivals, b.Failed)
		}
	}
	if len(r.Bursts) != 2 || r.Open != 61 {
		t.Errorf("%d bursts, %d open", len(r.Bursts), r.Open)
	}
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	clients := map[string]bool{}
	for _, l := range lines {
		if !bytes.HasPrefix(l, []byte(`{"timestamp":"`)) || l[len(l)-1] != '}' {
			t.Fatalf("no whole line: %q", l)
		}
		if _, rest, ok := bytes.Cut(l, []byte(`"client_ip":"`)); ok {
			clients[string(rest[:bytes.IndexByte(rest, '"')])] = true
		}
	}
	if len(clients) != 61 || len(lines) < 61*5 { // three sessions and two ends
		t.Errorf("%d lines of %d clients", len(lines), len(clients))
	}
}

// Interrupted workers end what they do, answer and go.
func TestWorkersInterrupted(t *testing.T) {
	t.Parallel()
	work := []string{os.Args[0], "work"}
	g, err := storm.StartGateways(t.Context(), work, 1, gateway.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	policy, err := backoff.Parse("fixed:1h")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r, err := storm.Run(ctx, storm.Options{URI: g.URIs()[0], Workers: g.URIs(), Self: work, Clients: 5, Policy: policy, Interval: 100 * time.Millisecond, Drop: g.Drop})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped == "" || len(r.Bursts) != 1 || r.Bursts[0].Dropped != 5 || r.Bursts[0].P50 != storm.Never {
		t.Errorf("%s", r.AppendJSON(nil))
	}
}
