package storm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

func TestSpreadHerdRecovers(t *testing.T) {
	t.Parallel()
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: 1000, Backlog: 500})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	policy, err := backoff.Parse("full:1s:30s")
	if err != nil {
		t.Fatal(err)
	}
	r, err := storm.Run(t.Context(), storm.Options{URI: g.URI(), Clients: 300, Policy: policy, Bursts: 2, Interval: 100 * time.Millisecond, Drop: g.Drop})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", r.AppendJSON(nil))
	if len(r.Bursts) != 2 {
		t.Fatalf("%d bursts, want 2", len(r.Bursts))
	}
	for i, b := range r.Bursts {
		if b.Dropped != 300 || b.Back != 300 {
			t.Errorf("burst %d: %d dropped, %d back, want 300 of 300", i, b.Dropped, b.Back)
		}
		if b.Last > 1500*time.Millisecond {
			t.Errorf("burst %d: last client back after %v, the window is 1 s", i, b.Last)
		}
	}
}

// A client that is accepted only to be told 1013 is not back, and sessions that end between two bursts belong to none.
func TestToldToComeLater(t *testing.T) {
	t.Parallel()
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: 100, Backlog: 5, Reject: gateway.TryAgainLater})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	policy, err := backoff.Parse("full:200ms:1s")
	if err != nil {
		t.Fatal(err)
	}
	r, err := storm.Run(t.Context(), storm.Options{URI: g.URI(), Clients: 40, Policy: policy, Bursts: 2, Interval: 100 * time.Millisecond, Patience: 20 * time.Second, Drop: g.Drop})
	if err != nil {
		t.Fatal(err)
	}
	if r.Took > 20*time.Second {
		t.Errorf("a burst did not see that all were back: %v", r.Took)
	}
	for i, b := range r.Bursts {
		if b.Dropped == 0 || b.Back > b.Dropped || b.Errors["1013"] == 0 {
			t.Errorf("burst %d: %d dropped, %d back, errors %v; want none back twice, and some told to come later", i, b.Dropped, b.Back, b.Errors)
		}
	}
}
