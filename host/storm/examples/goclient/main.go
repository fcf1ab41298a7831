// Command goclient is a reconnecting WebSocket client: go run . ws://127.0.0.1:9080/
//
// Its waits have no jitter, 1 s, 2 s, 4 s to 30 s, so that there is something to find.
package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/gobwas/ws"
)

func main() {
	for failures := 0; ; failures++ {
		if conn, _, _, err := ws.Dial(context.Background(), os.Args[1]); err == nil {
			io.Copy(io.Discard, conn) // until the session ends
			conn.Close()
			failures = 0
		}
		time.Sleep(min(30*time.Second, time.Second<<min(failures, 5)))
	}
}
