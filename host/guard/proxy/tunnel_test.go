package proxy

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// pipe is a connection that keeps what is written.
type pipe struct {
	net.Conn
	bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error)      { return p.Buffer.Write(b) }
func (p *pipe) Read(b []byte) (int, error)       { return p.Buffer.Read(b) }
func (p *pipe) SetWriteDeadline(time.Time) error { return nil }
func (p *pipe) Close() error                     { return nil }

func frame(op byte, payload []byte, masked bool) []byte {
	b := []byte{0x80 | op, 0}
	switch n := len(payload); {
	case n < 126:
		b[1] = byte(n)
	case n < 1<<16:
		b[1] = 126
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	default:
		b[1] = 127
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	if masked {
		b[1] |= 128
		b = append(b, 1, 2, 3, 4)
	}
	return append(b, payload...)
}

// TestCloseGoesBetweenFrames: however the backend's bytes are cut into writes, and whenever the tunnel is to end, what the
// client gets is whole frames, then the close frame, then nothing.
func TestCloseGoesBetweenFrames(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 5))
	for round := range 3000 {
		var stream []byte
		var ends []int
		for range 1 + rng.IntN(6) {
			size := []int{0, 1, 125, 126, 300, 65535, 65536, 70000}[rng.IntN(8)]
			stream = append(stream, frame(byte(1+rng.IntN(2)), bytes.Repeat([]byte{0x88}, size), rng.IntN(4) == 0)...)
			ends = append(ends, len(stream))
		}
		out := &pipe{}
		tn := &tunnel{Conn: out, p: &Proxy{tunnels: map[*tunnel]struct{}{}}}
		stopAt := rng.IntN(len(stream) + 1)
		mark := closeFrame(1012, "x")
		sent := 0
		for sent < len(stream) {
			if tn.ending == nil && sent >= stopAt {
				tn.finish(mark, time.Hour)
			}
			n := min(1+rng.IntN(1+[]int{1, 20, 100_000}[rng.IntN(3)]), len(stream)-sent)
			if tn.ending == nil {
				n = min(n, max(stopAt-sent, 1))
			}
			if _, err := tn.Write(stream[sent : sent+n]); err != nil {
				break
			}
			sent += n
		}
		if tn.ending == nil {
			tn.finish(mark, time.Hour)
		}
		want := 0
		for _, e := range ends {
			if want = e; e >= stopAt {
				break
			}
		}
		if stopAt == 0 {
			want = 0
		}
		if got := out.Bytes(); !bytes.Equal(got, append(stream[:want:want], mark...)) {
			t.Fatalf("seed %d, round %d: stop at %d of %v: %d bytes came, want %d and the close frame", seed, round, stopAt, ends, len(got), want)
		}
	}
}

func TestNoSecondClose(t *testing.T) {
	out := &pipe{}
	tn := &tunnel{Conn: out, p: &Proxy{tunnels: map[*tunnel]struct{}{}}}
	own := frame(8, []byte{3, 232}, false)
	tn.Write(own)
	tn.finish(closeFrame(1012, ""), time.Hour)
	if !bytes.Equal(out.Bytes(), own) {
		t.Errorf("a close frame was followed by another: %x", out.Bytes())
	}
}
