// Package libraries runs the reconnect schedules of real Go libraries through the test kit. It is a module of its own, so
// that importing the kit brings none of them.
package libraries

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	cenkalti "github.com/cenkalti/backoff/v5"
	"github.com/centrifugal/centrifuge-go"
	"github.com/coder/websocket"
	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/core/linttest"
)

// found checks which rules fire at medium or above.
func found(t *testing.T, r *lint.Result, want ...string) {
	t.Helper()
	var got []string
	for _, f := range r.Findings {
		if f.Severity >= finding.Medium {
			got = append(got, f.Rule)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// A good control: nothing at high, so the kit passes it.
func TestCenkaltiBackoff(t *testing.T) {
	var b *cenkalti.ExponentialBackOff
	found(t, linttest.Schedule(t, func(attempt int) time.Duration {
		if attempt == 1 {
			b = cenkalti.NewExponentialBackOff()
		}
		return b.NextBackOff()
	}))
}

// The older constructor, still exported: exactly the cap once it is reached, which the SDK's three attempts never see.
func TestAWS(t *testing.T) {
	b := retry.NewExponentialJitterBackoff(20 * time.Second)
	schedule := func(attempt int) time.Duration {
		d, err := b.BackoffDelay(attempt, nil)
		if err != nil {
			panic(err)
		}
		return d
	}
	found(t, linttest.Schedule(t, schedule, linttest.Options{FailAt: "critical"}), "clamp-after-jitter")
	found(t, linttest.Schedule(t, func(attempt int) time.Duration {
		if attempt >= retry.DefaultMaxAttempts {
			return linttest.Stop
		}
		return schedule(attempt)
	}))
}

// Without Jitter, which is the zero value, every caller waits the same.
func TestKubernetesWait(t *testing.T) {
	schedule := func(jitter float64) func(attempt int) time.Duration {
		var b wait.Backoff
		return func(attempt int) time.Duration {
			if attempt == 1 {
				b = wait.Backoff{Duration: time.Second, Factor: 2, Steps: 1 << 30, Cap: time.Minute, Jitter: jitter}
			}
			return b.Step()
		}
	}
	found(t, linttest.Schedule(t, schedule(0), linttest.Options{Accept: []string{"growth-locked"}}), "growth-locked")
	found(t, linttest.Schedule(t, schedule(1)))
}

// The whole client on the fake clock, its connections refused.
func TestGRPC(t *testing.T) {
	r := linttest.Client(t, func(n *linttest.Net) {
		c, err := grpc.NewClient("passthrough:///service", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return n.Dial(ctx, "tcp", address) }))
		if err != nil {
			panic(err)
		}
		defer c.Close()
		for n.Context().Err() == nil {
			c.Connect()
			if !c.WaitForStateChange(n.Context(), c.GetState()) {
				return
			}
		}
	}, linttest.Options{Runs: 20, Scenarios: []string{lint.Refused}})
	found(t, r, "narrow-first-delay", "weak-jitter")
}

func TestCentrifuge(t *testing.T) {
	r := linttest.Client(t, func(n *linttest.Net) {
		c := centrifuge.NewJsonClient("ws://service/connection/websocket", centrifuge.Config{NetDialContext: n.Dial})
		defer c.Close()
		c.Connect() // its error is the first attempt's; the client goes on
		<-n.Context().Done()
	}, linttest.Options{Runs: 20, Scenarios: []string{lint.Refused}, FailAt: "critical"})
	found(t, r, "clamp-after-jitter", "narrow-first-delay")
}

type dialer struct{ n *linttest.Net }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.n.Context(), 2*time.Second)
	defer cancel()
	return d.n.Dial(ctx, network, address)
}

func TestNATS(t *testing.T) {
	log.SetOutput(io.Discard)
	r := linttest.Client(t, func(n *linttest.Net) {
		c, err := nats.Connect("nats://127.0.0.1:4222", nats.SetCustomDialer(dialer{n}), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
		if err != nil {
			panic(err)
		}
		defer c.Close()
		<-n.Context().Done()
	}, linttest.Options{Runs: 20, Scenarios: []string{lint.Refused}, FailAt: "critical"})
	found(t, r, "narrow-first-delay", "no-growth", "weak-jitter")
}

// A loop as one writes it around a WebSocket library, through every scenario: handshakes, long sessions, hung dials and two
// thousand failures, in a second.
func TestWebSocketClient(t *testing.T) {
	found(t, linttest.Client(t, func(n *linttest.Net) {
		client := &http.Client{Transport: &http.Transport{DialContext: n.Dial, DisableKeepAlives: true}}
		for attempt := 1; n.Context().Err() == nil; attempt++ {
			ctx, cancel := context.WithTimeout(n.Context(), 10*time.Second)
			c, _, err := websocket.Dial(ctx, "ws://service/live", &websocket.DialOptions{HTTPClient: client})
			cancel()
			if err == nil {
				begin := time.Now()
				for err == nil {
					_, _, err = c.Read(n.Context())
				}
				c.CloseNow()
				if time.Since(begin) > 5*time.Second {
					attempt = 1
				}
			}
			ceiling := min(time.Second<<min(attempt, 10), time.Minute)
			time.Sleep(time.Duration(n.Rand().Int64N(int64(ceiling))))
		}
	}, linttest.Options{Runs: 20}))
}
