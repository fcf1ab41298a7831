package gateway

import (
	"context"
	"net"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// The two doormen do the same; what the other tests ask of the one that this system has is asked here, in short, of both.
func TestBothDoormen(t *testing.T) {
	for _, each := range []bool{false, true} {
		sights := make(chan Sight, 100)
		g, err := Listen("127.0.0.1:0", Options{Capacity: 1, Backlog: 1, FDLimit: 2, each: each, Watch: func(s Sighting) { sights <- s.Sight }})
		if err != nil {
			t.Fatal(err)
		}
		see := func(want Sight) {
			t.Helper()
			if got := <-sights; got != want {
				t.Fatalf("each %v: sight %d, want %d", each, got, want)
			}
		}
		// A request that is none is answered and counted.
		mute, err := net.Dial("tcp", g.address)
		if err != nil {
			t.Fatal(err)
		}
		mute.Write([]byte("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n"))
		answer := make([]byte, 12)
		if _, err := mute.Read(answer); err != nil || string(answer[:9]) != "HTTP/1.1 " || answer[9] != '4' {
			t.Errorf("each %v: a plain request gets %q %v", each, answer, err)
		}
		mute.Close()
		see(Broken)
		conn, _, _, err := ws.Dial(t.Context(), g.URI())
		if err != nil {
			t.Fatal(err)
		}
		see(Opened)
		// Many messages at once, more than a socket holds: the echo waits for the reader.
		const many = 3000
		text := make([]byte, 2000)
		for i := range text {
			text[i] = 'a' + byte(i%26)
		}
		go func() {
			for range many {
				if wsutil.WriteClientText(conn, text) != nil {
					return
				}
			}
		}()
		for i := range many {
			if got, err := wsutil.ReadServerText(conn); err != nil || string(got) != "ACK: "+string(text) {
				t.Fatalf("each %v, message %d: %.20q %v", each, i, got, err)
			}
		}
		ws.WriteFrame(conn, ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(4001, "enough"))))
		if f, err := ws.ReadFrame(conn); err != nil || f.Header.OpCode != ws.OpClose {
			t.Errorf("each %v: a close is answered with %v %v", each, f.Header.OpCode, err)
		}
		see(Closed)
		conn.Close()
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if s := g.Stats(); s.Opened != 1 || s.Broken != 1 || s.Closed != 1 || s.Open != 0 || s.Waiting != 0 {
			t.Errorf("each %v: %+v", each, s)
		}
	}
}
