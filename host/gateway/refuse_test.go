package gateway

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// A port is closed while sockets arrive at it: whoever closes it and whoever takes sockets in do not wait for each other. All dial
// without a pause, and after some sockets the outage comes, in one round together with the end, in the next followed by a new port.
func TestRefuseWhileDialled(t *testing.T) {
	const rounds, dialers = 50, 4
	for _, each := range []bool{false, true} {
		for round := range rounds {
			arrived := make(chan struct{}, 1)
			g, err := Listen("127.0.0.1:0", Options{each: each})
			if err != nil {
				t.Fatal(err)
			}
			var dialling sync.WaitGroup
			over := make(chan struct{})
			for range dialers {
				dialling.Go(func() {
					for {
						select {
						case <-over:
							return
						default:
						}
						if c, err := net.DialTimeout("tcp", g.address, time.Second); err == nil {
							c.(*net.TCPConn).SetLinger(0)
							c.Close()
							select {
							case arrived <- struct{}{}:
							default:
							}
						}
					}
				})
			}
			<-arrived
			done := make(chan struct{})
			go func() {
				defer close(done)
				g.refuse()
				if round%2 == 1 {
					g.listenAgain()
				}
				g.Close(context.Background())
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatalf("each %v, round %d: refusing or closing never ends", each, round)
			}
			close(over)
			dialling.Wait()
			if s := g.Stats(); s.Open != 0 || g.sockets != 0 {
				t.Fatalf("each %v, round %d: %d sockets are left, %d of them open", each, round, g.sockets, s.Open)
			}
		}
	}
}
