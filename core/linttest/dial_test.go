package linttest

import (
	"bufio"
	"net/http"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/lint"
)

// A client that speaks WebSocket over Dial: the handshake is that of RFC 6455's example, the session ends when its time
// has come, and backing off after it is seen.
func TestDial(t *testing.T) {
	opened, refused := 0, 0
	sessions := map[time.Duration]int{}
	loop := func(n *Net) {
		for attempt := 1; ; attempt++ {
			c, err := n.Dial(n.Context(), "tcp", "example.org:80")
			switch {
			case err != nil && n.Context().Err() != nil:
				return
			case err != nil:
				refused++
			default:
				begin := time.Now()
				c.Write([]byte("GET /ws HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"))
				r := bufio.NewReader(c)
				answer, err := http.ReadResponse(r, nil)
				if err != nil || answer.StatusCode != 101 || answer.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
					t.Errorf("the handshake is answered by %v, %v", answer, err)
				}
				opened++
				if _, err := r.ReadByte(); err == nil {
					t.Error("the server speaks")
				}
				length := time.Since(begin)
				sessions[length]++
				c.Close()
				if length > time.Minute {
					attempt = 1
				}
			}
			time.Sleep(full(attempt, n.Rand()))
		}
	}
	r := Client(t, loop, Options{Runs: 20, Scenarios: []string{lint.LongSession, lint.Refused}})
	if opened != 20 || refused < 400 || sessions[longSession] != 20 {
		t.Errorf("%d opened, %d refused, sessions of %v", opened, refused, sessions)
	}
	for _, f := range r.Findings {
		if f.Rule == "weak-jitter" || f.Rule == "never-resets" {
			t.Error(f.Message)
		}
	}
}
