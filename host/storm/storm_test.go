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
